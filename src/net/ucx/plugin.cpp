// SPDX-License-Identifier: BSD-3-Clause
#include <stdio.h>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "net/registry.hpp"
#include "net/transport_class.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {
constexpr Transport kTransport = make_transport<Ucx>("ucx");

void explain(const char* provider, char* text, size_t capacity) {
  Library library;
  const ucs_status_t status = library.start({provider, base::config().net_interface, false, 1});
  if (status == UCS_OK)
    library.describe(text, capacity);
  else
    snprintf(text, capacity, "UCX does not start: %s", ucs_status_string(status));
}
}  // namespace
}  // namespace uccs::net::ucx

extern "C" __attribute__((visibility("default")))
const uccs::net::Plugin uccs_net_plugin = {uccs::net::kPluginVersion, sizeof(uccs::net::Transport),
                                           &uccs::net::ucx::kTransport, uccs::net::ucx::explain};
