// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "rte/local/wire.hpp"

namespace uccs::rte::local {

/// The node segment: a sparse memfd, sealed, as large as the system allows up to 2^46 bytes.
/// Nothing of it exists until an EC touches it, so the size is only the room that the ECs can
/// divide. -1 with errno on failure.
int make_segment();

/// The board for `num_ecs` ECs, mapped; `cpus`: what they share. -1 with errno on failure.
int make_board(int num_ecs, uint32_t cpus, BoardJob** board_out);

}  // namespace uccs::rte::local
