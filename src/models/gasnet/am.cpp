// SPDX-License-Identifier: BSD-3-Clause
/// Sending active messages: requests and replies. message.hpp says what they look like.
#include <string.h>

#include <cstddef>

#include "base/log.hpp"
#include "core/dispatch.hpp"
#include "core/thread.hpp"
#include "models/gasnet/message.hpp"
#include "models/gasnet/remote.hpp"
#include "models/gasnet/waiting.hpp"

namespace uccs::gasnet {
namespace {

using Argument = gasnet_handlerarg_t;

/// How often a thread that only sends looks for messages.
constexpr uint32_t kPollEvery = 16;
thread_local constinit uint32_t requests_sent [[gnu::tls_model("initial-exec")]] = 0;

/// Where a message goes: a request to an endpoint, or a reply to a request. One interface for both,
/// so that the forms below are written once.
struct Request {
  const char* call;
  int node;
  uccs_endpoint_t endpoint() const { return attached.endpoints[node]; }

  uccs_status_t send_short(int id, const void* data, size_t bytes) const {
    return post([&] { return uccs_am_short_nb(endpoint(), id, data, bytes, nullptr); });
  }
  uccs_status_t send_medium(int id, const void* header, size_t header_bytes, const void* payload,
                            size_t bytes) const {
    return post([&] {
      return uccs_am_medium_nb(endpoint(), id, header, header_bytes, payload, bytes, nullptr);
    });
  }
  uccs_status_t send_large(int id, const void* header, size_t header_bytes, const Remote& dest,
                           const void* payload, size_t bytes) const {
    uccs_request_t request = UCCS_REQUEST_NULL;
    const uccs_status_t status = post([&] {
      return uccs_am_large_nb(endpoint(), id, header, header_bytes, dest.region, dest.address,
                              payload, bytes, &request);
    });
    return status == UCCS_IN_PROGRESS ? uccs_wait(&request) : status;
  }

 private:
  template <typename Post>
  uccs_status_t post(Post post_once) const {
    uccs_status_t status = post_once();
    if (status == UCCS_AGAIN) [[unlikely]] {
      Waiting waiting(call);
      do {
        waiting.pause();
        status = post_once();
      } while (status == UCCS_AGAIN);
      waiting.end();
    } else if (++requests_sent % kPollEvery == 0) {
      poll();
    }
    return status;
  }
};

struct Reply {
  const char* call;
  const uccs_am_t* message;

  uccs_status_t send_short(int id, const void* data, size_t bytes) const {
    return uccs_am_reply_short(message, id, data, bytes);
  }
  uccs_status_t send_medium(int id, const void* header, size_t header_bytes, const void* payload,
                            size_t bytes) const {
    return uccs_am_reply_medium(message, id, header, header_bytes, payload, bytes);
  }
  uccs_status_t send_large(int id, const void* header, size_t header_bytes, const Remote& dest,
                           const void* payload, size_t bytes) const {
    return uccs_am_reply_large(message, id, header, header_bytes, dest.region, dest.address,
                               payload, bytes);
  }
};

size_t size_of(int arguments) { return static_cast<size_t>(arguments) * sizeof(Argument); }

template <typename Target>
uccs_status_t send_short(const Target& to, int handler, const Argument* arguments, int count) {
  if (count <= kShortArguments) [[likely]]
    return to.send_short(short_id(handler), arguments, size_of(count));
  return to.send_medium(short_id(handler), arguments, size_of(kHeaderArguments),
                        arguments + kHeaderArguments, size_of(count - kHeaderArguments));
}

/// `payload` follows the prefix unless it has been placed.
template <typename Target>
[[gnu::noinline]] uccs_status_t send_extended(const Target& to, int handler, Form form,
                                              const void* payload, size_t bytes, void* dest_addr,
                                              const Argument* arguments, int count) {
  Head head = {};
  head.count = static_cast<uint8_t>(count);
  head.form = form;
  Argument all[kMaxArguments] = {};
  memcpy(all, arguments, size_of(count));
  memcpy(head.arguments, all, sizeof head.arguments);
  Prefix prefix = {};
  memcpy(prefix.arguments, all + Head::kArguments, sizeof prefix.arguments);
  prefix.address = reinterpret_cast<uint64_t>(dest_addr);
  prefix.bytes = bytes;
  std::byte packed[UCCS_AM_MEDIUM_MAX];
  memcpy(packed, &prefix, sizeof prefix);
  const size_t carried = form == Form::kLong ? 0 : bytes;
  if (carried > 0) memcpy(packed + sizeof prefix, payload, carried);
  return to.send_medium(payload_id(handler), &head, sizeof head, packed, sizeof prefix + carried);
}

template <typename Target>
uccs_status_t send_medium(const Target& to, int handler, const void* payload, size_t bytes,
                          const Argument* arguments, int count) {
  if (count <= kHeaderArguments) [[likely]]
    return to.send_medium(payload_id(handler), arguments, size_of(count), payload, bytes);
  return send_extended(to, handler, Form::kMedium, payload, bytes, nullptr, arguments, count);
}

/// What a core call answers for `status`; says why when it is no success.
int answer(const char* call, uccs_status_t status) {
  if (status == UCCS_OK) [[likely]]
    return GASNET_OK;
  if (status == UCCS_ERR_STATE)
    return refuse(GASNET_ERR_BAD_ARG, call,
                  "only a request handler may reply, once; nothing else may be called in handlers");
  return refuse(status == UCCS_ERR_INVALID || status == UCCS_ERR_ADDRESS ? GASNET_ERR_BAD_ARG
                                                                         : GASNET_ERR_RESOURCE,
                call, "%s", uccs_status_string(status));
}

[[gnu::cold, gnu::noinline]] int refuse_message(const char* call, uint32_t node, int handler,
                                                size_t bytes, size_t most, bool has_target = true) {
  if (attached.map.nodes == 0) return refuse_unattached(call);
  if (!has_target) return refuse(GASNET_ERR_BAD_ARG, call, "the token is NULL");
  if (node >= attached.map.nodes)
    return refuse(GASNET_ERR_BAD_ARG, call, "there is no node %u: nodes are numbered 0 to %u", node,
                  attached.map.nodes - 1);
  if (handler < kFirstHandler)
    return refuse(GASNET_ERR_BAD_ARG, call, "handler index %d: those of clients are 128 to 255",
                  handler);
  return refuse(GASNET_ERR_BAD_ARG, call, "a payload of %zu bytes: %zu is the most", bytes, most);
}

bool is_sound(uint32_t node, int handler) {
  return node < attached.map.nodes && handler >= kFirstHandler;
}

/// Requests are made outside of handlers only.
bool is_in_handler() { return core::this_thread(attached.context).callbacks > 0; }

}  // namespace
}  // namespace uccs::gasnet

using namespace uccs;
using namespace uccs::gasnet;

extern "C" {

int uccs_gasnet_request_short(gasnet_node_t dest, gasnet_handler_t handler,
                              const gasnet_handlerarg_t* arguments, int count) {
  static constexpr char kCall[] = "gasnet_AMRequestShort";
  if (!is_sound(dest, handler)) return refuse_message(kCall, dest, handler, 0, 0);
  if (is_in_handler()) return answer(kCall, UCCS_ERR_STATE);
  const Request to = {kCall, static_cast<int>(dest)};
  return answer(kCall, send_short(to, handler, arguments, count));
}

int uccs_gasnet_request_medium(gasnet_node_t dest, gasnet_handler_t handler, const void* source,
                               size_t nbytes, const gasnet_handlerarg_t* arguments, int count) {
  static constexpr char kCall[] = "gasnet_AMRequestMedium";
  if (!is_sound(dest, handler) || nbytes > gasnet_AMMaxMedium())
    return refuse_message(kCall, dest, handler, nbytes, gasnet_AMMaxMedium());
  if (is_in_handler()) return answer(kCall, UCCS_ERR_STATE);
  const Request to = {kCall, static_cast<int>(dest)};
  return answer(kCall, send_medium(to, handler, source, nbytes, arguments, count));
}

int uccs_gasnet_request_long(gasnet_node_t dest, gasnet_handler_t handler, const void* source,
                             size_t nbytes, void* dest_addr, const gasnet_handlerarg_t* arguments,
                             int count) {
  static constexpr char kCall[] = "gasnet_AMRequestLong";
  if (!is_sound(dest, handler) || nbytes > gasnet_AMMaxLongRequest())
    return refuse_message(kCall, dest, handler, nbytes, gasnet_AMMaxLongRequest());
  if (is_in_handler()) return answer(kCall, UCCS_ERR_STATE);
  const Request to = {kCall, static_cast<int>(dest)};
  if (nbytes == 0)  // any address will do, and none is looked at
    return answer(kCall, send_medium(to, handler, nullptr, 0, arguments, count));
  Remote remote;
  if (!find_remote(to.node, dest_addr, nbytes, &remote))
    return refuse_address(kCall, to.node, dest_addr, nbytes);
  if (count <= kHeaderArguments)
    return answer(kCall, to.send_large(payload_id(handler), arguments, size_of(count), remote,
                                       source, nbytes));
  put_and_wait(kCall, to.node, remote, source, nbytes);
  return answer(
      kCall, send_extended(to, handler, Form::kLong, nullptr, nbytes, dest_addr, arguments, count));
}

int uccs_gasnet_reply_short(gasnet_token_t token, gasnet_handler_t handler,
                            const gasnet_handlerarg_t* arguments, int count) {
  static constexpr char kCall[] = "gasnet_AMReplyShort";
  if (!token || handler < kFirstHandler) return refuse_message(kCall, 0, handler, 0, 0, token);
  const Reply to = {kCall, static_cast<const uccs_am_t*>(token)};
  return answer(kCall, send_short(to, handler, arguments, count));
}

int uccs_gasnet_reply_medium(gasnet_token_t token, gasnet_handler_t handler, const void* source,
                             size_t nbytes, const gasnet_handlerarg_t* arguments, int count) {
  static constexpr char kCall[] = "gasnet_AMReplyMedium";
  if (!token || handler < kFirstHandler || nbytes > gasnet_AMMaxMedium())
    return refuse_message(kCall, 0, handler, nbytes, gasnet_AMMaxMedium(), token);
  const Reply to = {kCall, static_cast<const uccs_am_t*>(token)};
  return answer(kCall, send_medium(to, handler, source, nbytes, arguments, count));
}

int uccs_gasnet_reply_long(gasnet_token_t token, gasnet_handler_t handler, const void* source,
                           size_t nbytes, void* dest_addr, const gasnet_handlerarg_t* arguments,
                           int count) {
  static constexpr char kCall[] = "gasnet_AMReplyLong";
  const size_t most = attached.is_everything ? gasnet_AMMaxMedium() : gasnet_AMMaxLongRequest();
  if (!token || handler < kFirstHandler || nbytes > most)
    return refuse_message(kCall, 0, handler, nbytes, most, token);
  const Reply to = {kCall, static_cast<const uccs_am_t*>(token)};
  if (nbytes == 0) return answer(kCall, send_medium(to, handler, nullptr, 0, arguments, count));
  const int node = to.message->source;
  Remote remote;
  if (!find_remote(node, dest_addr, nbytes, &remote))
    return refuse_address(kCall, node, dest_addr, nbytes);
  if (attached.is_everything)  // a reply may not wait, so what is not mapped travels with it
    return answer(kCall, send_extended(to, handler, Form::kStore, source, nbytes, dest_addr,
                                       arguments, count));
  if (count <= kHeaderArguments)
    return answer(kCall, to.send_large(payload_id(handler), arguments, size_of(count), remote,
                                       source, nbytes));
  const uccs_status_t placed = core::put_before_reply(to.message, remote.address, source, nbytes);
  if (placed != UCCS_OK) return answer(kCall, placed);
  return answer(
      kCall, send_extended(to, handler, Form::kLong, nullptr, nbytes, dest_addr, arguments, count));
}

}  // extern "C"
