// SPDX-License-Identifier: BSD-3-Clause
/// Deprecated place of shmem.h.
#ifndef UCCS_MPP_SHMEM_H
#define UCCS_MPP_SHMEM_H

#include <shmem.h>

#endif
