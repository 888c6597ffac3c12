// SPDX-License-Identifier: BSD-3-Clause
/// The address that is published: what connecting at first use takes, and no more.
#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>

#include "net/transport.hpp"

namespace uccs::net::ucx {

/// At the start of an address. Then come, each as a 16-bit length and the bytes: the key of the
/// heap, the key of the globals, and the addresses of `workers` workers.
struct AddressHead {
  uint64_t magic;
  uint64_t cookie;
  uint64_t heap_base, heap_bytes;
  uint64_t static_base, static_bytes;
  uint32_t lanes;
  uint16_t workers;
  uint16_t ucx;  ///< version of the library: 256 * major + minor
};
constexpr uint64_t kMagic = 0x3158435553434355;  // "UCCSUCX1"
constexpr int kWorkersMax = 64;
constexpr size_t kAddressMax = 16 * 1024;

/// Bytes of an address, in the address that they were published in.
struct Field {
  const std::byte* bytes = nullptr;
  size_t length = 0;
};

/// Writes an address field by field.
class AddressWriter {
 public:
  AddressWriter(void* buffer, size_t capacity)
      : start_(static_cast<std::byte*>(buffer)), capacity_(capacity) {}
  void head(const AddressHead& head);
  void field(const void* bytes, size_t length);
  size_t length() const { return is_full_ ? 0 : used_; }  ///< 0: it did not fit

 private:
  void raw(const void* bytes, size_t length);
  std::byte* start_;
  size_t capacity_;
  size_t used_ = 0;
  bool is_full_ = false;
};

/// An address as another EC has published it. Keeps a copy of the bytes.
class PeerAddress {
 public:
  /// False: the bytes are no address.
  bool read(const std::byte* bytes, size_t length);
  const AddressHead& head() const { return head_; }
  Field key(Area area) const { return find(area == Area::kHeap ? 0 : 1); }
  Field worker(int index) const { return find(2 + index); }

 private:
  Field find(int index) const;
  AddressHead head_ = {};
  std::unique_ptr<std::byte[]> bytes_;
};

}  // namespace uccs::net::ucx
