// SPDX-License-Identifier: BSD-3-Clause
/// What the inlined forms of shmem.h reach directly. Internal to UCCS's own headers.
#ifndef UCCS_SHMEM_DIRECT_H
#define UCCS_SHMEM_DIRECT_H

#include "uccs/direct.h"

#ifdef __cplusplus
extern "C" {
#endif

/// As `uccs_direct`, but empty while OpenSHMEM calls may be wrong: before shmem_init, after
/// shmem_finalize, and in check mode.
UCCS_DATA extern const uccs_direct_map_t* const uccs_shmem_direct;

#ifdef __cplusplus
}
#endif
#endif
