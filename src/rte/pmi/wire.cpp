// SPDX-License-Identifier: BSD-3-Clause
#include "rte/pmi/wire.hpp"

namespace uccs::rte::pmi {

bool decode_line(const std::string& line, Fields* fields_out) {
  if (line.size() > kLineMax || line.compare(0, 4, "cmd=") != 0) return false;
  Fields fields;
  size_t from = 0;
  while (from < line.size()) {
    size_t to = line.find(' ', from);
    if (to == std::string::npos) to = line.size();
    const std::string part = line.substr(from, to - from);
    from = to + 1;
    if (part.empty()) continue;
    const size_t equal = part.find('=');
    // Free text after "msg=" may have blanks; no field that we read has any.
    if (equal == std::string::npos || equal == 0) continue;
    fields.emplace(part.substr(0, equal), part.substr(equal + 1));
  }
  *fields_out = std::move(fields);
  return true;
}

const std::string& field(const Fields& fields, const char* name) {
  static const std::string* const none = new std::string;
  const auto found = fields.find(name);
  return found != fields.end() ? found->second : *none;
}

bool read_number(const std::string& text, int* out) {
  if (text.empty() || text.size() > 9) return false;
  int value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return false;
    value = value * 10 + (c - '0');
  }
  *out = value;
  return true;
}

}  // namespace uccs::rte::pmi
