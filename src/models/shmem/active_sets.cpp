// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/active_sets.hpp"

#include <cstdint>

#include "base/log.hpp"
#include "core/direct.hpp"
#include "core/job.hpp"
#include "models/shmem/collectives.hpp"
#include "models/shmem/combine.hpp"
#include "models/shmem/slow.hpp"

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

/// Puts `key` at a place that is free; what was there before. Relaxed: the place itself is all
/// there is to see.
uint64_t claim(uint32_t number, uint64_t key, const char* call) {
  auto* const table = static_cast<uint64_t*>(core::translate(keys, 0));
  if (table == nullptr) [[unlikely]]
    return slow_atomic_value(SHMEM_CTX_DEFAULT, base::AtomicOp::kCompareSwap, keys + number, key,
                             uint64_t{0}, true, 0, call);
  uint64_t found = __atomic_load_n(&table[number], __ATOMIC_RELAXED);
  if (found == 0)
    __atomic_compare_exchange_n(&table[number], &found, key, false, __ATOMIC_RELAXED,
                                __ATOMIC_RELAXED);
  return found;
}

/// The set's number, found or made.
uint32_t number_of(uint64_t key, const char* call) {
  const auto first = static_cast<uint32_t>(key * 0x9e3779b97f4a7c15u >> 32) % kMaxActiveSets;
  for (uint32_t i = 0; i < kMaxActiveSets; ++i) {
    const uint32_t number = (first + i) % kMaxActiveSets;
    const uint64_t found = claim(number, key, call);
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

namespace {

/// One routine on an active set.
class OnSet {
 public:
  OnSet(SET, const char* call)
      : entry_(call), group_(active_set(PE_start, logPE_stride, PE_size, call)), call_(call) {}
  core::Group& group() const { return group_; }
  int size() const { return group_.size; }
  const char* call() const { return call_; }

  /// `what()` says what the call is given, for check mode.
  template <class What>
  void look(const What& what) const {
    if (entry_.is_checked()) [[unlikely]]
      check_collective(group_, call_, what());
  }

 private:
  const Entry entry_;
  core::Group& group_;
  const char* call_;
};

size_t count_of(int nreduce, const char* call) {
  if (nreduce >= 0) return static_cast<size_t>(nreduce);
  base::fatal("%s: nreduce is %d: it is a number of elements, 0 or more", call, nreduce);
}

}  // namespace

#define ON_SET(ROUTINE) const OnSet on(PE_start, logPE_stride, PE_size, "shmem_" #ROUTINE)

UCCS_SHMEM(void, barrier, (SET, long*)) {
  ON_SET(barrier);
  on.look([] {
    note_quiet(default_context());
    return Collective{};
  });
  quiet_everywhere();
  coll::barrier(on.group());
}
UCCS_SHMEM(void, sync, (SET, long*)) {
  ON_SET(sync);
  on.look([] { return Collective{}; });
  coll::barrier(on.group());
}

#define DEFINE_MOVES(BITS)                                                                         \
  UCCS_SHMEM(void, broadcast##BITS,                                                                \
             (void* dest, const void* source, size_t nelems, int PE_root, SET, long*)) {           \
    ON_SET(broadcast##BITS);                                                                       \
    check_root(on.group(), PE_root, on.call());                                                    \
    on.look([=] { return broadcasts(dest, source, nelems, BITS / 8, PE_root); });                  \
    coll::broadcast(on.group(), dest, source, nelems*(BITS / 8), PE_root, false);                  \
  }                                                                                                \
  UCCS_SHMEM(void, collect##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {   \
    ON_SET(collect##BITS);                                                                         \
    on.look([=] { return collects(dest, source, nelems, BITS / 8); });                             \
    coll::allgatherv(on.group(), dest, source, nelems*(BITS / 8), nullptr);                        \
  }                                                                                                \
  UCCS_SHMEM(void, fcollect##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {  \
    ON_SET(fcollect##BITS);                                                                        \
    on.look([&] { return moves(dest, members_of(on.group()), source, 1, nelems, BITS / 8); });     \
    coll::allgather(on.group(), dest, source, nelems*(BITS / 8));                                  \
  }                                                                                                \
  UCCS_SHMEM(void, alltoall##BITS, (void* dest, const void* source, size_t nelems, SET, long*)) {  \
    ON_SET(alltoall##BITS);                                                                        \
    on.look([&] {                                                                                  \
      const size_t members = members_of(on.group());                                               \
      return moves(dest, members, source, members, nelems, BITS / 8);                              \
    });                                                                                            \
    coll::alltoall(on.group(), dest, source, nelems*(BITS / 8));                                   \
  }                                                                                                \
  UCCS_SHMEM(                                                                                      \
      void, alltoalls##BITS,                                                                       \
      (void* dest, const void* source, ptrdiff_t dst, ptrdiff_t sst, size_t nelems, SET, long*)) { \
    ON_SET(alltoalls##BITS);                                                                       \
    on.look(                                                                                       \
        [&] { return strides(on.call(), dest, source, dst, sst, nelems, BITS / 8, on.size()); });  \
    coll::alltoall_strided(on.group(), dest, source, dst, sst, BITS / 8, nelems);                  \
  }
DEFINE_MOVES(32)
DEFINE_MOVES(64)

#define DEFINE_REDUCE(NAME, TYPE, ROUTINE, OPERATION, KIND)                                        \
  UCCS_SHMEM(void, NAME##_##ROUTINE,                                                               \
             (TYPE * dest, const TYPE* source, int nreduce, SET, TYPE*, long*)) {                  \
    ON_SET(NAME##_##ROUTINE);                                                                      \
    const size_t count = count_of(nreduce, on.call());                                             \
    on.look([=] { return reduces(dest, source, "nreduce", count, sizeof(TYPE), alignof(TYPE)); }); \
    coll::allreduce(on.group(), dest, source, sizeof(TYPE), count,                                 \
                    combine<OPERATION, KIND<TYPE>::Type>);                                         \
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
