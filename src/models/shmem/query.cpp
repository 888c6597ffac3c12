// SPDX-License-Identifier: BSD-3-Clause
#include <string.h>

#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/api.hpp"

using namespace uccs;

UCCS_SHMEM(int, my_pe, (void)) { return core::job.me; }
UCCS_SHMEM(int, n_pes, (void)) { return core::job.size; }
extern "C" int _my_pe(void) { return core::job.me; }
extern "C" int _num_pes(void) { return core::job.size; }

// All PEs of a job run one executable.
UCCS_SHMEM(int, pe_accessible, (int pe)) { return pe >= 0 && pe < core::job.size; }

UCCS_SHMEM(int, addr_accessible, (const void* addr, int pe)) {
  return core::is_symmetric(addr) && pe >= 0 && pe < core::job.size;
}

UCCS_SHMEM(void*, ptr, (const void* dest, int pe)) {
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
