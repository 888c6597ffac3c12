// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <span>

#include "net/transport.hpp"

namespace uccs::net {

/// The transports of this build, the preferred ones first.
std::span<const Transport* const> transports();

/// The decorators: tables that wrap OpenParameters::inner. See net/wrap/.
std::span<const Transport* const> decorators();

}  // namespace uccs::net
