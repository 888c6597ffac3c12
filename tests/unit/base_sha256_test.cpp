// SPDX-License-Identifier: BSD-3-Clause
#include <gtest/gtest.h>

#include <string>

#include "base/sha256.hpp"

namespace {

using namespace uccs::base;

std::string hex(const Digest& digest) {
  std::string text;
  for (const uint8_t byte : digest) {
    char two[3];
    snprintf(two, sizeof two, "%02x", byte);
    text += two;
  }
  return text;
}

Digest sha256(const std::string& text, size_t piece) {
  Sha256 sum;
  for (size_t at = 0; at < text.size(); at += piece)
    sum.add(text.data() + at, std::min(piece, text.size() - at));
  return sum.finish();
}

TEST(Sha256, KnownAnswers) {  // FIPS 180-2, appendix B
  EXPECT_EQ(hex(Sha256().finish()),
            "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha256("abc", 3)),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 7)),
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
  const std::string million(1000000, 'a');
  for (const size_t piece : {size_t{1000000}, size_t{63}, size_t{64}, size_t{65}})
    EXPECT_EQ(hex(sha256(million, piece)),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, Hmac) {  // RFC 4231, cases 1, 2 and 6
  const std::string key(20, '\x0b');
  EXPECT_EQ(hex(hmac(key.data(), key.size(), "Hi There", 8)),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac("Jefe", 4, "what do ya want for nothing?", 28)),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  const std::string long_key(131, '\xaa');
  const std::string text = "Test Using Larger Than Block-Size Key - Hash Key First";
  EXPECT_EQ(hex(hmac(long_key.data(), long_key.size(), text.data(), text.size())),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Sha256, Comparison) {
  Digest a = sha256("abc", 3);
  Digest b = a;
  EXPECT_TRUE(is_equal(a, b));
  b[31] ^= 1;
  EXPECT_FALSE(is_equal(a, b));
}

}  // namespace
