// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>

namespace uccs::base {

using Digest = std::array<uint8_t, 32>;

/// SHA-256 (FIPS 180-4) of bytes that come in pieces.
class Sha256 {
 public:
  void add(const void* data, size_t bytes);
  /// Ends the message; the object is then spent.
  Digest finish();

 private:
  void take_block(const uint8_t* block);

  uint32_t state_[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  uint64_t bytes_ = 0;
  uint8_t block_[64] = {};
};

/// HMAC-SHA256 (RFC 2104) of one message.
Digest hmac(const void* key, size_t key_bytes, const void* data, size_t bytes);

/// Takes the same time wherever the first difference is.
bool is_equal(const Digest& a, const Digest& b);

}  // namespace uccs::base
