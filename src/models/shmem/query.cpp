// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "core/context.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/check.hpp"

using namespace uccs;
using namespace uccs::shmem;

namespace {

/// While the gate is shut. After finalize the numbers are still known: only check mode minds.
[[gnu::cold, gnu::noinline]] void check_state(const char* call) {
  if (!is_started() && (is_checking() || !was_started())) fail_state(call);
}

int my_pe(const char* call) {
  if (is_guarded) [[unlikely]]
    check_state(call);
  return core::job.me;
}

int n_pes(const char* call) {
  if (is_guarded) [[unlikely]]
    check_state(call);
  return core::job.size;
}

}  // namespace

UCCS_SHMEM(int, my_pe, (void)) { return my_pe("shmem_my_pe"); }
UCCS_SHMEM(int, n_pes, (void)) { return n_pes("shmem_n_pes"); }
extern "C" int _my_pe(void) { return my_pe("_my_pe"); }
extern "C" int _num_pes(void) { return n_pes("_num_pes"); }

// All PEs of a job run one executable.
UCCS_SHMEM(int, pe_accessible, (int pe)) {
  const Entry entry("shmem_pe_accessible");
  return pe >= 0 && pe < core::job.size;
}

UCCS_SHMEM(int, addr_accessible, (const void* addr, int pe)) {
  const Entry entry("shmem_addr_accessible");
  if (!core::is_symmetric(addr) || pe < 0 || pe >= core::job.size) return 0;
  return core::translate(addr, pe) != nullptr || core::job_context() != nullptr;
}

UCCS_SHMEM(void*, ptr, (const void* dest, int pe)) {
  const Entry entry("shmem_ptr");
  if (!core::is_symmetric(dest)) return nullptr;
  return pe == core::job.me ? const_cast<void*>(dest) : core::translate(dest, pe);
}

UCCS_SHMEM(void, info_get_version, (int* major, int* minor)) {
  *major = SHMEM_MAJOR_VERSION;
  *minor = SHMEM_MINOR_VERSION;
}

UCCS_SHMEM(void, info_get_name, (char* name)) {
  static_assert(sizeof SHMEM_VENDOR_STRING <= SHMEM_MAX_NAME_LEN);
  strcpy(name, SHMEM_VENDOR_STRING);
}

UCCS_SHMEM(void, pcontrol, (int, ...)) {}

// Caches are coherent.
UCCS_SHMEM(void, clear_cache_inv, (void)) {}
UCCS_SHMEM(void, set_cache_inv, (void)) {}
UCCS_SHMEM(void, clear_cache_line_inv, (void*)) {}
UCCS_SHMEM(void, set_cache_line_inv, (void*)) {}
UCCS_SHMEM(void, udcflush, (void)) {}
UCCS_SHMEM(void, udcflush_line, (void*)) {}
