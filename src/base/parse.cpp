// SPDX-License-Identifier: BSD-3-Clause
/// Decimal numbers with units, in exact arithmetic: a double would turn 3.1M into one byte more or
/// less, depending on the rounding mode.
#include <string.h>

#include "base/config.hpp"

namespace uccs::base {
namespace {

constexpr uint64_t kFractionOne = 1000000000000000000u;

struct Decimal {
  uint64_t whole = 0;
  uint64_t fraction = 0;    // in units of 1 / kFractionOne
  bool is_inexact = false;  // non-zero digits beyond its 18 digits
};

bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Reads digits with at most one point; at least one digit. `text` moves past them.
bool read_decimal(const char** text, Decimal* out) {
  const char* p = *text;
  Decimal value;
  int digits = 0;
  for (; is_digit(*p); ++p, ++digits) {
    if (__builtin_mul_overflow(value.whole, 10u, &value.whole) ||
        __builtin_add_overflow(value.whole, static_cast<uint64_t>(*p - '0'), &value.whole))
      return false;
  }
  if (*p == '.') {
    uint64_t unit = kFractionOne / 10;
    for (++p; is_digit(*p); ++p, ++digits) {
      value.fraction += unit * static_cast<uint64_t>(*p - '0');
      if (unit == 0 && *p != '0') value.is_inexact = true;
      unit /= 10;
    }
  }
  if (digits == 0) return false;
  *text = p;
  *out = value;
  return true;
}

/// `value * factor`, rounded up; false when it does not fit.
bool scale(const Decimal& value, uint64_t factor, uint64_t* out) {
  __extension__ using Wide = unsigned __int128;
  const Wide fraction = static_cast<Wide>(value.fraction) * factor;
  const bool round_up = fraction % kFractionOne != 0 || value.is_inexact;
  const Wide total =
      static_cast<Wide>(value.whole) * factor + fraction / kFractionOne + (round_up ? 1 : 0);
  if (total > UINT64_MAX) return false;
  *out = static_cast<uint64_t>(total);
  return true;
}

struct Unit {
  const char* name;
  uint64_t ns;
};
constexpr Unit kUnits[] = {{"ns", 1},         {"us", 1000},       {"ms", 1000000},
                           {"s", 1000000000}, {"m", 60000000000}, {"h", 3600000000000}};

}  // namespace

bool parse_size(const char* text, uint64_t* bytes_out) {
  Decimal value;
  if (!read_decimal(&text, &value)) return false;
  switch (*text) {
    case '\0':
      return scale(value, 1, bytes_out);
    case 'k':
    case 'K':
      return scale(value, uint64_t{1} << 10, bytes_out);
    case 'm':
    case 'M':
      return scale(value, uint64_t{1} << 20, bytes_out);
    case 'g':
    case 'G':
      return scale(value, uint64_t{1} << 30, bytes_out);
    case 't':
    case 'T':
      return scale(value, uint64_t{1} << 40, bytes_out);
    default:
      return false;
  }
}

bool parse_duration(const char* text, const char* default_unit, uint64_t* ns_out) {
  Decimal value;
  if (!read_decimal(&text, &value)) return false;
  if (*text == '\0') text = default_unit;
  for (const Unit& unit : kUnits)
    if (strcmp(text, unit.name) == 0) return scale(value, unit.ns, ns_out);
  return false;
}

}  // namespace uccs::base
