// SPDX-License-Identifier: BSD-3-Clause
#include "core/network.hpp"

#include <string.h>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"

namespace uccs::core {

Network chosen_network(const char* only) {
  const char* setting = base::config().net;
  Network chosen;
  if (!only && strcmp(setting, "none") == 0) {
    chosen.reason = "UCCS_NET=none forbids it; unset it, or start all ECs on one node";
    return chosen;
  }
  const bool is_open =
      strcmp(setting, "auto") == 0 || (only && strncmp(setting, only, strlen(only)));
  const char* colon = strchr(setting, ':');
  const size_t name_bytes = colon ? static_cast<size_t>(colon - setting) : strlen(setting);
  for (const char* name : net::networks()) {
    const bool is_meant =
        only ? strcmp(only, name) == 0
             : is_open || (strlen(name) == name_bytes && strncmp(name, setting, name_bytes) == 0);
    if (!is_meant) continue;
    chosen.is_known = true;
    chosen.table = net::load_network(name, &chosen.reason);
    if (!chosen.table) continue;
    chosen.provider = !is_open && colon ? colon + 1 : nullptr;
    return chosen;
  }
  if (!chosen.is_known && !only)
    base::fatal("UCCS_NET=%s is no network of this build: auto, none%s are", setting,
                ", ofi, ofi:PROVIDER");
  return chosen;
}

}  // namespace uccs::core
