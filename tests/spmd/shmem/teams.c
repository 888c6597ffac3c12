// SPDX-License-Identifier: BSD-3-Clause
/* Teams: numbering both ways, members and others, grids, configurations, wrong arguments, many of
 * them, and contexts that number PEs in a team. */
#include "common.h"

static long word, words[16];
static shmem_team_t static_handle = SHMEM_TEAM_WORLD, nobody = SHMEM_TEAM_INVALID;
static shmem_ctx_t static_ctx = SHMEM_CTX_DEFAULT;

static void predefined(int me, int n) {
  CHECK(static_handle == SHMEM_TEAM_WORLD && nobody == SHMEM_TEAM_INVALID && nobody == NULL);
  CHECK(shmem_team_my_pe(static_handle) == me && shmem_team_n_pes(SHMEM_TEAM_WORLD) == n);
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1 && shmem_team_n_pes(SHMEM_TEAM_INVALID) == -1);
  const int shared = shmem_team_n_pes(SHMEM_TEAM_SHARED);
  CHECK(shared >= 1 && shared <= n);
  for (int pe = 0; pe < shared; ++pe) {
    const int world = shmem_team_translate_pe(SHMEM_TEAM_SHARED, pe, SHMEM_TEAM_WORLD);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, world, SHMEM_TEAM_SHARED) == pe);
  }
  shmem_team_config_t config = {77};
  CHECK(shmem_team_get_config(SHMEM_TEAM_WORLD, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
  CHECK(config.num_contexts == 0);
  config.num_contexts = 77;
  CHECK(shmem_team_get_config(SHMEM_TEAM_INVALID, SHMEM_TEAM_NUM_CONTEXTS, &config) != 0);
  CHECK(config.num_contexts == 77 && shmem_team_get_config(SHMEM_TEAM_WORLD, 0, NULL) == 0);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, n, SHMEM_TEAM_SHARED) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, -1, SHMEM_TEAM_SHARED) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_INVALID, 0, SHMEM_TEAM_WORLD) == -1);
  CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, 0, SHMEM_TEAM_INVALID) == -1);
  shmem_team_destroy(SHMEM_TEAM_INVALID);
  shmem_team_t team;
  CHECK(shmem_ctx_get_team(static_ctx, &team) == 0 && team == SHMEM_TEAM_WORLD);
  CHECK(shmem_ctx_get_team(SHMEM_CTX_INVALID, &team) != 0 && team == SHMEM_TEAM_INVALID);
}

/* Every triplet that fits, from the world and from a reversed parent. */
static void strided(shmem_team_t parent) {
  const int me = shmem_team_my_pe(parent), n = shmem_team_n_pes(parent);
  for (int start = 0; start < n; ++start) {
    for (int stride = -2; stride <= 3; ++stride) {
      for (int size = 1; size <= n; ++size) {
        shmem_team_t team = SHMEM_TEAM_WORLD;
        const shmem_team_config_t wish = {size + 3};
        const int last = start + stride * (size - 1);
        const int is_legal = last >= 0 && last < n && (stride != 0 || size == 1);
        const int code = shmem_team_split_strided(parent, start, stride, size, &wish,
                                                  SHMEM_TEAM_NUM_CONTEXTS, &team);
        CHECK((code == 0) == is_legal);
        int mine = -1;
        for (int i = 0; is_legal && i < size; ++i)
          if (start + i * stride == me) mine = i;
        CHECK((team == SHMEM_TEAM_INVALID) == (mine < 0));
        if (mine < 0) continue;
        /* usable at once */
        words[0] = mine + 1;
        CHECK(shmem_long_sum_reduce(team, words + 1, words, 1) == 0);
        CHECK(words[1] == (long)size * (size + 1) / 2);
        CHECK(shmem_team_my_pe(team) == mine && shmem_team_n_pes(team) == size);
        for (int i = 0; i < size; ++i) {
          CHECK(shmem_team_translate_pe(team, i, parent) == start + i * stride);
          CHECK(shmem_team_translate_pe(parent, start + i * stride, team) == i);
        }
        shmem_team_config_t config = {0};
        CHECK(shmem_team_get_config(team, SHMEM_TEAM_NUM_CONTEXTS, &config) == 0);
        CHECK(config.num_contexts == size + 3);
        long* there = shmem_team_ptr(team, &word, 0);
        CHECK(there == shmem_ptr(&word, shmem_team_translate_pe(team, 0, SHMEM_TEAM_WORLD)));
        shmem_team_destroy(team);
      }
    }
  }
  shmem_team_t team = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_INVALID, 0, 1, 1, NULL, 0, &team) != 0 && !team);
  CHECK(shmem_team_split_strided(parent, 0, 1, 0, NULL, 0, &team) != 0 && !team);
  CHECK(shmem_team_split_strided(parent, -1, 1, 1, NULL, 0, &team) != 0 && !team);
  CHECK(shmem_team_split_strided(parent, n, 1, 1, NULL, 0, &team) != 0 && !team);
  CHECK(shmem_team_split_strided(parent, 0, 1 << 30, 2147483647, NULL, 0, &team) != 0 && !team);
}

static void grid(shmem_team_t parent) {
  const int me = shmem_team_my_pe(parent), n = shmem_team_n_pes(parent);
  shmem_team_t x, y;
  for (int width = 1; width <= n + 1; ++width) {
    const int columns = width < n ? width : n;
    const shmem_team_config_t config = {5};
    CHECK(shmem_team_split_2d(parent, width, &config, SHMEM_TEAM_NUM_CONTEXTS, &x, NULL, 0, &y) ==
          0);
    CHECK(x != SHMEM_TEAM_INVALID && y != SHMEM_TEAM_INVALID);
    CHECK(shmem_team_my_pe(x) == me % columns && shmem_team_my_pe(y) == me / columns);
    const int row = me / columns, in_row = row < n / columns ? columns : n % columns;
    CHECK(shmem_team_n_pes(x) == in_row);
    CHECK(shmem_team_n_pes(y) == (n - me % columns + columns - 1) / columns);
    for (int i = 0; i < in_row; ++i)
      CHECK(shmem_team_translate_pe(x, i, parent) == row * columns + i);
    for (int i = 0; i < shmem_team_n_pes(y); ++i)
      CHECK(shmem_team_translate_pe(y, i, parent) == i * columns + me % columns);
    words[0] = 1;
    CHECK(shmem_long_sum_reduce(x, words + 1, words, 1) == 0 && words[1] == in_row);
    CHECK(shmem_long_sum_reduce(y, words + 2, words, 1) == 0 && words[2] == shmem_team_n_pes(y));
    shmem_team_destroy(x);
    shmem_team_destroy(y);
  }
  x = y = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_2d(parent, 0, NULL, 0, &x, NULL, 0, &y) != 0 && !x && !y);
  x = y = SHMEM_TEAM_WORLD;
  CHECK(shmem_team_split_2d(SHMEM_TEAM_INVALID, 2, NULL, 0, &x, NULL, 0, &y) != 0 && !x && !y);
}

static void contexts(int me, int n) {
  shmem_team_t team, asked;
  shmem_ctx_t ctx, other;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &team) == 0);
  CHECK(shmem_team_create_ctx(team, SHMEM_CTX_PRIVATE | SHMEM_CTX_NOSTORE, &ctx) == 0);
  CHECK(shmem_team_create_ctx(team, 0, &other) == 0 && other != ctx);
  CHECK(shmem_ctx_get_team(ctx, &asked) == 0 && asked == team);
  word = 0;
  shmem_barrier_all();
  shmem_ctx_long_atomic_add(ctx, &word, me + 1, 0); /* the team's first is the world's last */
  const int target = 0;
  shmem_ctx_pe_quiet(ctx, &target, 1);
  shmem_barrier_all();
  CHECK(word == (me == n - 1 ? (long)n * (n + 1) / 2 : 0));
  shmem_ctx_session_start(ctx, SHMEM_CTX_SESSION_BATCH, NULL, 0);
  const shmem_ctx_session_config_t hint = {100};
  shmem_ctx_session_start(ctx, 0, &hint, SHMEM_CTX_SESSION_TOTAL_OPS);
  shmem_ctx_long_p(ctx, &word, 9, n - 1 - me);
  CHECK(shmem_ctx_long_g(ctx, &word, n - 1 - me) == 9);
  shmem_ctx_session_stop(ctx);
  shmem_ctx_session_stop(ctx);
  shmem_ctx_session_stop(SHMEM_CTX_INVALID);
  shmem_ctx_session_start(SHMEM_CTX_INVALID, 0, NULL, 0);
  shmem_ctx_destroy(ctx);
  shmem_ctx_destroy(SHMEM_CTX_INVALID);
  shmem_team_destroy(team); /* `other` goes with it */
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_INVALID, 0, &ctx) != 0 && ctx == SHMEM_CTX_INVALID);
  CHECK(shmem_team_create_ctx(SHMEM_TEAM_SHARED, 0, &ctx) == 0);
  CHECK(shmem_ctx_get_team(ctx, &asked) == 0 && asked == SHMEM_TEAM_SHARED);
  shmem_ctx_destroy(ctx);
  /* Contexts are cheap, and made and ended without others. */
  static shmem_ctx_t many[1000];
  for (int i = 0; i < (me + 1) * 100; ++i) CHECK(shmem_ctx_create(0, &many[i]) == 0);
  for (int i = (me + 1) * 100; i-- > 0;) {
    shmem_ctx_long_p(many[i], &word, i, me);
    shmem_ctx_destroy(many[i]);
  }
  CHECK(word == 0);
}

static void many(int me, int n) {
  enum { kMany = 100 };
  static shmem_team_t teams[kMany];
  for (int cycle = 0; cycle < rounds(30); ++cycle) {
    for (int i = 0; i < kMany; ++i) {
      CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, i % n, 1, n - i % n, NULL, 0, &teams[i]) ==
            0);
      CHECK((teams[i] != SHMEM_TEAM_INVALID) == (me >= i % n));
    }
    for (int i = 0; i < kMany; ++i) {
      if (teams[i] == SHMEM_TEAM_INVALID) continue;
      CHECK(shmem_team_sync(teams[i]) == 0);
      shmem_team_destroy(teams[i]);
    }
  }
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  predefined(me, n);
  strided(SHMEM_TEAM_WORLD);
  grid(SHMEM_TEAM_WORLD);
  shmem_team_t reversed;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, n - 1, -1, n, NULL, 0, &reversed) == 0);
  strided(reversed);
  grid(reversed);
  contexts(me, n);
  many(me, n);
  shmem_finalize(); /* takes `reversed` */
  return 0;
}
