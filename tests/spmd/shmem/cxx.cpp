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

// The overloads that shmemx.h has in C++, in place of C's generics.
void check_overloads(int me) {
  static unsigned char byte;
  static double real;
  static int number;
  unsigned char byte_got = 0;
  shmem_p(&byte, static_cast<unsigned char>(200), me);
  shmem_get(SHMEM_CTX_DEFAULT, &byte_got, &byte, 1, me);
  CHECK(byte_got == 200);
  const double value = 2.5;
  shmem_put(&real, &value, 1, me);
  CHECK(shmem_g(&real, me) == 2.5);
  shmem_atomic_add(SHMEM_CTX_DEFAULT, &number, 3, me);
  CHECK(shmem_atomic_fetch_inc(&number, me) == 3);
  shmem_wait_until(&number, SHMEM_CMP_EQ, 4);
  CHECK(shmemx_wait_until_timeout(&number, SHMEM_CMP_LT, 4, 0) == SHMEMX_TIMED_OUT);
  int sum = 0;
  CHECK(shmem_sum_reduce(SHMEM_TEAM_WORLD, &sum, &number, 1) == 0);
  CHECK(sum == 4 * shmem_n_pes());
  shmemx_request_handle_t request;
  shmemx_swap_nb(&sum, &number, 9, me, &request);
  shmemx_wait_req(request);
  CHECK(sum == 4 && number == 9);
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
  check_overloads(me);
  shmem_free(heap);
  shmem_finalize();
}
