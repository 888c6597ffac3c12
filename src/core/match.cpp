// SPDX-License-Identifier: BSD-3-Clause
#include "core/match.hpp"

#include <algorithm>
#include <cstring>

#include "core/dispatch.hpp"

namespace uccs::core {
namespace {

bool matches(int wanted_source, uint64_t wanted_tag, uint64_t mask, int source, uint64_t tag) {
  return (wanted_source == UCCS_EC_ANY || wanted_source == source) &&
         ((tag ^ wanted_tag) & mask) == 0;
}

bool matches(const Receive& receive, int source, uint64_t tag) {
  return matches(receive.source, receive.tag, receive.mask, source, tag);
}

/// Holds the lock of a matcher.
class Guard {
 public:
  explicit Guard(base::SpinLock& lock) : lock_(lock) { lock_.lock(); }
  ~Guard() { lock_.unlock(); }
  Guard(const Guard&) = delete;
  Guard& operator=(const Guard&) = delete;

 private:
  base::SpinLock& lock_;
};

}  // namespace

MessageTraits traits_of(const net::Arrival& arrival) {
  if (kind_of(arrival) == Kind::kRendezvous) {
    const auto offer = head_of<RendezvousHead>(arrival);
    return {offer.tag, offer.bytes};
  }
  const uint64_t tag = head_of<EagerHead>(arrival).tag;
  return {tag, arrival.payload ? arrival.payload_bytes : arrival.head_bytes - sizeof(EagerHead)};
}

bool Matcher::reserve() {
  if (!is_reserved_) is_reserved_ = pool_.reserve(kMaxUnexpected);
  return is_reserved_;
}

Request* Matcher::arrive(const net::Arrival& arrival, int link, bool* is_kept_out) {
  *is_kept_out = false;
  const uint64_t tag = traits_of(arrival).tag;
  const Guard guard(lock_);
  for (Request* r = receives_.first(); r; r = receives_.after(r)) {
    if (!matches(r->receive, arrival.source, tag)) continue;
    receives_.remove(r);
    return r;
  }
  Unexpected* message = reserve() ? pool_.take() : nullptr;
  if (!message) return nullptr;
  message->kept.keep(arrival, link, nullptr);
  messages_.append(message);
  *is_kept_out = true;
  return nullptr;
}

Unexpected* Matcher::post(Request* request) {
  const Guard guard(lock_);
  for (Unexpected* m = messages_.first(); m; m = messages_.after(m)) {
    if (!matches(request->receive, m->kept.arrival.source, traits_of(m->kept.arrival).tag))
      continue;
    messages_.remove(m);
    return m;
  }
  receives_.append(request);
  return nullptr;
}

void Matcher::release(Unexpected* message) { pool_.give_back(message); }

bool Matcher::cancel(Request* request) {
  const Guard guard(lock_);
  for (Request* r = receives_.first(); r; r = receives_.after(r)) {
    if (r != request) continue;
    receives_.remove(r);
    return true;
  }
  return false;
}

bool Matcher::find(int source, uint64_t tag, uint64_t mask, uccs_message_info_t* info_out) {
  const Guard guard(lock_);
  for (Unexpected* m = messages_.first(); m; m = messages_.after(m)) {
    const MessageTraits traits = traits_of(m->kept.arrival);
    if (!matches(source, tag, mask, m->kept.arrival.source, traits.tag)) continue;
    if (info_out) *info_out = {m->kept.arrival.source, traits.tag, traits.bytes};
    return true;
  }
  return false;
}

Unexpected* Matcher::take_any() {
  const Guard guard(lock_);
  Unexpected* first = messages_.first();
  if (first) messages_.remove(first);
  return first;
}

uccs_status_t deliver_eager(Context* context, const Receive& receive, const net::Arrival& arrival,
                            int link) {
  const MessageTraits traits = traits_of(arrival);
  const std::byte* data = arrival.payload ? arrival.payload : arrival.head + sizeof(EagerHead);
  const size_t taken = std::min(traits.bytes, receive.capacity);
  if (taken > 0) memcpy(receive.dest, data, taken);
  if (receive.info) *receive.info = {arrival.source, traits.tag, traits.bytes};
  context->links[link].release(arrival);
  return traits.bytes > receive.capacity ? UCCS_ERR_TRUNCATED : UCCS_OK;
}

}  // namespace uccs::core
