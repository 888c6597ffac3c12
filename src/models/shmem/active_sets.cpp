// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/active_sets.hpp"

#include <cstdint>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/atomics.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/combine.hpp"

namespace uccs::shmem {
namespace {

/// Active sets come without a moment at which they are made, at which all PEs, or even all members,
/// could agree on scratch memory for them. So the first member that calls writes the set's key into
/// a table at PE 0; its place there is the set's number, the same for all. Places are never given
/// back: programs use few sets.
constexpr uint32_t kMaxActiveSets = 1024;

uint64_t* keys;        // symmetric; PE 0's count
std::byte* scratches;  // symmetric; kGroupScratchBytes each, resident when used
core::Group groups[kMaxActiveSets];

uint64_t key_of(int start, int log_stride, int size) {
  return static_cast<uint64_t>(start) << 37 | static_cast<uint64_t>(log_stride) << 32 |
         static_cast<uint32_t>(size);
}

/// The set's number, found or made.
uint32_t number_of(uint64_t key, const char* call) {
  const auto first = static_cast<uint32_t>(key * 0x9e3779b97f4a7c15u >> 32) % kMaxActiveSets;
  for (uint32_t i = 0; i < kMaxActiveSets; ++i) {
    const uint32_t number = (first + i) % kMaxActiveSets;
    const auto found =
        atomic_compare_swap(SHMEM_CTX_DEFAULT, &keys[number], uint64_t{0}, key, 0, call);
    if (found == 0 || found == key) return number;
  }
  base::fatal("%s: this job uses more than %u different active sets: use teams instead", call,
              kMaxActiveSets);
}

}  // namespace

void prepare_active_sets() {
  if (keys != nullptr) return;
  keys = static_cast<uint64_t*>(core::internal_allocate(kMaxActiveSets * sizeof *keys, 64));
  scratches = static_cast<std::byte*>(
      core::internal_allocate(kMaxActiveSets * core::kGroupScratchBytes, 4096));
}

core::Group& active_set(int start, int log_stride, int size, const char* call) {
  const int job_size = core::job.size;
  if (start < 0 || log_stride < 0 || log_stride > 30 || size < 1 ||
      start + (int64_t{size} - 1) * (int64_t{1} << log_stride) >= job_size)
    base::fatal("%s: PE_start %d, logPE_stride %d, PE_size %d: this is no set of the PEs 0 to %d",
                call, start, log_stride, size, job_size - 1);
  core::Group wanted;
  wanted.size = size;
  wanted.first = start;
  wanted.stride = 1 << log_stride;
  wanted.rank = core::group_index(wanted, core::job.me);
  if (wanted.rank < 0)
    base::fatal(
        "%s: PE %d calls, but is not in the active set PE_start %d, logPE_stride %d, "
        "PE_size %d",
        call, core::job.me, start, log_stride, size);
  const uint32_t number = number_of(key_of(start, log_stride, size), call);
  core::Group& group = groups[number];
  if (group.size == 0) {
    wanted.scratch = scratches + number * core::kGroupScratchBytes;
    group = wanted;
  }
  return group;
}

}  // namespace uccs::shmem

using namespace uccs;
using namespace uccs::shmem;

#define SET int PE_start, int logPE_stride, int PE_size
#define GROUP(ROUTINE) active_set(PE_start, logPE_stride, PE_size, "shmem_" #ROUTINE)

UCCS_SHMEM(void, barrier, (SET, long*)) {
  quiet();
  coll::barrier(GROUP(barrier));
}
UCCS_SHMEM(void, sync, (SET, long*)) { coll::barrier(GROUP(sync)); }

#define DEFINE_MOVES(BITS)                                                                         \
  UCCS_SHMEM(void, broadcast##BITS,                                                                \
             (void* dest, const void* source, size_t nelems, int PE_root, SET, long*)) {           \
    core::Group& group = GROUP(broadcast##BITS);                                                   \
    check_root(group, PE_root, "shmem_broadcast" #BITS);                                           \
    coll::broadcast(group, dest, source, nelems*(BITS / 8), PE_root, false);                       \
  }                                                                                                \
  UCCS_SHMEM(void, collect##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {   \
    coll::allgatherv(GROUP(collect##BITS), dest, source, nelems*(BITS / 8), nullptr);              \
  }                                                                                                \
  UCCS_SHMEM(void, fcollect##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {  \
    coll::allgather(GROUP(fcollect##BITS), dest, source, nelems*(BITS / 8));                       \
  }                                                                                                \
  UCCS_SHMEM(void, alltoall##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {  \
    coll::alltoall(GROUP(alltoall##BITS), dest, source, nelems*(BITS / 8));                        \
  }                                                                                                \
  UCCS_SHMEM(                                                                                      \
      void, alltoalls##BITS,                                                                       \
      (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET, long*)) { \
    coll::alltoall_strided(GROUP(alltoalls##BITS), dest, source, dst, sst, BITS / 8, nelems);      \
  }
DEFINE_MOVES(32)
DEFINE_MOVES(64)

#define DEFINE_REDUCE(NAME, TYPE, ROUTINE, OPERATION, KIND)                       \
  UCCS_SHMEM(void, NAME##_##ROUTINE,                                              \
             (TYPE * dest, const TYPE* source, int nreduce, SET, TYPE*, long*)) { \
    coll::allreduce(GROUP(NAME##_##ROUTINE), dest, source, sizeof(TYPE),          \
                    nreduce > 0 ? static_cast<size_t>(nreduce) : 0,               \
                    combine<OPERATION, KIND<TYPE>::Type>);                        \
  }
#define UCCS_OLD_BITS_TYPE(NAME, TYPE)                 \
  DEFINE_REDUCE(NAME, TYPE, and_to_all, And, Wrapping) \
  DEFINE_REDUCE(NAME, TYPE, or_to_all, Or, Wrapping)   \
  DEFINE_REDUCE(NAME, TYPE, xor_to_all, Xor, Wrapping)
#define UCCS_OLD_MAX_TYPE(NAME, TYPE)                 \
  DEFINE_REDUCE(NAME, TYPE, max_to_all, Max, Ordered) \
  DEFINE_REDUCE(NAME, TYPE, min_to_all, Min, Ordered)
#define UCCS_OLD_SUM_TYPE(NAME, TYPE)                  \
  DEFINE_REDUCE(NAME, TYPE, sum_to_all, Sum, Wrapping) \
  DEFINE_REDUCE(NAME, TYPE, prod_to_all, Product, Wrapping)
#include "gen/types.def"
