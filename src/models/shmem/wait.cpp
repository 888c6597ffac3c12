// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/wait.hpp"

#include <atomic>

#include "base/log.hpp"

namespace uccs::shmem {

void fail_comparison(int cmp, const char* call) {
  base::fatal("%s: cmp is %d: SHMEM_CMP_EQ, NE, LT, LE, GT and GE are legal", call, cmp);
}

void check_comparison(const char* name, const void* variables, size_t count, size_t bytes, int cmp,
                      const char* call) {
  if (is_guarded) check_variables(name, variables, count, bytes, call);
  if (!is_comparison(cmp)) fail_comparison(cmp, call);
}

size_t fair_start(size_t count) {
  // A linear congruential sequence; two threads that take the same step do no harm.
  static std::atomic<uint64_t> state{1};
  const uint64_t next =
      state.load(std::memory_order_relaxed) * 6364136223846793005u + 1442695040888963407u;
  state.store(next, std::memory_order_relaxed);
  return static_cast<size_t>(next >> 32) % count;
}

}  // namespace uccs::shmem

using namespace uccs::shmem;

#define DEFINE_WAIT(NAME, TYPE, ROUTINE)                                                  \
  UCCS_SHMEM(void, ROUTINE, (TYPE * ivar, int cmp, TYPE cmp_value)) {                     \
    using Value = Plain<TYPE>;                                                            \
    wait_until(reinterpret_cast<Value*>(ivar), cmp, Value{cmp_value}, "shmem_" #ROUTINE); \
  }
#define UCCS_WAIT_TYPE(NAME, TYPE)                                                              \
  DEFINE_WAIT(NAME, TYPE, NAME##_wait_until)                                                    \
  UCCS_SHMEM(int, NAME##_test, (TYPE * ivar, int cmp, TYPE cmp_value)) {                        \
    using Value = Plain<TYPE>;                                                                  \
    return test(reinterpret_cast<Value*>(ivar), cmp, Value{cmp_value}, "shmem_" #NAME "_test"); \
  }

// `TO` is the parameter after `cmp`: one value for all (STEP 0), or one for each (STEP 1).
#define VARIABLES(NAME, TYPE, ROUTINE, STEP, TO)                                    \
  Variables<Plain<TYPE>> {                                                          \
    reinterpret_cast<const Plain<TYPE>*>(ivars), nelems, status, cmp,               \
        reinterpret_cast<const Plain<TYPE>*>(TO), STEP, "shmem_" #NAME "_" #ROUTINE \
  }
#define DEFINE_SEARCHES(NAME, TYPE, SUFFIX, STEP, TO, ...)                                        \
  UCCS_SHMEM(void, NAME##_wait_until_all##SUFFIX,                                                 \
             (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__)) {            \
    wait_all(VARIABLES(NAME, TYPE, wait_until_all##SUFFIX, STEP, TO));                            \
  }                                                                                               \
  UCCS_SHMEM(size_t, NAME##_wait_until_any##SUFFIX,                                               \
             (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__)) {            \
    return wait_any(VARIABLES(NAME, TYPE, wait_until_any##SUFFIX, STEP, TO));                     \
  }                                                                                               \
  UCCS_SHMEM(                                                                                     \
      size_t, NAME##_wait_until_some##SUFFIX,                                                     \
      (TYPE * ivars, size_t nelems, size_t * indices, const int* status, int cmp, __VA_ARGS__)) { \
    return wait_some(VARIABLES(NAME, TYPE, wait_until_some##SUFFIX, STEP, TO), indices);          \
  }                                                                                               \
  UCCS_SHMEM(int, NAME##_test_all##SUFFIX,                                                        \
             (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__)) {            \
    return test_all(VARIABLES(NAME, TYPE, test_all##SUFFIX, STEP, TO));                           \
  }                                                                                               \
  UCCS_SHMEM(size_t, NAME##_test_any##SUFFIX,                                                     \
             (TYPE * ivars, size_t nelems, const int* status, int cmp, __VA_ARGS__)) {            \
    return test_any(VARIABLES(NAME, TYPE, test_any##SUFFIX, STEP, TO));                           \
  }                                                                                               \
  UCCS_SHMEM(                                                                                     \
      size_t, NAME##_test_some##SUFFIX,                                                           \
      (TYPE * ivars, size_t nelems, size_t * indices, const int* status, int cmp, __VA_ARGS__)) { \
    return test_some(VARIABLES(NAME, TYPE, test_some##SUFFIX, STEP, TO), indices);                \
  }
#define UCCS_WAITS_TYPE(NAME, TYPE)                            \
  DEFINE_SEARCHES(NAME, TYPE, , 0, &cmp_value, TYPE cmp_value) \
  DEFINE_SEARCHES(NAME, TYPE, _vector, 1, cmp_values, const TYPE* cmp_values)

#define UCCS_OLD_WAIT_TYPE(NAME, TYPE)                                         \
  UCCS_SHMEM(void, NAME##_wait, (TYPE * ivar, TYPE cmp_value)) {               \
    using Value = Plain<TYPE>;                                                 \
    wait_until(reinterpret_cast<Value*>(ivar), SHMEM_CMP_NE, Value{cmp_value}, \
               "shmem_" #NAME "_wait");                                        \
  }
#include "gen/types.def"

DEFINE_WAIT(long, long, wait_until)
UCCS_SHMEM(void, wait, (long* ivar, long cmp_value)) {
  wait_until(ivar, SHMEM_CMP_NE, cmp_value, "shmem_wait");
}
UCCS_SHMEM(uint64_t, signal_wait_until, (uint64_t * sig_addr, int cmp, uint64_t cmp_value)) {
  return wait_until(sig_addr, cmp, cmp_value, "shmem_signal_wait_until");
}
