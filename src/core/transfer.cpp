// SPDX-License-Identifier: BSD-3-Clause
/// Puts and gets through a link, in as many parts as it takes; over messages where the link cannot
/// reach the memory. The epilogue follows when all parts are complete.
#include "core/transfer.hpp"

#include <algorithm>

#include "core/burst.hpp"
#include "core/post.hpp"
#include "mem/copy.hpp"

namespace uccs::core {
namespace {

/// Fragments of one emulated transfer on their way: enough to keep the peer busy, few enough to
/// leave buffers for others.
constexpr uint32_t kEmulatedWindow = 4;

net::Channel* path_of(const Request* request) {
  return request->home->paths[request->endpoint->link_index];
}

int lane_at_target(const Request* request) { return lane_at(*request->endpoint, request->lane); }

uccs_status_t post_request(Request* request, Kind kind, const void* head, size_t head_bytes,
                           const net::Payload* payload) {
  const net::Envelope envelope =
      make_envelope(net::Traffic::kRequest, kind, lane_at_target(request), request->lane);
  return post_message(request->home, request->endpoint->link_index, request->endpoint->ec, envelope,
                      head, head_bytes, payload);
}

/// The next `bytes` of the run, over messages.
uccs_status_t post_emulated(Request* request, size_t bytes) {
  const Transfer& transfer = request->transfer;
  const WireAddress there =
      wire_address(transfer.remote.area, transfer.remote.offset + transfer.run.remote);
  const auto handle = hand_out(request);
  if (transfer.is_put) {
    const PutHead head = {there, handle};
    const net::Piece piece = {transfer.run.local, bytes};
    const net::Payload payload = {&piece, 1, bytes};
    return post_request(request, Kind::kPut, &head, sizeof head, &payload);
  }
  const GetHead head = {there, handle, reinterpret_cast<uint64_t>(transfer.run.local),
                        static_cast<uint32_t>(bytes)};
  return post_request(request, Kind::kGet, &head, sizeof head, nullptr);
}

net::Remote where_next(const Transfer& transfer) {
  return {transfer.remote.area, transfer.remote.offset + transfer.run.remote, transfer.remote.key};
}

/// How much of the run is posted at once.
size_t bytes_next(const Transfer& transfer) {
  if (transfer.is_emulated) return std::min<size_t>(transfer.run.bytes, UCCS_RMA_MEDIUM_MAX);
  return net::bytes_in_chunk(where_next(transfer), transfer.run.bytes);
}

uccs_status_t post_native(Request* request, size_t bytes) {
  const Transfer& transfer = request->transfer;
  const net::Remote there = where_next(transfer);
  const net::Transport* table = request->endpoint->link->table;
  const int ec = request->endpoint->ec;
  return transfer.is_put
             ? table->put(path_of(request), ec, there, transfer.run.local, bytes, request)
             : table->get(path_of(request), ec, there, transfer.run.local, bytes, request);
}

/// All at once, if it is one run that the network can follow by a signal. UCCS_ERR_UNSUPPORTED: not
/// so.
uccs_status_t post_with_signal(Request* request) {
  Transfer& transfer = request->transfer;
  const Epilogue& epilogue = transfer.epilogue;
  Walk rest = transfer.walk;
  Run more;
  if (!transfer.is_put || epilogue.kind != Epilogue::Kind::kSignal || epilogue.mapped_target ||
      transfer.is_emulated || transfer.run.bytes == 0 || rest.next(&more) ||
      request->outstanding.load(std::memory_order_relaxed) > 0)
    return UCCS_ERR_UNSUPPORTED;
  const net::Remote there = where_next(transfer);
  request->outstanding.fetch_add(1, std::memory_order_relaxed);
  const uccs_status_t status = request->endpoint->link->table->put_signal(
      path_of(request), request->endpoint->ec, there, transfer.run.local, transfer.run.bytes,
      {epilogue.target, epilogue.arguments}, request);
  if (status != UCCS_IN_PROGRESS) request->outstanding.fetch_sub(1, std::memory_order_relaxed);
  return status;
}

/// Posts parts until the walk ends or something is full. False: an error ended the walk.
bool post_parts(Request* request, Step* step) {
  Transfer& transfer = request->transfer;
  while (transfer.run.bytes > 0) {
    const bool is_emulated = transfer.is_emulated;
    if (is_emulated && request->outstanding.load(std::memory_order_relaxed) >= kEmulatedWindow)
      return true;
    const size_t bytes = bytes_next(transfer);
    // Counted before it is posted: the answer may come before the call returns.
    request->outstanding.fetch_add(1, std::memory_order_relaxed);
    const uccs_status_t status =
        is_emulated ? post_emulated(request, bytes) : post_native(request, bytes);
    const bool is_under_way = is_emulated ? status == UCCS_OK : status == UCCS_IN_PROGRESS;
    if (!is_under_way) request->outstanding.fetch_sub(1, std::memory_order_relaxed);
    if (status == UCCS_AGAIN) return true;
    if (status == UCCS_ERR_UNSUPPORTED && !is_emulated) {
      transfer.is_emulated = true;
      continue;
    }
    if (status < 0) {
      request->part_error.store(status, std::memory_order_relaxed);
      transfer.run.bytes = 0;
      return false;
    }
    *step = Step::kMoved;
    transfer.run.local += bytes;
    transfer.run.remote += bytes;
    transfer.run.bytes -= bytes;
    if (transfer.run.bytes == 0) transfer.walk.next(&transfer.run);
  }
  return true;
}

/// UCCS_OK when there is nothing left to do.
uccs_status_t post_epilogue(Request* request) {
  Epilogue& epilogue = request->transfer.epilogue;
  switch (epilogue.kind) {
    case Epilogue::Kind::kNone:
      return UCCS_OK;
    case Epilogue::Kind::kSignal:
      if (epilogue.mapped_target) {
        base::atomic_apply_any(epilogue.arguments.op, epilogue.arguments.type,
                               epilogue.mapped_target, epilogue.arguments.operand, 0);
        return UCCS_OK;
      }
      return post_atomic(request, epilogue.target, epilogue.arguments);
    case Epilogue::Kind::kMessage:
      return post_message(request->home, request->endpoint->link_index, request->endpoint->ec,
                          epilogue.envelope, epilogue.head, epilogue.head_bytes, nullptr);
  }
  return UCCS_ERR_INTERNAL;
}

Step advance_transfer(Request* request) {
  Step step = Step::kIdle;
  const uccs_status_t followed = post_with_signal(request);
  if (followed == UCCS_AGAIN) return step;
  if (followed == UCCS_IN_PROGRESS) {
    request->transfer.run.bytes = 0;
    request->transfer.epilogue.kind = Epilogue::Kind::kNone;
    return Step::kMoved;
  }
  (void)post_parts(request, &step);  // an error it finds, too
  // Acquire: pairs with part_done; what the parts wrote is there.
  if (request->transfer.run.bytes > 0 || request->outstanding.load(std::memory_order_acquire) > 0)
    return step;
  uccs_status_t status =
      static_cast<uccs_status_t>(request->part_error.load(std::memory_order_relaxed));
  if (status == UCCS_OK) status = post_epilogue(request);
  if (status == UCCS_AGAIN) return step;
  if (status == UCCS_IN_PROGRESS) {
    request->transfer.epilogue.kind = Epilogue::Kind::kNone;
    return Step::kMoved;
  }
  request->status = status;
  return Step::kOver;
}

/// Notes it, if it is of one run. UCCS_ERR_UNSUPPORTED: not one to be packed.
uccs_status_t note(Pack& packed, const Endpoint* endpoint, const Transfer& transfer) {
  Walk rest = transfer.walk;
  Run more;
  const Run& run = transfer.run;
  if (run.bytes == 0 || run.bytes > kBatchDataMax || rest.next(&more)) return UCCS_ERR_UNSUPPORTED;
  const WireAddress there = wire_address(transfer.remote.area, transfer.remote.offset + run.remote);
  const uccs_status_t status = transfer.is_put
                                   ? packed.put(endpoint->ec, there, run.local, run.bytes)
                                   : packed.get(endpoint->ec, there, run.local, run.bytes);
  return answer_packed(endpoint->context, status);
}

uccs_status_t start(Endpoint* endpoint, const Transfer& transfer, bool has_begun,
                    uccs_request_t* request_out) {
  Context* context = endpoint->context;
  ThreadSlot& thread = this_thread(context);
  if (!thread.channel->lock.try_lock()) return UCCS_AGAIN;
  Request* request = take_request(context, thread, endpoint, request_out == nullptr);
  if (!request) {
    thread.channel->lock.unlock();
    return UCCS_AGAIN;
  }
  request->transfer = transfer;
  request->advance = advance_transfer;
  return launch(request, has_begun, request_out);
}

/// Everything is posted, and nothing follows: an answer ends it, which rings by itself.
bool only_waits(const Request* request) {
  if (request->outstanding.load(std::memory_order_relaxed) == 0) return false;
  return request->advance != advance_transfer ||
         (request->transfer.run.bytes == 0 &&
          request->transfer.epilogue.kind == Epilogue::Kind::kNone);
}

}  // namespace

uccs_status_t launch(Request* request, bool has_begun, uccs_request_t* request_out) {
  base::SpinLock& lock = request->home->lock;
  const Step step = request->advance(request);
  const bool is_started =
      has_begun || step == Step::kMoved || request->outstanding.load(std::memory_order_relaxed) > 0;
  if (step != Step::kOver && is_started) {
    // Waking the progress thread for nothing would cost more than the operation.
    if (only_waits(request)) {
      list_locked(request);
    } else {
      activate_locked(request);
    }
    lock.unlock();
    return answer_started(request, request_out);
  }
  const uccs_status_t status = step == Step::kOver ? request->status : UCCS_AGAIN;
  drop_request(request);
  lock.unlock();
  return status == UCCS_OK ? answer_done(request_out) : status;
}

uccs_status_t start_transfer(Endpoint* endpoint, bool is_put, const Target& target,
                             const Walk& walk, bool leaves_source, const Epilogue* epilogue,
                             uccs_request_t* request_out) {
  Transfer transfer = {};
  transfer.is_put = is_put;
  transfer.remote = target.remote;
  transfer.walk = walk;
  if (!transfer.walk.next(&transfer.run)) transfer.run.bytes = 0;
  transfer.is_emulated =
      leaves_source && is_put && transfer.run.bytes > endpoint->link->limits.inject_max;
  if (Pack* const packed = epilogue || request_out ? nullptr : pack_for(endpoint->context)) {
    const uccs_status_t status = note(*packed, endpoint, transfer);
    if (status != UCCS_ERR_UNSUPPORTED) return status;
  }
  if (epilogue) transfer.epilogue = *epilogue;
  return start(endpoint, transfer, false, request_out);
}

uccs_status_t start_epilogue(Endpoint* endpoint, const Epilogue& epilogue,
                             uccs_request_t* request_out) {
  Transfer transfer = {};
  transfer.epilogue = epilogue;
  return start(endpoint, transfer, true, request_out);
}

}  // namespace uccs::core
