// SPDX-License-Identifier: BSD-3-Clause
/* Teams of members in any order and of any set: numbering, every kind of collective, contexts,
 * teams split off them; grids of three dimensions; the exchanges that pack. */
#include <shmemx.h>

#include "common.h"

enum { kMaxPes = 8, kLongs = 4096 };

static long in[kMaxPes * kLongs], out[kMaxPes * kLongs], word;
static size_t sizes[kMaxPes], offsets[kMaxPes];
static int me, n;

/* Orders and subsets of the PEs 0 to n - 1: color and key of PE `pe` in round `round`. */
enum { kRounds = 6 };
static int color_of(int round, int pe) {
  switch (round) {
    case 0:
    case 1:
      return 7;
    case 2:
      return pe == 2 ? SHMEMX_COLOR_UNDEFINED : 0;
    case 3:
      return pe * pe % 3; /* 0 1 1 0 1 1 0 1 */
    case 4:
      return pe / 2 % 2;
    default:
      return pe;
  }
}
static int key_of(int round, int pe) {
  switch (round) {
    case 0:
      return -pe;
    case 1:
      return pe ^ 1;
    case 3:
      return 5; /* all alike: as in the parent */
    default:
      return pe * 5 % 8;
  }
}

/* The members of the team of `pe`, in order; their number. */
static int members_of(int round, int pe, int* members) {
  int count = 0;
  if (color_of(round, pe) == SHMEMX_COLOR_UNDEFINED) return 0;
  for (int other = 0; other < n; ++other) {
    if (color_of(round, other) != color_of(round, pe)) continue;
    int at = count++;
    for (; at > 0 && key_of(round, members[at - 1]) > key_of(round, other); --at)
      members[at] = members[at - 1];
    members[at] = other;
  }
  return count;
}

static void check_numbers(shmem_team_t team, const int* members, int count) {
  CHECK(shmem_team_n_pes(team) == count);
  CHECK(members[shmem_team_my_pe(team)] == me);
  for (int i = 0; i < count; ++i) {
    CHECK(shmem_team_translate_pe(team, i, SHMEM_TEAM_WORLD) == members[i]);
    CHECK(shmem_team_translate_pe(SHMEM_TEAM_WORLD, members[i], team) == i);
    CHECK(shmem_team_ptr(team, &word, i) == shmem_ptr(&word, members[i]));
  }
  for (int pe = 0; pe < n; ++pe) {
    int is_member = 0;
    for (int i = 0; i < count; ++i) is_member |= members[i] == pe;
    CHECK(is_member || shmem_team_translate_pe(SHMEM_TEAM_WORLD, pe, team) == -1);
  }
  CHECK(shmem_team_translate_pe(team, count, SHMEM_TEAM_WORLD) == -1);
}

static void check_collectives(shmem_team_t team, const int* members, int count) {
  const int rank = shmem_team_my_pe(team);
  for (size_t length = 1; length <= kLongs; length *= 8) {
    for (int root = 0; root < count; ++root) {
      for (size_t i = 0; i < length; ++i) in[i] = 100 * members[rank] + (long)i;
      shmem_team_sync(team);
      CHECK(shmem_long_broadcast(team, out, in, length, root) == 0);
      for (size_t i = 0; i < length; ++i) CHECK(out[i] == 100 * members[root] + (long)i);
    }
    shmem_team_sync(team);
    CHECK(shmem_long_fcollect(team, out, in, length) == 0);
    for (int m = 0; m < count; ++m)
      CHECK(out[(size_t)m * length] == 100 * members[m] &&
            out[(size_t)(m + 1) * length - 1] == 100 * members[m] + (long)length - 1);
    shmem_team_sync(team);
    CHECK(shmem_long_collect(team, out, in, (size_t)rank + 1) == 0);
    for (int m = 0, at = 0; m < count; at += ++m) CHECK(out[at] == 100 * members[m]);
    shmem_team_sync(team);
    CHECK(shmem_long_sum_reduce(team, out, in, length) == 0);
    for (size_t i = 0; i < length; ++i) {
      long sum = 0;
      for (int m = 0; m < count; ++m) sum += 100 * members[m] + (long)i;
      CHECK(out[i] == sum);
    }
    shmem_team_sync(team);
    CHECK(shmem_long_sum_inscan(team, out, in, length) == 0);
    long sum = 0;
    for (int m = 0; m <= rank; ++m) sum += 100 * members[m] + (long)length - 1;
    CHECK(out[length - 1] == sum);
    shmem_team_sync(team);
    for (int m = 0; m < count; ++m) in[(size_t)m * length] = 1000 * rank + m;
    CHECK(shmem_long_alltoall(team, out, in, length) == 0);
    for (int m = 0; m < count; ++m) CHECK(out[(size_t)m * length] == 1000 * m + rank);
    shmem_team_sync(team);
  }
  /* Private buffers. */
  long mine[300], result[300];
  for (int i = 0; i < 300; ++i) mine[i] = i + rank;
  CHECK(shmem_long_max_reduce(team, result, mine, 300) == 0);
  for (int i = 0; i < 300; ++i) CHECK(result[i] == i + count - 1);
  CHECK(shmem_long_broadcast(team, result, mine, 300, count - 1) == 0);
  CHECK(result[299] == 299 + count - 1);
}

/* Member i gives 8 * ((i + 2 j) % 4) bytes to member j. */
static size_t given(int i, int j) { return 8 * (size_t)((i + 2 * j) % 4); }
static void check_packed(shmem_team_t team, int rank, int count) {
  for (int j = 0; j < count; ++j) {
    sizes[j] = given(rank, j);
    offsets[j] = 8 * (size_t)(5 * (count - j));
    for (size_t w = 0; w < sizes[j] / 8; ++w) in[offsets[j] / 8 + w] = 100 * rank + j;
  }
  size_t total = 0, expected = 0;
  for (int i = 0; i < count; ++i) expected += given(i, rank);
  out[expected / 8] = -1;
  if (team == SHMEM_TEAM_INVALID)
    shmemx_alltoallv_packed(out, expected, &total, in, offsets, sizes, 0, 0, count, NULL);
  else
    shmemx_team_alltoallv_packed(out, expected, &total, in, offsets, sizes, team, NULL);
  CHECK(total == expected && out[expected / 8] == -1);
  const long* at = out;
  for (int i = 0; i < count; ++i)
    for (size_t w = 0; w < given(i, rank) / 8; ++w) CHECK(*at++ == 100 * i + rank);
}

static void check_context(shmem_team_t team, const int* members, int count) {
  shmem_ctx_t ctx;
  CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0);
  const int rank = shmem_team_my_pe(team), next = (rank + 1) % count;
  word = 0;
  shmem_team_sync(team);
  shmem_ctx_long_atomic_add(ctx, &word, members[rank] + 1, next);
  shmem_ctx_quiet(ctx);
  shmem_team_sync(team);
  CHECK(word == members[(rank + count - 1) % count] + 1);
  CHECK(shmem_ctx_long_g(ctx, &word, next) == me + 1);
  shmem_team_sync(team);
  shmem_ctx_destroy(ctx);
}

static void check_children(shmem_team_t team, const int* members, int count) {
  shmem_team_t back, x, y;
  CHECK(shmem_team_split_strided(team, count - 1, -1, count, NULL, 0, &back) == 0);
  int reversed[kMaxPes];
  for (int i = 0; i < count; ++i) reversed[i] = members[count - 1 - i];
  check_numbers(back, reversed, count);
  check_collectives(back, reversed, count);
  shmem_team_destroy(back);
  shmem_team_t evens;
  CHECK(shmem_team_split_strided(team, 0, 2, (count + 1) / 2, NULL, 0, &evens) == 0);
  CHECK((evens == SHMEM_TEAM_INVALID) == (shmem_team_my_pe(team) % 2 == 1));
  shmem_team_destroy(evens);
  CHECK(shmem_team_split_2d(team, 2, NULL, 0, &x, NULL, 0, &y) == 0);
  CHECK(shmem_team_my_pe(x) == shmem_team_my_pe(team) % 2);
  CHECK(shmem_team_my_pe(y) == shmem_team_my_pe(team) / 2);
  shmem_team_sync(y);
  shmem_team_destroy(x);
  shmem_team_destroy(y);
}

static void check_grid(int xrange, int yrange, int zrange) {
  shmem_team_t teams[3];
  CHECK(shmemx_team_split_3d(SHMEM_TEAM_WORLD, xrange, yrange, zrange, teams, teams + 1,
                             teams + 2) == 0);
  const int place[3] = {me % xrange, me / xrange % yrange, me / (xrange * yrange)};
  const int step[3] = {1, xrange, xrange * yrange}, range[3] = {xrange, yrange, zrange};
  for (int axis = 0; axis < 3; ++axis) {
    if (place[2] >= zrange) {
      CHECK(teams[axis] == SHMEM_TEAM_INVALID);
      continue;
    }
    CHECK(shmem_team_my_pe(teams[axis]) == place[axis]);
    const int first = me - place[axis] * step[axis];
    int count = 0;
    while (count < range[axis] && first + count * step[axis] < n) ++count;
    CHECK(shmem_team_n_pes(teams[axis]) == count);
    for (int i = 0; i < count; ++i)
      CHECK(shmem_team_translate_pe(teams[axis], i, SHMEM_TEAM_WORLD) == first + i * step[axis]);
    shmem_team_sync(teams[axis]);
    shmem_team_destroy(teams[axis]);
  }
}

static void check_errors(void) {
  shmem_team_t team = SHMEM_TEAM_WORLD, others[2];
  CHECK(shmemx_team_split_color(SHMEM_TEAM_INVALID, 0, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  team = SHMEM_TEAM_WORLD;
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, me == n - 1 ? -2 : 0, 0, &team) != 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, SHMEMX_COLOR_UNDEFINED, 0, &team) == 0);
  CHECK(team == SHMEM_TEAM_INVALID);
  CHECK(shmemx_team_split_3d(SHMEM_TEAM_WORLD, 0, 1, 1, &team, others, others + 1) != 0);
  CHECK(others[1] == SHMEM_TEAM_INVALID);
}

int main(void) {
  shmem_init();
  me = shmem_my_pe();
  n = shmem_n_pes();
  for (int round = 0; round < kRounds; ++round) {
    int members[kMaxPes];
    const int count = members_of(round, me, members);
    shmem_team_t team = SHMEM_TEAM_WORLD;
    CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, color_of(round, me), key_of(round, me),
                                  &team) == 0);
    CHECK((team == SHMEM_TEAM_INVALID) == (count == 0));
    if (count == 0) continue;
    check_numbers(team, members, count);
    check_collectives(team, members, count);
    check_packed(team, shmem_team_my_pe(team), count);
    check_context(team, members, count);
    check_children(team, members, count);
    shmem_team_destroy(team);
  }
  shmem_barrier_all();
  check_packed(SHMEM_TEAM_INVALID, me, n);
  check_grid(1, 1, 1);
  check_grid(2, 2, 2);
  check_grid(2, 1, 2);
  check_grid(3, 2, 1);
  check_grid(100, 1, 1);
  check_errors();
  /* Nothing is used up. */
  for (int i = 0; i < rounds(300); ++i) {
    shmem_team_t team;
    CHECK(shmemx_team_split_color(SHMEM_TEAM_WORLD, 0, me ^ 1, &team) == 0);
    shmem_team_destroy(team);
  }
  shmem_finalize();
  return 0;
}
