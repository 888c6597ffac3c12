// SPDX-License-Identifier: BSD-3-Clause
#include "base/config.hpp"
#include "base/config_values.hpp"
#include "net/ofi/ofi.hpp"
#include "net/registry.hpp"
#include "net/transport_class.hpp"

namespace uccs::net::ofi {
namespace {
constexpr Transport kTransport = make_transport<Ofi>("ofi");

void explain(const char* provider, char* text, size_t capacity) {
  if (fi_info* info = choose({provider, base::config().net_interface, false}, text, capacity))
    fi_freeinfo(info);
}
}  // namespace
}  // namespace uccs::net::ofi

extern "C" __attribute__((visibility("default")))
const uccs::net::Plugin uccs_net_plugin = {uccs::net::kPluginVersion, sizeof(uccs::net::Transport),
                                           &uccs::net::ofi::kTransport, uccs::net::ofi::explain};
