// SPDX-License-Identifier: BSD-3-Clause
/// Receiving: from a message of core to the client's handler.
#include <string.h>

#include <array>
#include <cstddef>
#include <utility>

#include "base/log.hpp"
#include "core/dispatch.hpp"
#include "mem/copy.hpp"
#include "models/gasnet/message.hpp"

namespace uccs::gasnet {
namespace {

using Argument = gasnet_handlerarg_t;
using Function = void (*)();

struct Handler {
  Function function = nullptr;
  int index = 0;
};
Handler handlers[256];

/// Calls a handler whose prototype is `First...` and one argument for each index.
template <typename Indices, typename... First>
struct Caller;
template <size_t... i, typename... First>
struct Caller<std::index_sequence<i...>, First...> {
  template <size_t>
  using Each = Argument;
  static void call(Function function, const Argument* a, First... first) {
    (void)a;  // without arguments
    reinterpret_cast<void (*)(First..., Each<i>...)>(function)(first..., a[i]...);
  }
};

/// By number of arguments.
template <typename... First, size_t... n>
constexpr auto make_callers(std::index_sequence<n...>) {
  return std::array{&Caller<std::make_index_sequence<n>, First...>::call...};
}
constexpr auto kCounts = std::make_index_sequence<kMaxArguments + 1>{};
constexpr auto kShortCallers = make_callers<gasnet_token_t>(kCounts);
constexpr auto kPayloadCallers = make_callers<gasnet_token_t, void*, size_t>(kCounts);

Function function_of(const void* user, const uccs_am_t* message) {
  const auto* handler = static_cast<const Handler*>(user);
  if (!handler->function) [[unlikely]]
    base::fatal(
        "node %d sent an active message to handler %d, which is not in the table that this node "
        "gave to gasnet_attach",
        message->source, handler->index);
  return handler->function;
}

gasnet_token_t token_of(const uccs_am_t* message) { return const_cast<uccs_am_t*>(message); }

// Core keeps as many bytes at a header as the longest may have, so they are copied without a call.

void on_short(const uccs_am_t* message, void* user) {
  const Function function = function_of(user, message);
  Argument arguments[kMaxArguments];
  memcpy(arguments, message->header, UCCS_AM_SHORT_MAX);
  if (message->bytes > 0) [[unlikely]]
    memcpy(arguments + kHeaderArguments, message->payload, message->bytes);
  kShortCallers[(message->header_bytes + message->bytes) / 4](function, arguments,
                                                              token_of(message));
}

using PayloadCaller = void (*)(Function, const Argument*, gasnet_token_t, void*, size_t);

bool is_good_for_any_type(const void* payload) {
  return (reinterpret_cast<uintptr_t>(payload) & (alignof(std::max_align_t) - 1)) == 0;
}

[[gnu::noinline]] void call_with_copy(PayloadCaller call, Function function,
                                      const Argument* arguments, const uccs_am_t* message,
                                      const void* payload, size_t bytes) {
  alignas(std::max_align_t) std::byte aligned[UCCS_AM_MEDIUM_MAX];
  memcpy(aligned, payload, bytes);
  call(function, arguments, token_of(message), aligned, bytes);
}

/// With more arguments than a header holds.
[[gnu::noinline]] void on_extended(const uccs_am_t* message, Function function) {
  Head head;
  memcpy(&head, message->header, sizeof head);
  Prefix prefix;
  memcpy(&prefix, message->payload, sizeof prefix);
  Argument arguments[kMaxArguments];
  memcpy(arguments, head.arguments, sizeof head.arguments);
  memcpy(arguments + Head::kArguments, prefix.arguments, sizeof prefix.arguments);
  void* data = static_cast<std::byte*>(message->payload) + sizeof prefix;
  size_t bytes = message->bytes - sizeof prefix;
  if (head.form != Form::kMedium) {
    void* const place = reinterpret_cast<void*>(prefix.address);
    if (head.form == Form::kStore) mem::copy(place, data, bytes);
    data = place;
    bytes = prefix.bytes;
  } else if (!is_good_for_any_type(data)) {
    return call_with_copy(kPayloadCallers[head.count], function, arguments, message, data, bytes);
  }
  kPayloadCallers[head.count](function, arguments, token_of(message), data, bytes);
}

void on_payload(const uccs_am_t* message, void* user) {
  const Function function = function_of(user, message);
  if (message->header_bytes % 4 != 0) [[unlikely]]
    return on_extended(message, function);
  Argument arguments[kHeaderArguments];
  memcpy(arguments, message->header, sizeof arguments);
  const PayloadCaller call = kPayloadCallers[message->header_bytes / 4];
  // Handlers expect the payload of a medium message to be good for any type. One that came beside
  // the header or over a network is aligned to 8 bytes; a long one is where its sender wanted it.
  if (!is_good_for_any_type(message->payload) && !core::delivery_of(message).is_large) [[unlikely]]
    return call_with_copy(call, function, arguments, message, message->payload, message->bytes);
  call(function, arguments, token_of(message), message->payload, message->bytes);
}

/// The highest free index, so that what programs count up from 128 stays free.
int choose_index() {
  for (int index = 255; index >= kFirstHandler; --index)
    if (!handlers[index].function) return index;
  return 0;
}

int enter(gasnet_handlerentry_t* entry, int index) {
  if (index < kFirstHandler || handlers[index].function || !entry->fnptr)
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_attach",
                  index < kFirstHandler ? "handler index %d: those of clients are 128 to 255"
                  : !entry->fnptr       ? "handler %d has no function"
                                        : "handler index %d is in the table twice",
                  index);
  handlers[index].function = entry->fnptr;
  entry->index = static_cast<gasnet_handler_t>(index);
  return GASNET_OK;
}

}  // namespace

int register_handlers(uccs_context_t context, gasnet_handlerentry_t* table, int count) {
  int error = GASNET_OK;
  for (int i = 0; i < count && !error; ++i)
    if (table[i].index != 0) error = enter(&table[i], table[i].index);
  for (int i = 0; i < count && !error; ++i)
    if (table[i].index == 0) error = enter(&table[i], choose_index());
  if (error) return error;
  for (int index = kFirstHandler; index < 256; ++index) {
    handlers[index].index = index;
    const uccs_status_t is_short =
        uccs_am_register(context, short_id(index), on_short, UCCS_AM_USER, &handlers[index]);
    const uccs_status_t is_payload =
        uccs_am_register(context, payload_id(index), on_payload, UCCS_AM_USER, &handlers[index]);
    if (is_short || is_payload)
      return refuse(GASNET_ERR_RESOURCE, "gasnet_attach", "handlers cannot be registered");
  }
  return GASNET_OK;
}

}  // namespace uccs::gasnet

extern "C" int gasnet_AMGetMsgSource(gasnet_token_t token, gasnet_node_t* srcindex) {
  using namespace uccs::gasnet;
  if (!token || !srcindex)
    return refuse(GASNET_ERR_BAD_ARG, "gasnet_AMGetMsgSource", "a pointer is NULL");
  *srcindex = static_cast<gasnet_node_t>(static_cast<const uccs_am_t*>(token)->source);
  return GASNET_OK;
}
