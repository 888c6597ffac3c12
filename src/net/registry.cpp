// SPDX-License-Identifier: BSD-3-Clause
#include "net/registry.hpp"

namespace uccs::net {

// Each is defined in its own folder; nothing else of it is visible outside.
namespace shm {
extern const Transport transport;
}
namespace wrap {
extern const Transport check, fault, trace;
}

namespace {
constexpr const Transport* kTransports[] = {&shm::transport};
constexpr const Transport* kDecorators[] = {&wrap::check, &wrap::fault, &wrap::trace};
}  // namespace

std::span<const Transport* const> transports() { return kTransports; }
std::span<const Transport* const> decorators() { return kDecorators; }

}  // namespace uccs::net
