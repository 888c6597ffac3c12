// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/slow.hpp"

#include "base/log.hpp"
#include "core/burst.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/region.hpp"
#include "core/remote.hpp"
#include "models/shmem/context.hpp"
#include "models/shmem/waiting.hpp"
#include "uccs/rma.h"

namespace uccs::shmem {
namespace {

/// The way to PE `ec` of another node; ends the job when it is no such PE.
core::Endpoint* way_to_pe(const void* symmetric, int ec, const char* call) {
  if (!core::job.is_spread || ec < 0 || ec >= core::job.size)
    core::fail_translate(call, symmetric, ec);
  return core::remote_endpoint(ec);
}
/// The same for operations that find out later, or from nobody, that `symmetric` is not.
core::Endpoint* way_to(const void* symmetric, int ec, const char* call) {
  if (core::translate(symmetric, core::job.me) == nullptr)
    core::fail_translate(call, symmetric, ec);
  return way_to_pe(symmetric, ec, call);
}

[[noreturn, gnu::cold]] void fail(const char* call, int ec, const void* symmetric,
                                  uccs_status_t status) {
  if (core::translate(symmetric, core::job.me) == nullptr)
    core::fail_translate(call, symmetric, ec);
  base::fatal("%s: the operation on %p of PE %d on %s failed: %s", call, symmetric, ec,
              core::host_of(ec), uccs_status_string(status));
}

/// Posts until it is taken; completes it if it gives a request.
template <class Post>
uccs_status_t complete(const char* call, const Post& post) {
  uccs_request_t request = UCCS_REQUEST_NULL;
  uccs_status_t status;
  {
    Waiting waiting(call);
    while ((status = post(&request)) == UCCS_AGAIN) waiting.pause();
  }
  if (status != UCCS_IN_PROGRESS || request == UCCS_REQUEST_NULL) return status;
  for (Waiting waiting(call);; waiting.rest()) {
    Waiting::make_progress();
    if ((status = core::look(&request)) != UCCS_IN_PROGRESS) return status;
  }
}

/// Posts it until it is taken, and waits for it. UCCS_ERR_UNSUPPORTED: it needs a request.
template <class Post>
uccs_status_t run(const char* call, const core::Errand& errand, const Post& post) {
  uccs_status_t status = post();
  if (status == UCCS_AGAIN) {
    Waiting waiting(call);
    while ((status = post()) == UCCS_AGAIN) waiting.pause();
  }
  if (status != UCCS_IN_PROGRESS) return status;
  for (Waiting waiting(call);; waiting.rest()) {
    Waiting::make_progress();
    if ((status = errand.status()) != UCCS_IN_PROGRESS) return status;
    if (!errand.await())
      waiting.note_looks(core::kLooksAlone);
    else if ((status = errand.status()) != UCCS_IN_PROGRESS)
      return status;
  }
}

core::WireAddress address_of(const void* symmetric) {
  return core::where_is(reinterpret_cast<uint64_t>(symmetric));
}

/// Notes an operation of a context that packs; false: it is to be done the other way.
template <class Note>
bool is_packed(const char* call, int ec, const void* symmetric, const Note& note) {
  uccs_status_t status = note();
  if (status == UCCS_AGAIN) {
    Waiting waiting(call);
    while ((status = note()) == UCCS_AGAIN) waiting.pause();
  }
  if (status == UCCS_ERR_UNSUPPORTED) return false;
  if (status < 0) fail(call, ec, symmetric, status);
  return true;
}

/// Routines whose results may come later say so in their names. Those with a handle are completed
/// by that, which knows no context.
[[gnu::always_inline]] inline bool ends_with(const char* call, const char* end) {
  const size_t length = strlen(call), wanted = strlen(end);
  return length > wanted && memcmp(call + length - wanted, end, wanted) == 0;
}
bool is_nonblocking(const char* call) { return ends_with(call, "_nbi"); }
bool has_handle(const char* call) { return ends_with(call, "_nb"); }

void settle(core::Settling settling, const char* call) {
  uccs_status_t status = settling.look();
  if (status == UCCS_OK) return;
  Waiting waiting(call);
  while ((status = settling.look()) == UCCS_IN_PROGRESS) waiting.pause();
  if (status < 0)
    base::fatal("%s: operations that were packed failed: %s", call, uccs_status_string(status));
}

/// As contexts that aggregate: what reads sees what its thread has packed before.
void settle_bursts(const char* call, int ec) {
  core::Context* const context = core::job_context();
  if (context && context->pack && !context->pack->is_settled(core::this_thread(context)))
      [[unlikely]]
    settle(core::Settling::of_thread(context->pack.get(), ec), call);
}

// What waits for its result comes behind what the thread has packed.

void get_now(core::Endpoint* from, void* dest, const void* source, size_t bytes, int ec,
             const char* call) {
  settle_bursts(call, ec);
  core::Errand errand;
  uccs_status_t status = run(call, errand, [&] { return errand.get(from, dest, source, bytes); });
  if (status == UCCS_ERR_UNSUPPORTED)
    status = complete(call, [&](uccs_request_t* out) {
      return uccs_get_contiguous_nb(from, UCCS_REGION_SYMMETRIC, dest, source, bytes, out);
    });
  if (status < 0) fail(call, ec, source, status);
}

uint64_t fetch_now(core::Endpoint* at, const void* symmetric, int ec,
                   const net::AtomicArguments& arguments, const char* call) {
  settle_bursts(call, ec);
  core::Errand errand;
  uccs_status_t status = run(call, errand, [&] { return errand.fetch(at, symmetric, arguments); });
  uint64_t old = errand.old_value();
  if (status == UCCS_ERR_UNSUPPORTED)
    status = complete(call, [&](uccs_request_t* out) {
      return core::remote_atomic(ec, arguments, symmetric, &old, out);
    });
  if (status < 0) fail(call, ec, symmetric, status);
  return old;
}

}  // namespace

void settle_pack(core::Pack& pack, const char* call, int ec) {
  settle(core::Settling(&pack, ec), call);
}

void slow_put(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
              const char* call) {
  if (bytes == 0) return;
  core::Pack* const pack = pack_of(ctx);
  if (pack == nullptr && core::put_in_burst(account_of(ctx), ec, dest, source, bytes)) return;
  core::Endpoint* to = way_to(dest, ec, call);
  if (pack != nullptr && !has_handle(call) &&
      is_packed(call, ec, dest, [&] { return pack->put(ec, address_of(dest), source, bytes); }))
    return;
  core::charge(account_of(ctx));
  // Short ones leave the source at once; quiet waits for them, and for those that are no blocking.
  const bool is_followed = !is_nonblocking(call);
  const uccs_status_t status = complete(call, [&](uccs_request_t* out) {
    return bytes <= UCCS_RMA_MEDIUM_MAX
               ? uccs_put_contiguous_medium_nb(to, UCCS_REGION_SYMMETRIC, dest, source, bytes,
                                               nullptr)
               : uccs_put_contiguous_nb(to, UCCS_REGION_SYMMETRIC, dest, source, bytes,
                                        is_followed ? out : nullptr);
  });
  if (status < 0) fail(call, ec, dest, status);
}

bool slow_put_signal(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes,
                     uint64_t* signal, uint64_t value, int sig_op, int ec, const char* call) {
  const bool is_plain = !is_guarded && bytes > 0 && pack_of(ctx) == nullptr &&
                        (sig_op == SHMEM_SIGNAL_SET || sig_op == SHMEM_SIGNAL_ADD);
  const auto is_remote = [ec](const void* symmetric) {
    return core::translate(symmetric, core::job.me) != nullptr &&
           core::translate(symmetric, ec) == nullptr;
  };
  if (!is_plain || !core::job.is_spread || ec < 0 || ec >= core::job.size || !is_remote(dest) ||
      !is_remote(signal))
    return false;
  const auto how = sig_op == SHMEM_SIGNAL_SET ? base::AtomicOp::kSet : base::AtomicOp::kAdd;
  const core::RemotePut put = {
      dest, source, bytes, signal, {how, base::AtomicType::kUint64, value, 0}};
  uccs_status_t status;
  if (bytes <= UCCS_RMA_MEDIUM_MAX || is_nonblocking(call)) {  // quiet waits for it
    status = complete(call, [&](uccs_request_t*) { return core::remote_put_signal(ec, put); });
  } else {
    core::Errand errand;
    status = run(call, errand, [&] { return errand.put_signal(ec, put); });
  }
  if (status == UCCS_ERR_UNSUPPORTED) return false;
  if (status < 0) fail(call, ec, dest, status);
  return true;
}

void slow_get_now(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
                  const char* call) {
  core::Endpoint* from = way_to_pe(source, ec, call);
  if (core::Pack* const pack = pack_of(ctx)) settle_pack(*pack, call, ec);
  get_now(from, dest, source, bytes, ec, call);
}

void slow_get(shmem_ctx_t ctx, void* dest, const void* source, size_t bytes, int ec,
              const char* call) {
  if (bytes == 0) return;
  if (!is_nonblocking(call)) return slow_get_now(ctx, dest, source, bytes, ec, call);
  core::Endpoint* from = way_to_pe(source, ec, call);
  if (core::Pack* const pack = pack_of(ctx)) {
    if (is_packed(call, ec, source, [&] { return pack->get(ec, address_of(source), dest, bytes); }))
      return;
    settle_pack(*pack, call, ec);  // it sees what was put before
  }
  // Short ones whose result may come later go to the same buffer instead.
  if (bytes > core::kPackDataMax) settle_bursts(call, ec);
  core::charge(account_of(ctx));
  const uccs_status_t status = complete(call, [&](uccs_request_t*) {
    return uccs_get_contiguous_nb(from, UCCS_REGION_SYMMETRIC, dest, source, bytes, nullptr);
  });
  if (status < 0) fail(call, ec, source, status);
}

uint64_t slow_atomic(shmem_ctx_t ctx, const net::AtomicArguments& arguments, const void* symmetric,
                     bool is_fetching, int ec, const char* call) {
  core::Endpoint* at = way_to_pe(symmetric, ec, call);
  if (core::Pack* const pack = pack_of(ctx)) {
    if (!is_fetching && !has_handle(call) && is_packed(call, ec, symmetric, [&] {
          return pack->atomic(ec, arguments, address_of(symmetric), nullptr);
        }))
      return 0;
    settle_pack(*pack, call, ec);
  }
  if (is_fetching) return fetch_now(at, symmetric, ec, arguments, call);
  core::charge(account_of(ctx));
  const uccs_status_t status = complete(call, [&](uccs_request_t*) {
    return core::remote_atomic(ec, arguments, symmetric, nullptr, nullptr);
  });
  if (status < 0) fail(call, ec, symmetric, status);
  return 0;
}

void slow_atomic_nbi(shmem_ctx_t ctx, const net::AtomicArguments& arguments, const void* symmetric,
                     void* fetch_out, int ec, const char* call) {
  (void)way_to(symmetric, ec, call);
  if (core::Pack* const pack = pack_of(ctx)) {
    if (is_packed(call, ec, symmetric,
                  [&] { return pack->atomic(ec, arguments, address_of(symmetric), fetch_out); }))
      return;
    settle_pack(*pack, call, ec);
  }
  core::charge(account_of(ctx));
  const uccs_status_t status = complete(call, [&](uccs_request_t*) {
    return core::remote_atomic(ec, arguments, symmetric, fetch_out, nullptr);
  });
  if (status < 0) fail(call, ec, symmetric, status);
}

void slow_put_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call) {
  const auto bytes = static_cast<ptrdiff_t>(element);
  auto* to = static_cast<std::byte*>(dest);
  auto* from = static_cast<const std::byte*>(source);
  for (size_t i = 0; i < blocks.blocks; ++i) {
    slow_put(ctx, to, from, blocks.block * element, ec, call);
    to += blocks.dest_stride * bytes;
    from += blocks.source_stride * bytes;
  }
}

void slow_get_blocks(shmem_ctx_t ctx, void* dest, const void* source, const Blocks& blocks,
                     size_t element, int ec, const char* call) {
  const auto bytes = static_cast<ptrdiff_t>(element);
  auto* to = static_cast<std::byte*>(dest);
  auto* from = static_cast<const std::byte*>(source);
  core::Pack* pack = pack_of(ctx);
  if (pack == nullptr && core::job_context()) pack = core::job_context()->pack.get();
  const size_t block = blocks.block * element;
  for (size_t i = 0; i < blocks.blocks && block > 0; ++i) {
    (void)way_to(from, ec, call);
    if (pack == nullptr ||
        !is_packed(call, ec, from, [&] { return pack->get(ec, address_of(from), to, block); }))
      slow_get(ctx, to, from, block, ec, call);
    to += blocks.dest_stride * bytes;
    from += blocks.source_stride * bytes;
  }
  if (pack != nullptr) settle_pack(*pack, call, ec);
}

void quiet_network() {
  if (core::Context* const context = core::job_context()) (void)uccs_context_flush(context);
}
void quiet_network(uint8_t account) {
  if (core::job_context()) (void)core::flush_account(account);
}

}  // namespace uccs::shmem
