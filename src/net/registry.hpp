// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "net/transport.hpp"

namespace uccs::net {

/// The transports of this build, the preferred ones first.
std::span<const Transport* const> transports();

/// The decorators: tables that wrap OpenParameters::inner. See net/wrap/.
std::span<const Transport* const> decorators();

/// What a network's plug-in exports under the name `uccs_net_plugin`.
struct Plugin {
  uint32_t version;
  uint32_t table_bytes;  ///< sizeof(Transport), so that a plug-in of another build is noticed
  const Transport* table;
  /// Which of its providers would be used, and why; or why none. `provider` as in OpenParameters.
  void (*explain)(const char* provider, char* text, size_t capacity);
};
constexpr uint32_t kPluginVersion = 1;

/// The networks that this build knows, those first that suit the machine best. Each is a plug-in,
/// because it needs a library that not every machine has.
std::span<const char* const> networks();
/// Why the first of them is first.
const char* why_first();

/// Loads the network's plug-in, or finds it loaded. nullptr: it is not there, or does not load;
/// `reason_out` (not NULL) gets the loader's words then.
const Plugin* load_network(const char* name, const char** reason_out);

}  // namespace uccs::net
