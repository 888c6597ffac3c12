// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/proof.hpp"

#include <errno.h>
#include <string.h>
#include <sys/random.h>

#include "base/log.hpp"
#include "rte/hub/sockets.hpp"

namespace uccs::rte::hub {
namespace {

base::Digest digest_of(const Secret& secret, const char* purpose, const Challenge& challenge,
                       const Proof& proof) {
  std::string text = purpose;
  text.append(reinterpret_cast<const char*>(challenge.nonce.data()), challenge.nonce.size());
  text.append(reinterpret_cast<const char*>(proof.nonce.data()), proof.nonce.size());
  text.append(reinterpret_cast<const char*>(&proof.number), sizeof proof.number);
  return base::hmac(secret.data(), secret.size(), text.data(), text.size());
}

}  // namespace

void fill_random(void* out, size_t bytes) {
  auto* p = static_cast<uint8_t*>(out);
  while (bytes > 0) {
    const ssize_t got = getrandom(p, bytes, 0);
    if (got < 0 && errno != EINTR) base::fatal("no random bytes to be had: %s", strerror(errno));
    if (got <= 0) continue;
    p += got;
    bytes -= static_cast<size_t>(got);
  }
}

Proof make_proof(const Secret& secret, const Challenge& challenge, uint32_t number) {
  Proof proof;
  fill_random(proof.nonce.data(), proof.nonce.size());
  proof.number = number;
  proof.digest = digest_of(secret, "client", challenge, proof);
  return proof;
}

bool is_proof(const Secret& secret, const Challenge& challenge, const Proof& proof) {
  return base::is_equal(proof.digest, digest_of(secret, "client", challenge, proof));
}

base::Digest make_answer(const Secret& secret, const Challenge& challenge, const Proof& proof) {
  return digest_of(secret, "server", challenge, proof);
}

bool prove(int fd, const Secret& secret, uint32_t number, uint64_t deadline_ns) {
  Challenge challenge;
  if (!read_exact(fd, &challenge, sizeof challenge, deadline_ns)) return false;
  errno = EPROTO;
  if (memcmp(challenge.service, kService, sizeof kService) != 0) return false;
  const Proof proof = make_proof(secret, challenge, number);
  base::Digest answer;
  if (!write_exact(fd, &proof, sizeof proof, deadline_ns) ||
      !read_exact(fd, answer.data(), answer.size(), deadline_ns))
    return false;
  errno = EPROTO;
  return base::is_equal(answer, make_answer(secret, challenge, proof));
}

std::string secret_name(const Secret& secret, const std::string& purpose) {
  const base::Digest digest =
      base::hmac(secret.data(), secret.size(), purpose.data(), purpose.size());
  return "uccs-" + to_hex(digest.data(), 16);
}

std::string to_hex(const uint8_t* bytes, size_t count) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

bool from_hex(const std::string& text, uint8_t* bytes_out, size_t count) {
  if (text.size() != 2 * count) return false;
  const auto digit = [](char c) {
    if (c >= '0' && c <= '9') return c - '0';
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
  };
  for (size_t i = 0; i < count; ++i) {
    const int high = digit(text[2 * i]), low = digit(text[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    bytes_out[i] = static_cast<uint8_t>(high << 4 | low);
  }
  return true;
}

}  // namespace uccs::rte::hub
