// SPDX-License-Identifier: BSD-3-Clause
// OpenSHMEM's Fortran interface (gen/fortran.families) as plain symbols, which a Fortran compiler
// of Linux calls by the name in lower case with an underscore. All arguments are addresses; an
// INTEGER or LOGICAL is an int. Routines forward to those of C, which report errors.
#include <string.h>

#include "base/log.hpp"
#include "core/job.hpp"
#include "models/shmem/api.hpp"
#include "models/shmem/fortran.hpp"

using namespace uccs;
using namespace uccs::shmem;

// ---- Start, end, and who is who

UCCS_FORTRAN(void, shmem_init, ()) { pshmem_init(); }
UCCS_FORTRAN(void, shmem_finalize, ()) { pshmem_finalize(); }
UCCS_FORTRAN(void, start_pes, (const int*)) { start_pes(0); }
UCCS_FORTRAN(void, shmem_global_exit, (const int* status)) { pshmem_global_exit(*status); }
UCCS_FORTRAN(int, shmem_my_pe, ()) { return pshmem_my_pe(); }
UCCS_FORTRAN(int, shmem_n_pes, ()) { return pshmem_n_pes(); }
UCCS_FORTRAN(int, my_pe, ()) { return pshmem_my_pe(); }
UCCS_FORTRAN(int, num_pes, ()) { return pshmem_n_pes(); }
UCCS_FORTRAN(int, shmem_pe_accessible, (const int* pe)) { return pshmem_pe_accessible(*pe); }
UCCS_FORTRAN(int, shmem_addr_accessible, (const void* addr, const int* pe)) {
  return pshmem_addr_accessible(addr, *pe);
}
UCCS_FORTRAN(void*, shmem_ptr, (const void* dest, const int* pe)) { return pshmem_ptr(dest, *pe); }
UCCS_FORTRAN(void, shmem_info_get_version, (int* major, int* minor)) {
  pshmem_info_get_version(major, minor);
}
// The length of a CHARACTER argument follows all arguments.
UCCS_FORTRAN(void, shmem_info_get_name, (char* name, size_t length)) {
  memset(name, ' ', length);
  memcpy(name, SHMEM_VENDOR_STRING,
         length < strlen(SHMEM_VENDOR_STRING) ? length : strlen(SHMEM_VENDOR_STRING));
}

// ---- Symmetric heap

namespace {

constexpr int kBadArgument = -1, kNoMemory = -2;

/// Reports in the way of the SHPALLOC family.
void give_status(const char* call, int status, int* status_out, const int* aborts) {
  *status_out = status;
  if (status >= 0 || *aborts == 0) return;
  base::fatal("%s: %s", call,
              status == kNoMemory ? "the symmetric heap has not enough memory left: raise "
                                    "SHMEM_SYMMETRIC_SIZE, or pass abort = 0 and look at the status"
                                  : "the length is not positive, or the address is no block's");
}

}  // namespace

UCCS_FORTRAN(void, shpalloc, (void** addr, const int* length, int* errcode, const int* aborts)) {
  int status = kBadArgument;
  if (*length > 0) {
    void* const block = pshmem_malloc(kFortranWordBytes * static_cast<size_t>(*length));
    status = block != nullptr ? 0 : kNoMemory;
    if (block != nullptr) *addr = block;
  }
  give_status("SHPALLOC", status, errcode, aborts);
}

UCCS_FORTRAN(void, shpdeallc, (void** addr, int* errcode, const int* aborts)) {
  int status = kBadArgument;
  if (*addr != nullptr && core::heap_bytes_from(*addr) != 0) {
    pshmem_free(*addr);
    status = 0;
  }
  give_status("SHPDEALLC", status, errcode, aborts);
}

UCCS_FORTRAN(void, shpclmove,
             (void** addr, const int* length, int* status_out, const int* aborts)) {
  int status = kBadArgument;
  if (*length > 0 && *addr != nullptr && core::heap_bytes_from(*addr) != 0) {
    void* const block = pshmem_realloc(*addr, kFortranWordBytes * static_cast<size_t>(*length));
    status = block == nullptr ? kNoMemory : block == *addr ? 0 : 1;
    if (block != nullptr) *addr = block;
  }
  give_status("SHPCLMOVE", status, status_out, aborts);
}

// ---- Remote memory access

#define MOVE(FORTRAN, C)                                                             \
  UCCS_FORTRAN(void, FORTRAN,                                                        \
               (void* dest, const void* source, const int* nelems, const int* pe)) { \
    C(FortranArray{dest}, FortranArray{source}, fortran_count(*nelems), *pe);        \
  }
#define UCCS_FORTRAN_MOVE(PREFIX, SUFFIX, C_PREFIX, C_SUFFIX)                     \
  MOVE(shmem_##PREFIX##put##SUFFIX, pshmem_##C_PREFIX##put##C_SUFFIX)             \
  MOVE(shmem_##PREFIX##get##SUFFIX, pshmem_##C_PREFIX##get##C_SUFFIX)             \
  MOVE(shmem_##PREFIX##put##SUFFIX##_nbi, pshmem_##C_PREFIX##put##C_SUFFIX##_nbi) \
  MOVE(shmem_##PREFIX##get##SUFFIX##_nbi, pshmem_##C_PREFIX##get##C_SUFFIX##_nbi)

#define STRIDE(FORTRAN, C)                                                                         \
  UCCS_FORTRAN(void, FORTRAN,                                                                      \
               (void* dest, const void* source, const int* dst, const int* sst, const int* nelems, \
                const int* pe)) {                                                                  \
    C(dest, source, *dst, *sst, fortran_count(*nelems), *pe);                                      \
  }
#define UCCS_FORTRAN_STRIDE(PREFIX, SUFFIX, C_PREFIX, C_SUFFIX)           \
  STRIDE(shmem_##PREFIX##iput##SUFFIX, pshmem_##C_PREFIX##iput##C_SUFFIX) \
  STRIDE(shmem_##PREFIX##iget##SUFFIX, pshmem_##C_PREFIX##iget##C_SUFFIX)

// ---- Atomic operations

#define UCCS_FORTRAN_SWAP(NAME, TYPE, C_NAME)                                                \
  UCCS_FORTRAN(TYPE, shmem_##NAME##_fetch, (const TYPE* source, const int* pe)) {            \
    return pshmem_##C_NAME##_atomic_fetch(source, *pe);                                      \
  }                                                                                          \
  UCCS_FORTRAN(void, shmem_##NAME##_set, (TYPE * dest, const TYPE* value, const int* pe)) {  \
    pshmem_##C_NAME##_atomic_set(dest, *value, *pe);                                         \
  }                                                                                          \
  UCCS_FORTRAN(TYPE, shmem_##NAME##_swap, (TYPE * dest, const TYPE* value, const int* pe)) { \
    return pshmem_##C_NAME##_atomic_swap(dest, *value, *pe);                                 \
  }
#define UCCS_FORTRAN_AMO(NAME, TYPE, C_NAME)                                                 \
  UCCS_FORTRAN(TYPE, shmem_##NAME##_cswap,                                                   \
               (TYPE * dest, const TYPE* cond, const TYPE* value, const int* pe)) {          \
    return pshmem_##C_NAME##_atomic_compare_swap(dest, *cond, *value, *pe);                  \
  }                                                                                          \
  UCCS_FORTRAN(TYPE, shmem_##NAME##_fadd, (TYPE * dest, const TYPE* value, const int* pe)) { \
    return pshmem_##C_NAME##_atomic_fetch_add(dest, *value, *pe);                            \
  }                                                                                          \
  UCCS_FORTRAN(TYPE, shmem_##NAME##_finc, (TYPE * dest, const int* pe)) {                    \
    return pshmem_##C_NAME##_atomic_fetch_inc(dest, *pe);                                    \
  }                                                                                          \
  UCCS_FORTRAN(void, shmem_##NAME##_add, (TYPE * dest, const TYPE* value, const int* pe)) {  \
    pshmem_##C_NAME##_atomic_add(dest, *value, *pe);                                         \
  }                                                                                          \
  UCCS_FORTRAN(void, shmem_##NAME##_inc, (TYPE * dest, const int* pe)) {                     \
    pshmem_##C_NAME##_atomic_inc(dest, *pe);                                                 \
  }

UCCS_FORTRAN(int, shmem_swap, (int* dest, const int* value, const int* pe)) {
  return pshmem_int_atomic_swap(dest, *value, *pe);
}

// ---- Waiting for variables

#define WAIT(NAME, TYPE, C_NAME)                                                                   \
  UCCS_FORTRAN(void, shmem_##NAME##wait, (TYPE * ivar, const TYPE* value)) {                       \
    pshmem_##C_NAME##_wait_until(ivar, SHMEM_CMP_NE, *value);                                      \
  }                                                                                                \
  UCCS_FORTRAN(void, shmem_##NAME##wait_until, (TYPE * ivar, const int* cmp, const TYPE* value)) { \
    pshmem_##C_NAME##_wait_until(ivar, *cmp, *value);                                              \
  }
#define UCCS_FORTRAN_WAIT(NAME, TYPE, C_NAME) WAIT(NAME##_, TYPE, C_NAME)
WAIT(, int, int)

#include "gen/fortran.def"

// ---- Ordering and completion, locks, caches

UCCS_FORTRAN(void, shmem_fence, ()) { pshmem_fence(); }
UCCS_FORTRAN(void, shmem_quiet, ()) { pshmem_quiet(); }

UCCS_FORTRAN(void, shmem_clear_cache_inv, ()) {}
UCCS_FORTRAN(void, shmem_set_cache_inv, ()) {}
UCCS_FORTRAN(void, shmem_clear_cache_line_inv, (void*)) {}
UCCS_FORTRAN(void, shmem_set_cache_line_inv, (void*)) {}
UCCS_FORTRAN(void, shmem_udcflush, ()) {}
UCCS_FORTRAN(void, shmem_udcflush_line, (void*)) {}
