// SPDX-License-Identifier: BSD-3-Clause
/// One line of the PMI-1 protocol: "cmd=get_result rc=0 msg=success value=...\n".
#pragma once
#include <string>
#include <unordered_map>

namespace uccs::rte::pmi {

constexpr size_t kLineMax = 8192;

/// A decoded line: its fields by name.
using Fields = std::unordered_map<std::string, std::string>;

/// False unless `line` (without its newline) is blank-separated fields "name=value", the first of
/// which is "cmd".
bool decode_line(const std::string& line, Fields* fields_out);

/// The value of a field, "" if there is none.
const std::string& field(const Fields& fields, const char* name);

/// A decimal number from 0 up that fits; false else.
bool read_number(const std::string& text, int* out);

}  // namespace uccs::rte::pmi
