// SPDX-License-Identifier: BSD-3-Clause
/// Atomics as UCX has them, where it does them by the target's CPU on connections that tell of dead
/// peers: they take the way of gets, through half of the code that a message takes on either side.
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

/// What UCX calls the operation; false: it has none that fits.
bool name_of(const AtomicArguments& arguments, ucp_atomic_op_t* op_out) {
  const bool is_float =
      arguments.type == base::AtomicType::kFloat || arguments.type == base::AtomicType::kDouble;
  switch (arguments.op) {
    case base::AtomicOp::kSet:
      *op_out = UCP_ATOMIC_OP_SWAP;
      return true;
    case base::AtomicOp::kFetch:  // adds 0, which leaves the bits of any type
      *op_out = UCP_ATOMIC_OP_ADD;
      return true;
    case base::AtomicOp::kAdd:
      *op_out = UCP_ATOMIC_OP_ADD;
      return !is_float;
    case base::AtomicOp::kAnd:
      *op_out = UCP_ATOMIC_OP_AND;
      return !is_float;
    case base::AtomicOp::kOr:
      *op_out = UCP_ATOMIC_OP_OR;
      return !is_float;
    case base::AtomicOp::kXor:
      *op_out = UCP_ATOMIC_OP_XOR;
      return !is_float;
    case base::AtomicOp::kCompareSwap:
      *op_out = UCP_ATOMIC_OP_CSWAP;
      return !is_float;
  }
  return false;
}

}  // namespace

/// One that fetches in any case, so that its end says that it has been done. UCCS_ERR_UNSUPPORTED:
/// UCX has none such.
uccs_status_t Channel::fetch_op(int ec, PeerState& peer, const Remote& target, uint64_t there,
                                const AtomicArguments& arguments, uint64_t* result_out,
                                Completion* completion) {
  if (!owner_->library_.has_atomics()) return UCCS_ERR_UNSUPPORTED;
  if (!lock_->try_lock()) return UCCS_AGAIN;
  const std::lock_guard guard(*lock_, std::adopt_lock);
  const uccs_status_t aimed = aim_at(ec, peer, target, there);
  return aimed == UCCS_OK ? fetch_op_at(aim_, target, arguments, result_out, completion) : aimed;
}

uccs_status_t Channel::fetch_op_at(const Aim& aim, const Remote& target,
                                   const AtomicArguments& arguments, uint64_t* result_out,
                                   Completion* completion) {
  ucp_atomic_op_t op;
  if (!name_of(arguments, &op)) return UCCS_ERR_UNSUPPORTED;
  const size_t bytes = base::atomic_size(arguments.type);
  Operation* operation = take_operation(*aim.link, bytes, completion);
  if (!operation) {
    poll();
    return UCCS_AGAIN;
  }
  // Where it compares, the reply brings the new value along.
  const bool compares = arguments.op == base::AtomicOp::kCompareSwap;
  operation->waits = 1;
  operation->result = result_out;
  operation->operand = compares                                 ? arguments.expected
                       : arguments.op == base::AtomicOp::kFetch ? 0
                                                                : arguments.operand;
  operation->reply = compares ? arguments.operand : 0;
  ucp_request_param_t parameters;
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA |
                            UCP_OP_ATTR_FIELD_DATATYPE | UCP_OP_ATTR_FIELD_REPLY_BUFFER;
  parameters.datatype = ucp_dt_make_contig(bytes);
  parameters.reply_buffer = &operation->reply;
  parameters.user_data = operation;
  parameters.cb.send = end_request;
  const uccs_status_t status =
      post_over(operation, ucp_atomic_op_nbx(aim.link->ep, op, &operation->operand, 1,
                                             aim.base + target.offset, aim.key, &parameters));
  // UCX sends it as a message, behind those of short puts: its answer tells of them, too.
  Proof& unproved = aim.link->unproved;
  if (status == UCCS_IN_PROGRESS && unproved.is_awaited && completion)
    proofs_.replace(unproved, operation->proof);
  return status;
}

}  // namespace uccs::net::ucx
