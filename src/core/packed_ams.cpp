// SPDX-License-Identifier: BSD-3-Clause
/// The target's side of active messages that came together.
#include "base/log.hpp"
#include "core/dispatch.hpp"
#include "core/pack_records.hpp"

namespace uccs::core {
namespace {

/// One message of those; `next` takes it off. False: there is none, or the rest is none.
struct PackedAm {
  int id;
  uint32_t bytes;
  const std::byte* data;
};
bool next(const std::byte** at, uint32_t* left, PackedAm* am_out) {
  uint64_t word;
  if (*left < sizeof word) return false;
  memcpy(&word, *at, sizeof word);
  am_out->id = static_cast<int>(word & 255);
  am_out->bytes = static_cast<uint32_t>(word >> 52);
  am_out->data = *at + sizeof word;
  const size_t length = sizeof word + padded_to_word(am_out->bytes);
  if (length > *left || am_out->bytes > UCCS_AM_SHORT_MAX) return false;
  *at += length;
  *left -= static_cast<uint32_t>(length);
  return true;
}

}  // namespace

bool has_user_ams(const Context* context, const net::Arrival& arrival) {
  const std::byte* at = arrival.payload;
  uint32_t left = arrival.payload_bytes;
  for (PackedAm am; next(&at, &left, &am);)
    if (context->handlers[am.id].am_class.load(std::memory_order_relaxed) == UCCS_AM_USER)
      return true;
  return false;
}

void on_packed_ams(Context* context, ThreadSlot& thread, const Kept& kept) {
  const std::byte* at = kept.arrival.payload;
  uint32_t left = kept.arrival.payload_bytes;
  Kept one = kept;
  one.arrival.payload = nullptr;
  one.arrival.payload_bytes = 0;
  one.arrival.token = nullptr;
  const net::Envelope& outer = kept.arrival.envelope;
  for (PackedAm am; next(&at, &left, &am);) {
    const net::Envelope inner =
        make_envelope(net::Traffic::kRequest, Kind::kAmShort, 0, outer.source_lane(), am.id);
    one.arrival.envelope =
        net::Envelope::arrived(inner.carried(), net::Traffic::kRequest, outer.lane());
    // Copied, because more than its bytes may be read.
    memcpy(one.bytes, am.data, am.bytes);
    one.arrival.head = one.bytes;
    one.arrival.head_bytes = am.bytes;
    run_callback(context, thread, one);
  }
  if (left > 0)
    base::fatal("packed messages from EC %d do not add up: do all ECs run one version of UCCS?",
                kept.arrival.source);
  release_payload(context, kept);
}

}  // namespace uccs::core
