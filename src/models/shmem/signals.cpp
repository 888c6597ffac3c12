// SPDX-License-Identifier: BSD-3-Clause
#include "base/log.hpp"
#include "models/shmem/atomics.hpp"
#include "models/shmem/rma.hpp"

using namespace uccs::shmem;

namespace {

[[noreturn, gnu::cold]] void fail_operator(int sig_op, const char* call) {
  uccs::base::fatal("%s: sig_op is %d: SHMEM_SIGNAL_SET (%d) and SHMEM_SIGNAL_ADD (%d) are legal",
                    call, sig_op, SHMEM_SIGNAL_SET, SHMEM_SIGNAL_ADD);
}

/// Release: who sees the signal (acquire in the waits) sees what the same put stored before. Both
/// operators are atomics of one kind, so they may be mixed.
[[gnu::always_inline]] inline void update_mapped(uint64_t* at, uint64_t value, int sig_op,
                                                 const char* call) {
  if (sig_op == SHMEM_SIGNAL_SET)
    __atomic_store_n(at, value, __ATOMIC_RELEASE);
  else if (sig_op == SHMEM_SIGNAL_ADD)
    __atomic_fetch_add(at, value, __ATOMIC_RELEASE);
  else
    fail_operator(sig_op, call);
}

/// On another node: behind what was put before, which is why that is completed first.
[[gnu::cold, gnu::noinline]] void unmapped_signal(shmem_ctx_t ctx, uint64_t* signal, uint64_t value,
                                                  int sig_op, int ec, const char* call) {
  using uccs::base::AtomicOp;
  if (void* const at = unmapped_word(ctx, signal, sizeof *signal, &ec, call))
    return update_mapped(static_cast<uint64_t*>(at), value, sig_op, call);
  if (sig_op != SHMEM_SIGNAL_SET && sig_op != SHMEM_SIGNAL_ADD) fail_operator(sig_op, call);
  // Nor is it packed itself: somebody may be waiting for it.
  if (uccs::core::Pack* const pack = pack_of(ctx)) settle_pack(*pack, call, ec);
  quiet_network(account_of(ctx));
  slow_atomic_value(pack_of(ctx) != nullptr ? SHMEM_CTX_DEFAULT : ctx,
                    sig_op == SHMEM_SIGNAL_SET ? AtomicOp::kSet : AtomicOp::kAdd, signal, value,
                    uint64_t{0}, false, ec, call);
}

[[gnu::always_inline]] inline void update_signal(shmem_ctx_t ctx, uint64_t* signal, uint64_t value,
                                                 int sig_op, int pe, const char* call) {
  const int ec = context_ec(ctx, pe, call);
  if (void* const at = translate(signal, ec)) [[likely]]
    update_mapped(static_cast<uint64_t*>(at), value, sig_op, call);
  else
    unmapped_signal(ctx, signal, value, sig_op, ec, call);
}

/// A put of which the signal tells. To another node both go together, if nothing is in between.
template <class Put>
[[gnu::always_inline]] inline void put_signal(shmem_ctx_t ctx, void* dest, const void* source,
                                              size_t bytes, uint64_t* signal, uint64_t value,
                                              int sig_op, int pe, const char* call,
                                              const Put& put) {
  const int ec = context_ec(ctx, pe, call);
  if (translate(dest, ec) == nullptr) [[unlikely]]
    if (slow_put_signal(ctx, dest, source, bytes, signal, value, sig_op, ec, call)) return;
  put();
  update_signal(ctx, signal, value, sig_op, pe, call);
}

}  // namespace

#define SIGNAL_PARAMETERS size_t nelems, uint64_t *sig_addr, uint64_t signal, int sig_op, int pe
#define DEFINE_PUT_SIGNAL(CTX, BEFORE, TYPE, AFTER, ELEMENT, ...)                                  \
  UCCS_SHMEM_HOT(void, CTX##BEFORE##put##AFTER,                                                    \
                 (UCCS_CTX_PARAMETER_##CTX TYPE * dest, const TYPE* source, SIGNAL_PARAMETERS)) {  \
    constexpr const char* call = "shmem_" #CTX #BEFORE "put" #AFTER;                               \
    put_signal(UCCS_CTX_##CTX, dest, source, nelems*(ELEMENT), sig_addr, signal, sig_op, pe, call, \
               [&] { __VA_ARGS__(UCCS_CTX_##CTX, dest, source, nelems, pe, call); });              \
  }
#define UCCS_RMA_TYPE(NAME, TYPE)                                                             \
  UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, NAME##_, TYPE, _signal, sizeof(TYPE), put<sizeof(TYPE)>) \
  UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, NAME##_, TYPE, _signal_nbi, sizeof(TYPE), put<sizeof(TYPE)>)
#define UCCS_SIZE(BITS)                                                              \
  UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, , void, BITS##_signal, BITS / 8, put<BITS / 8>) \
  UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, , void, BITS##_signal_nbi, BITS / 8, put<BITS / 8>)
#include "gen/types.def"
UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, , void, mem_signal, 1, put_bytes)
UCCS_SHMEM_BOTH(DEFINE_PUT_SIGNAL, , void, mem_signal_nbi, 1, put_bytes)

#define DEFINE_UPDATES(CTX)                                                                 \
  UCCS_SHMEM_HOT(void, CTX##signal_add,                                                     \
                 (UCCS_CTX_PARAMETER_##CTX uint64_t * sig_addr, uint64_t signal, int pe)) { \
    update_signal(UCCS_CTX_##CTX, sig_addr, signal, SHMEM_SIGNAL_ADD, pe,                   \
                  "shmem_" #CTX "signal_add");                                              \
  }                                                                                         \
  UCCS_SHMEM_HOT(void, CTX##signal_set,                                                     \
                 (UCCS_CTX_PARAMETER_##CTX uint64_t * sig_addr, uint64_t signal, int pe)) { \
    update_signal(UCCS_CTX_##CTX, sig_addr, signal, SHMEM_SIGNAL_SET, pe,                   \
                  "shmem_" #CTX "signal_set");                                              \
  }
DEFINE_UPDATES()
DEFINE_UPDATES(ctx_)

UCCS_SHMEM(uint64_t, signal_fetch, (const uint64_t* sig_addr)) {
  if (is_guarded) [[unlikely]]
    check_variables("sig_addr", sig_addr, 1, sizeof *sig_addr, "shmem_signal_fetch");
  return __atomic_load_n(sig_addr, __ATOMIC_ACQUIRE);
}
