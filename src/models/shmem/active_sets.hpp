// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include "core/group.hpp"

namespace uccs::shmem {

/// Makes room for active sets. By all PEs, once.
void prepare_active_sets();

/// The group of an active set of the deprecated collectives; ends the job if there is none such, or
/// this PE is no member. Only members call it, as often as they like.
core::Group& active_set(int start, int log_stride, int size, const char* call);

}  // namespace uccs::shmem
