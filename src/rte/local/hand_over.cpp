// SPDX-License-Identifier: BSD-3-Clause
#include <limits.h>

#include "rte/local/wire.hpp"

namespace uccs::rte::local {
namespace {

/// Decimal digits up to `end`, no sign, no blank, no superfluous zero; moves `text` past `end`.
bool read_number(const char** text, char end, int max, int* out) {
  const char* p = *text;
  if (*p == '0' && p[1] != end) return false;
  long value = 0;
  int digits = 0;
  for (; *p >= '0' && *p <= '9'; ++p, ++digits) {
    value = value * 10 + (*p - '0');
    if (value > max) return false;
  }
  if (digits == 0 || *p != end) return false;
  *text = p + 1;
  *out = static_cast<int>(value);
  return true;
}

bool read_hex(const char* text, uint64_t* out) {
  uint64_t value = 0;
  int digits = 0;
  for (; *text != '\0'; ++text, ++digits) {
    const bool is_letter = *text >= 'a' && *text <= 'f';
    if (!is_letter && (*text < '0' || *text > '9')) return false;
    value = value << 4 | static_cast<uint64_t>(is_letter ? *text - 'a' + 10 : *text - '0');
  }
  if (digits != 16) return false;
  *out = value;
  return true;
}

}  // namespace

bool parse_hand_over(const char* text, HandOver* out) {
  HandOver read;
  int version;
  if (!read_number(&text, ':', INT_MAX, &version) || version != kHandOverVersion) return false;
  if (!read_number(&text, ':', kEcsMax - 1, &read.ec)) return false;
  if (!read_number(&text, ':', kEcsMax, &read.num_ecs) || read.ec >= read.num_ecs) return false;
  for (int* fd : {&read.segment_fd, &read.board_fd, &read.control_fd, &read.lifeline_fd})
    if (!read_number(&text, ':', INT_MAX, fd)) return false;
  if (!read_hex(text, &read.job_id)) return false;
  *out = read;
  return true;
}

}  // namespace uccs::rte::local
