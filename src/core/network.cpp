// SPDX-License-Identifier: BSD-3-Clause
#include "core/network.hpp"

#include <stdio.h>
#include <string.h>

#include <algorithm>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "uccs/info.h"

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
    const char* reason = "";
    chosen.plugin = net::load_network(name, &reason);
    if (!chosen.plugin) {
      // Of several that cannot be had, the preferred one's reason.
      if (!*chosen.reason) chosen.reason = reason;
      continue;
    }
    chosen.table = chosen.plugin->table;
    chosen.provider = !is_open && colon ? colon + 1 : nullptr;
    return chosen;
  }
  if (!chosen.is_known && !only)
    base::fatal(
        "UCCS_NET=%s is no network of this build: auto, none, ofi, ofi:PROVIDER, ucx and "
        "ucx:TRANSPORTS are",
        setting);
  return chosen;
}

}  // namespace uccs::core

extern "C" void uccs_network_explain(char* text_out, size_t capacity) {
  if (capacity == 0) return;
  const uccs::core::Network network = uccs::core::chosen_network(nullptr);
  if (!network.plugin) {
    snprintf(text_out, capacity, "none: %s", network.reason);
    return;
  }
  size_t used = 0;
  const auto write = [&](const char* format, auto... values) {
    const int length = snprintf(text_out + used, capacity - used, format, values...);
    if (length > 0) used = std::min(capacity - 1, used + static_cast<size_t>(length));
  };
  write("%s: ", network.table->name);
  network.plugin->explain(network.provider, text_out + used, capacity - used);
  used = strlen(text_out);
  if (strcmp(uccs::base::config().net, "auto") != 0) return;
  if (*network.reason)
    write(" (the preferred network cannot be had: %s)", network.reason);
  else
    write(" (chosen because %s)", uccs::net::why_first());
}
