// SPDX-License-Identifier: BSD-3-Clause
/// Deprecated place of shmemx.h.
#ifndef UCCS_MPP_SHMEMX_H
#define UCCS_MPP_SHMEMX_H

#include <shmemx.h>

#endif
