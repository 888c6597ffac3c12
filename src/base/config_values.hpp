// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdint>

#include "base/config.hpp"
#include "base/log.hpp"

namespace uccs::base {

enum class ProgressMode : uint8_t { kPolling, kThread };
enum class HugePages : uint8_t { kNever, kAdvise };
enum class RteChoice : uint8_t { kAuto, kSingle, kLocal, kPmi, kPmix };

/// The values in force, one member per row of config.def. Text points into the environment's copy
/// and lives as long as the process.
struct Config {
#define UCCS_CONFIG(member, type, name, aliases, kind, unit, text, choices, help) type member;
#include "base/config.def"
#undef UCCS_CONFIG
};

}  // namespace uccs::base
