// SPDX-License-Identifier: BSD-3-Clause
/// How two processes of a job prove to each other that they know its secret, before a byte of what
/// the other sends is looked at. Nothing of the secret travels.
///
///     server -> client   Challenge: who serves here, a nonce
///     client -> server   Proof: a nonce, the client's number, HMAC over both nonces and the number
///     server -> client   HMAC over both nonces: it is no impostor either
#pragma once
#include <array>
#include <cstdint>
#include <string>

#include "base/sha256.hpp"

namespace uccs::rte::hub {

using Secret = std::array<uint8_t, 32>;
using Nonce = std::array<uint8_t, 16>;

struct Challenge {
  char service[8];  ///< kService
  Nonce nonce;
};
struct Proof {
  Nonce nonce;
  uint32_t number;  ///< rank or EC of the client, in its byte order
  base::Digest digest;
};
static_assert(sizeof(Challenge) == 24 && sizeof(Proof) == 52);

constexpr char kService[8] = {'U', 'C', 'C', 'S', 'H', 'U', 'B', '1'};

/// Random bytes; ends the process when the system has none.
void fill_random(void* out, size_t bytes);

Proof make_proof(const Secret& secret, const Challenge& challenge, uint32_t number);
bool is_proof(const Secret& secret, const Challenge& challenge, const Proof& proof);
base::Digest make_answer(const Secret& secret, const Challenge& challenge, const Proof& proof);

/// The client's side over a connected socket. False with errno; EPROTO: the other is no process of
/// this job.
bool prove(int fd, const Secret& secret, uint32_t number, uint64_t deadline_ns);

/// A name that only processes of the job can tell, for a local socket.
std::string secret_name(const Secret& secret, const std::string& purpose);

std::string to_hex(const uint8_t* bytes, size_t count);
/// False unless `text` is exactly 2 * count hexadecimal digits.
bool from_hex(const std::string& text, uint8_t* bytes_out, size_t count);

}  // namespace uccs::rte::hub
