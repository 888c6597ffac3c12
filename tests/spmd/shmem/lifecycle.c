// SPDX-License-Identifier: BSD-3-Clause
/* Starting, nesting, ending and starting again; what can be asked in which state. */
#include "common.h"

static long counter;

static int is_initialized(void) {
  int answer = -1;
  shmem_query_initialized(&answer);
  return answer;
}
static int thread_level(void) {
  int level = -1;
  shmem_query_thread(&level);
  return level;
}

int main(void) {
  int provided = -1, major, minor;
  char name[SHMEM_MAX_NAME_LEN];
  CHECK(!is_initialized() && thread_level() == SHMEM_THREAD_SINGLE);
  shmem_info_get_version(&major, &minor);
  shmem_info_get_name(name);
  CHECK(major == SHMEM_MAJOR_VERSION && minor == SHMEM_MINOR_VERSION);
  CHECK(!strcmp(name, SHMEM_VENDOR_STRING));
  CHECK(shmem_init_thread(99, &provided) != 0 && !is_initialized());
  CHECK(shmem_init_thread(-1, &provided) != 0 && !is_initialized());

  CHECK(shmem_init_thread(SHMEM_THREAD_FUNNELED, &provided) == 0);
  CHECK(provided >= SHMEM_THREAD_FUNNELED && thread_level() == provided && is_initialized());
  const int me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  CHECK(me >= 0 && me < n);

  /* Nested: the inner end frees nothing, but is a barrier that completes puts. */
  long* block = shmem_calloc(1, sizeof *block);
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0);
  shmem_init();
  CHECK(shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) == 0);
  CHECK(provided == thread_level());
  shmem_long_p(block, me + 1, next);
  shmem_finalize();
  CHECK(is_initialized() && *block == (me + n - 1) % n + 1);
  shmem_finalize();
  CHECK(is_initialized());
  shmem_long_atomic_inc(block, next);
  CHECK(shmem_team_sync(team) == 0);
  CHECK(*block == (me + n - 1) % n + 2);

  /* The last end takes what is left (block, team), and the library starts again. */
  for (int phase = 1; phase <= 3; ++phase) {
    shmem_finalize();
    CHECK(!is_initialized() && thread_level() == SHMEM_THREAD_SINGLE);
    shmem_finalize(); /* one too many does nothing */
    shmem_init();
    CHECK(is_initialized() && shmem_my_pe() == me && shmem_n_pes() == n);
    long* again = shmem_calloc(100000, sizeof *again);
    CHECK(again);
    shmem_long_atomic_add(again, me, next);
    shmem_long_atomic_inc(&counter, 0);
    shmem_barrier_all();
    CHECK(*again == (me + n - 1) % n);
    CHECK(shmem_long_g(&counter, 0) >= (long)phase * n);
    long sum = 0;
    static long ones;
    ones = 1;
    CHECK(shmem_long_sum_reduce(SHMEM_TEAM_WORLD, again, &ones, 1) == 0);
    sum = *again;
    CHECK(sum == n);
    CHECK(shmem_team_split_strided(SHMEM_TEAM_SHARED, 0, 1, 1, NULL, 0, &team) == 0);
    CHECK((team == SHMEM_TEAM_INVALID) == (shmem_team_my_pe(SHMEM_TEAM_SHARED) != 0));
  }
  shmem_finalize();
  return 0;
}
