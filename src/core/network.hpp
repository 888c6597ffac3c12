// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "net/registry.hpp"

namespace uccs::core {

/// The network that UCCS_NET asks for, or the first that can be loaded.
struct Network {
  const net::Plugin* plugin = nullptr;
  const net::Transport* table = nullptr;
  const char* provider = nullptr;  ///< nullptr: the network's choice
  const char* reason = "";         ///< why there is none
  bool is_known = false;           ///< the name is one of this build
};

/// `only`: this one, whatever UCCS_NET says; nullptr: as that says.
Network chosen_network(const char* only);

}  // namespace uccs::core
