// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "models/gasnet/job.hpp"

/// What GASNet's messages look like in active messages of core.
///
/// A client's handler h (128..255) is core's handler h for short messages, and h - 128 for messages
/// with a payload, as the two kinds have different prototypes. The usual forms are
///
///     short, up to 14 arguments     short:  head: the arguments
///     medium, up to 10              medium: header: the arguments; payload: the payload
///     long, up to 10                large:  header: the arguments
///
/// so the number of arguments follows from the length. What does not fit is sent as
///
///     short, 15 and 16 arguments    medium: header: 10 arguments; payload: the others
///     medium and long, 11 to 16     medium: header: Head; payload: Prefix, then the payload of a
///                                   medium one; that of a long one has been put before
///
/// and a long reply that only the receiver can store, as the last with the payload behind Prefix.
namespace uccs::gasnet {

constexpr int kFirstHandler = 128;
constexpr int kMaxArguments = 16;
constexpr int kShortArguments = UCCS_AM_SHORT_MAX / 4;
constexpr int kHeaderArguments = UCCS_AM_HEADER_MAX / 4;

constexpr int short_id(int handler) { return handler; }
constexpr int payload_id(int handler) { return handler - kFirstHandler; }

enum class Form : uint8_t { kMedium, kLong, kStore };

/// Header of an extended message. Its length is no multiple of 4, which tells it from arguments.
struct [[gnu::packed]] Head {
  static constexpr int kArguments = 9;
  gasnet_handlerarg_t arguments[kArguments];
  uint8_t count;
  Form form;
};
static_assert(sizeof(Head) == 38 && sizeof(Head) <= UCCS_AM_HEADER_MAX && sizeof(Head) % 4 != 0);

/// Before the payload of an extended message; keeps its alignment.
struct Prefix {
  gasnet_handlerarg_t arguments[kMaxArguments - Head::kArguments];  ///< the others
  uint64_t address;  ///< kLong and kStore: where the payload lies or goes
  uint64_t bytes;    ///< of it
  uint64_t unused[2];
};
static_assert(sizeof(Prefix) == 64);

/// Header of a medium or large message without extension.
static_assert(gasnet_AMMaxMedium() + sizeof(Prefix) <= UCCS_AM_MEDIUM_MAX);

}  // namespace uccs::gasnet
