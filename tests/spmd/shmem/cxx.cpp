// SPDX-License-Identifier: BSD-3-Clause
// The headers in C++: typed names, handles in initialisers, complex numbers, and the deprecated
// functions that share a name with a C11 generic.
#include <mpp/shmem.h>
#include <mpp/shmemx.h>
#include <pshmem.h>

#include <complex>

extern "C" {
#include "common.h"
}

namespace {

long word, words[4];
long work_array[SHMEM_SYNC_SIZE];
std::complex<double> numbers[2], product[2];
shmem_team_t team = SHMEM_TEAM_INVALID;
thread_local shmem_ctx_t context = SHMEM_CTX_INVALID;
const shmem_team_t everybody = SHMEM_TEAM_WORLD;

template <class T>
T* allocate(size_t count) {
  return static_cast<T*>(shmem_malloc(count * sizeof(T)));
}

}  // namespace

int main() {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  static_assert(SHMEM_CMP_EQ != SHMEM_CMP_NE && SHMEM_MAJOR_VERSION == 1, "constants");
  switch (SHMEM_CMP_LT) {
    case SHMEM_CMP_LT:
      break;
    case SHMEM_CMP_GT:
      shmem_global_exit(1);
  }
  CHECK(context == SHMEM_CTX_INVALID && team == nullptr);
  shmem_long_p(&word, me, next);
  shmem_ctx_long_p(SHMEM_CTX_DEFAULT, words, me, next);
  shmem_barrier_all();
  CHECK(word == (me + n - 1) % n && words[0] == word);
  shmem_sync(0, 0, n, work_array);
  shmem_wait_until(&word, SHMEM_CMP_GE, 0);
  double* heap = allocate<double>(8);
  const double values[3] = {1.5, -2.5, 3.5};
  shmem_double_put(heap, values, 3, next);
  shmem_quiet();
  CHECK(shmem_double_g(heap + 1, next) == -2.5);
  CHECK(shmem_long_atomic_fetch_add(&word, 5, me) == (me + n - 1) % n);
  shmem_long_atomic_and(&word, 0, me);
  CHECK(word == 0);
  numbers[0] = {1.0, static_cast<double>(me)};
  CHECK(shmem_complexd_sum_reduce(everybody, reinterpret_cast<uccs_complexd_t*>(product),
                                  reinterpret_cast<uccs_complexd_t*>(numbers), 1) == 0);
  CHECK(product[0] == std::complex<double>(n, n * (n - 1) / 2));
  numbers[0] = {0.0, 1.0};
  shmem_barrier_all();
  CHECK(shmem_complexd_prod_reduce(everybody, reinterpret_cast<uccs_complexd_t*>(product),
                                   reinterpret_cast<uccs_complexd_t*>(numbers), 1) == 0);
  const std::complex<double> powers[4] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
  CHECK(product[0] == powers[n % 4]);
  CHECK(shmem_team_split_strided(everybody, 0, 1, 1, nullptr, 0, &team) == 0);
  CHECK((team == SHMEM_TEAM_INVALID) == (me != 0));
  CHECK(pshmem_my_pe() == me && pshmem_long_g(&word, me) == 0);
  shmem_free(heap);
  shmem_finalize();
}
