// SPDX-License-Identifier: BSD-3-Clause
/* Globals of every storage kind are reachable by puts, gets and atomics of other PEs, keep the
 * values they had before main, and pointers among them stay valid. */
#include <string.h>

#include "check.h"

static int in_data = 41;
static long in_bss;
static char far_in_bss[3 * 1024 * 1024];
static int* points_at_data = &in_data;
int with_linkage[4] = {1, 2, 3, 4};
static const char* text = "unchanged";

__attribute__((constructor)) static void before_main(void) { far_in_bss[12345] = 'c'; }

int main(void) {
  static long local_static = 5;
  const int local_value = 7;
  in_data = 42; /* between load and init */
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  CHECK(in_data == 42 && *points_at_data == 42 && points_at_data == &in_data);
  CHECK(far_in_bss[12345] == 'c' && far_in_bss[12346] == 0 && !strcmp(text, "unchanged"));
  CHECK(with_linkage[3] == 4 && local_static == 5);
  CHECK(shmem_addr_accessible(&in_bss, next) && !shmem_addr_accessible(&local_value, next));
  CHECK(!shmem_addr_accessible(NULL, next) && !shmem_addr_accessible(&in_bss, n));
  shmem_barrier_all(); /* all have looked before anybody puts */

  shmem_int_p(&in_data, 1000 + me, next);
  shmem_long_p(&local_static, 2000 + me, next);
  shmem_putmem(far_in_bss + sizeof far_in_bss - 4, "end", 4, next);
  for (int pe = 0; pe < n; ++pe) shmem_long_atomic_add(&in_bss, pe + 1, pe);
  shmem_barrier_all();
  const int before = (me + n - 1) % n;
  CHECK(in_data == 1000 + before && *points_at_data == 1000 + before);
  CHECK(local_static == 2000 + before);
  CHECK(!strcmp(far_in_bss + sizeof far_in_bss - 4, "end"));
  CHECK(in_bss == (long)n * (me + 1));
  CHECK(shmem_int_g(&in_data, next) == 1000 + me);
  int* direct = shmem_ptr(&in_data, next);
  CHECK(direct && *direct == 1000 + me);
  shmem_finalize();
  return 0;
}
