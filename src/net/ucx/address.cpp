// SPDX-License-Identifier: BSD-3-Clause
#include "net/ucx/address.hpp"

#include <string.h>

#include <new>

namespace uccs::net::ucx {

void AddressWriter::raw(const void* bytes, size_t length) {
  if (is_full_ || length > capacity_ - used_) {
    is_full_ = true;
    return;
  }
  if (length > 0) memcpy(start_ + used_, bytes, length);
  used_ += length;
}

void AddressWriter::head(const AddressHead& head) { raw(&head, sizeof head); }

void AddressWriter::field(const void* bytes, size_t length) {
  const auto prefix = static_cast<uint16_t>(length);
  if (prefix != length) is_full_ = true;
  raw(&prefix, sizeof prefix);
  raw(bytes, length);
}

bool PeerAddress::read(const std::byte* bytes, size_t length) {
  AddressHead head;
  if (length < sizeof head) return false;
  memcpy(&head, bytes, sizeof head);
  if (head.magic != kMagic || head.workers < 1 || head.workers > kWorkersMax ||
      head.lanes < head.workers)
    return false;
  size_t at = sizeof head;
  for (uint32_t i = 0; i < 2u + head.workers; ++i) {
    uint16_t field;
    if (length - at < sizeof field) return false;
    memcpy(&field, bytes + at, sizeof field);
    at += sizeof field;
    if (length - at < field) return false;
    at += field;
  }
  if (at != length) return false;
  bytes_.reset(new (std::nothrow) std::byte[length]);
  if (!bytes_) return false;
  memcpy(bytes_.get(), bytes, length);
  head_ = head;
  return true;
}

Field PeerAddress::find(int index) const {
  const std::byte* at = bytes_.get() + sizeof(AddressHead);
  for (int i = 0;; ++i) {
    uint16_t length;
    memcpy(&length, at, sizeof length);
    at += sizeof length;
    if (i == index) return {at, length};
    at += length;
  }
}

}  // namespace uccs::net::ucx
