// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "net/transport.hpp"

namespace uccs::net {

/// An operation under way on a channel: whom to tell when it is over.
struct Pending {
  Pending* next;
  Completion* completion;  ///< nullptr: the network counts it itself
  uccs_status_t status;
};

}  // namespace uccs::net
