// SPDX-License-Identifier: BSD-3-Clause
#include <shmemx.h>

#include "base/clock.hpp"
#include "models/shmem/wait.hpp"

namespace uccs::shmem {
namespace {

/// A wait that ends when its time is over.
class LimitedWait {
 public:
  LimitedWait(const char* call, uint64_t timeout_ns) : waiting_(call) {
    const uint64_t now = timeout_ns != SHMEMX_FOREVER ? base::now_ns() : 0;
    deadline_ns_ = timeout_ns < SHMEMX_FOREVER - now ? now + timeout_ns : SHMEMX_FOREVER;
  }

  /// After each look that found nothing. False, without a pause, when the time is over.
  bool pause() {
    if (deadline_ns_ != SHMEMX_FOREVER && base::now_ns() >= deadline_ns_) return false;
    waiting_.pause();
    return true;
  }

 private:
  Waiting waiting_;
  uint64_t deadline_ns_;
};

/// Looks with `find` until it returns true.
template <class Find>
int wait_limited(const char* call, uint64_t timeout_ns, const Find& find) {
  if (find()) return SHMEMX_SATISFIED;
  LimitedWait wait(call, timeout_ns);
  while (wait.pause())
    if (find()) return SHMEMX_SATISFIED;
  pause_after_failed_test();  // programs may loop over short limits
  return SHMEMX_TIMED_OUT;
}

template <class T>
int wait_one_limited(const T* variable, int cmp, T to, uint64_t timeout_ns, const char* call,
                     T* value_out) {
  if (!is_comparison(cmp)) fail_comparison(cmp, call);
  return wait_limited(call, timeout_ns, [=] {
    const T value = read(variable);
    if (!compares(value, cmp, to)) return false;
    if (value_out != nullptr) *value_out = value;
    return true;
  });
}

template <class T>
int wait_all_limited(const Variables<T>& all, uint64_t timeout_ns) {
  all.check();
  size_t satisfied = 0;  // variables from the first on
  return wait_limited(all.call, timeout_ns, [&] {
    while (satisfied < all.count && (!all.is_included(satisfied) || all.is_satisfied(satisfied)))
      ++satisfied;
    return satisfied == all.count;
  });
}

template <class T>
int wait_any_limited(const Variables<T>& all, uint64_t timeout_ns, size_t* index_out) {
  all.check();
  const bool is_empty = !all.has_included();
  return wait_limited(all.call, timeout_ns, [&] {
    const size_t index = is_empty ? SIZE_MAX : find_any(all);
    if (index == SIZE_MAX && !is_empty) return false;
    *index_out = index;
    return true;
  });
}

template <class T>
int wait_some_limited(const Variables<T>& all, size_t* indices, uint64_t timeout_ns,
                      size_t* found_out) {
  all.check();
  const bool is_empty = !all.has_included();
  return wait_limited(all.call, timeout_ns, [&] {
    const size_t found = is_empty ? 0 : find_some(all, indices);
    if (found == 0 && !is_empty) return false;
    *found_out = found;
    return true;
  });
}

}  // namespace
}  // namespace uccs::shmem

using namespace uccs::shmem;

#define UCCS_WAIT_TYPE(NAME, TYPE)                                                              \
  UCCS_SHMEMX(int, NAME##_wait_until_timeout,                                                   \
              (TYPE * ivar, int cmp, TYPE cmp_value, uint64_t timeout_ns)) {                    \
    using Value = Plain<TYPE>;                                                                  \
    return wait_one_limited<Value>(reinterpret_cast<Value*>(ivar), cmp, Value{cmp_value},       \
                                   timeout_ns, "shmemx_" #NAME "_wait_until_timeout", nullptr); \
  }

// `TO` is the parameter after `cmp`: one value for all (STEP 0), or one for each (STEP 1).
#define VARIABLES(NAME, TYPE, ROUTINE, STEP, TO)                                                \
  Variables<Plain<TYPE>> {                                                                      \
    reinterpret_cast<const Plain<TYPE>*>(ivars), nelems, status, cmp,                           \
        reinterpret_cast<const Plain<TYPE>*>(TO), STEP, "shmemx_" #NAME "_" #ROUTINE "_timeout" \
  }
#define DEFINE_SEARCHES(NAME, TYPE, SUFFIX, STEP, TO, ...)                                        \
  UCCS_SHMEMX(int, NAME##_wait_until_all##SUFFIX##_timeout,                                       \
              (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__,              \
               uint64_t timeout_ns)) {                                                            \
    return wait_all_limited(VARIABLES(NAME, TYPE, wait_until_all##SUFFIX, STEP, TO), timeout_ns); \
  }                                                                                               \
  UCCS_SHMEMX(int, NAME##_wait_until_any##SUFFIX##_timeout,                                       \
              (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__,              \
               uint64_t timeout_ns, size_t* index)) {                                             \
    return wait_any_limited(VARIABLES(NAME, TYPE, wait_until_any##SUFFIX, STEP, TO), timeout_ns,  \
                            index);                                                               \
  }                                                                                               \
  UCCS_SHMEMX(int, NAME##_wait_until_some##SUFFIX##_timeout,                                      \
              (TYPE * ivars, size_t nelems, size_t * indices, const int* status, int cmp,         \
               __VA_ARGS__, uint64_t timeout_ns, size_t* found)) {                                \
    return wait_some_limited(VARIABLES(NAME, TYPE, wait_until_some##SUFFIX, STEP, TO), indices,   \
                             timeout_ns, found);                                                  \
  }
#define UCCS_WAITS_TYPE(NAME, TYPE)                            \
  DEFINE_SEARCHES(NAME, TYPE, , 0, &cmp_value, TYPE cmp_value) \
  DEFINE_SEARCHES(NAME, TYPE, _vector, 1, cmp_values, const TYPE* cmp_values)
#include "gen/types.def"

UCCS_SHMEMX(int, signal_wait_until_timeout,
            (uint64_t * sig_addr, int cmp, uint64_t cmp_value, uint64_t timeout_ns,
             uint64_t* value)) {
  return wait_one_limited(sig_addr, cmp, cmp_value, timeout_ns, "shmemx_signal_wait_until_timeout",
                          value);
}
