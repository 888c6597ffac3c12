// SPDX-License-Identifier: BSD-3-Clause
#include "net/ofi/ofi.hpp"
#include "net/registry.hpp"

namespace uccs::net::ofi {
namespace {
constexpr Transport kTransport = make_transport<Ofi>("ofi");
}
}  // namespace uccs::net::ofi

extern "C" __attribute__((visibility("default"))) const uccs::net::Plugin uccs_net_plugin = {
    uccs::net::kPluginVersion, sizeof(uccs::net::Transport), &uccs::net::ofi::kTransport};
