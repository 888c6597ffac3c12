// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <pshmem.h>
#include <shmem.h>

#if !defined(__clang__)
// An alias need not repeat what the compiler finds out about its target.
#pragma GCC diagnostic ignored "-Wmissing-attributes"
#endif

/// Heads the definition of a routine: pshmem_<name> is strong, shmem_<name> a weak symbol for it,
/// and both must agree with the headers.
#define UCCS_SHMEM(result, name, parameters)                                               \
  extern "C" __attribute__((weak, alias("pshmem_" #name))) result shmem_##name parameters; \
  extern "C" result pshmem_##name parameters

/// The same for extensions.
#define UCCS_SHMEMX(result, name, parameters)                                                \
  extern "C" __attribute__((weak, alias("pshmemx_" #name))) result shmemx_##name parameters; \
  extern "C" result pshmemx_##name parameters

/// As UCCS_SHMEM for hot paths: everything is inlined, however many routines the file has.
#define UCCS_SHMEM_HOT(result, name, parameters)                                           \
  extern "C" __attribute__((weak, alias("pshmem_" #name))) result shmem_##name parameters; \
  extern "C" __attribute__((flatten)) result pshmem_##name parameters

/// Expands a macro of (CTX, ...) for the routine and for its form on a context. In it
/// UCCS_CTX_PARAMETER and UCCS_CTX say what `CTX`, empty or ctx_, stands for.
#define UCCS_SHMEM_BOTH(MACRO, ...) MACRO(, __VA_ARGS__) MACRO(ctx_, __VA_ARGS__)
#define UCCS_CTX_PARAMETER_
#define UCCS_CTX_PARAMETER_ctx_ shmem_ctx_t ctx,
#define UCCS_CTX_ SHMEM_CTX_DEFAULT
#define UCCS_CTX_ctx_ ctx
