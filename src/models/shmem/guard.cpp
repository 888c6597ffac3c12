// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/guard.hpp"

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/api.hpp"

namespace uccs::shmem {

uccs_direct_map_t published_map = {};
bool is_guarded = true;
bool has_more_to_order = true;
uint32_t plain_comparisons = 0;
uintptr_t last_invalid_context = UINTPTR_MAX;

namespace {
bool is_open = false;
bool was_open = false;
}  // namespace

void open_gate() {
  is_open = was_open = true;
  if (is_checking()) return;
  published_map = core::direct_map;
  plain_comparisons = SHMEM_CMP_GE - SHMEM_CMP_LT + 1;
  last_invalid_context = 0;
  is_guarded = false;
  has_more_to_order = core::job.is_spread;
}

void shut_gate() {
  is_open = false;
  is_guarded = true;
  has_more_to_order = true;
  plain_comparisons = 0;
  last_invalid_context = UINTPTR_MAX;
  published_map = {};
}

bool is_started() { return is_open; }
bool was_started() { return was_open; }

bool is_checking() { return base::config().check; }

void fail_state(const char* call) {
  if (was_open)
    base::fatal("%s: called after the library was finalised: the last shmem_finalize ends it",
                call);
  base::fatal(
      "%s: called before the library was initialised: shmem_init or shmem_init_thread first", call);
}

}  // namespace uccs::shmem

extern "C" {
const uccs_direct_map_t* const uccs_shmem_direct = &uccs::shmem::published_map;
}
