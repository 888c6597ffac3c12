// SPDX-License-Identifier: BSD-3-Clause
/* Wrong calls: handles, threads, calls before init and after finalize, collectives that do not
 * match. misuse.py says what is to come of each. */
#include <pthread.h>
#include <stdlib.h>

#include "misuse.h"

static long words[8], more[8];
static int ints[8];
static shmem_ctx_t shared_ctx;

/* ---- Handles ---- */

static shmem_team_t copy_of_world(void) {
  shmem_team_t team;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, 0, &team) == 0);
  return team;
}
static shmem_ctx_t destroyed_ctx(void) {
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  shmem_ctx_destroy(ctx);
  return ctx;
}
static shmem_team_t destroyed_team(void) {
  const shmem_team_t team = copy_of_world();
  shmem_team_destroy(team);
  return team;
}
static void ctx_destroyed(void) { shmem_ctx_long_p(destroyed_ctx(), words, 1, next); }
static void ctx_destroyed_quiet(void) { shmem_ctx_quiet(destroyed_ctx()); }
static void ctx_destroyed_twice(void) { shmem_ctx_destroy(destroyed_ctx()); }
static void ctx_wild(void) { shmem_ctx_long_p((shmem_ctx_t)(uintptr_t)0x1230, words, 1, next); }
static void ctx_wild_odd(void) { (void)shmem_ctx_long_g((shmem_ctx_t)(uintptr_t)0x1235, words, 0); }
static void ctx_default(void) { shmem_ctx_destroy(SHMEM_CTX_DEFAULT); }
static void ctx_pe(void) {
  shmem_team_t alone;
  shmem_ctx_t ctx;
  CHECK(shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, 1, NULL, 0, &alone) == 0);
  if (me == 0 && shmem_team_create_ctx(alone, 0, &ctx) == 0) shmem_ctx_long_p(ctx, words, 1, 1);
  shmem_barrier_all();
}
static void ctx_of_ended_team(void) {
  const shmem_team_t team = copy_of_world();
  shmem_ctx_t ctx;
  CHECK(shmem_team_create_ctx(team, 0, &ctx) == 0);
  shmem_team_destroy(team);
  shmem_ctx_long_p(ctx, words, 1, next);
}
static void pe_quiet_pe(void) {
  const int pes[2] = {0, n};
  shmem_pe_quiet(pes, 2);
}
static void team_destroyed_rank(void) { (void)shmem_team_my_pe(destroyed_team()); }
static void team_destroyed_sync(void) { (void)shmem_team_sync(destroyed_team()); }
static void team_destroyed_twice(void) { shmem_team_destroy(destroyed_team()); }
static void team_wild(void) { (void)shmem_team_n_pes((shmem_team_t)(uintptr_t)0x1230); }
static void team_invalid(void) {
  CHECK(shmem_team_my_pe(SHMEM_TEAM_INVALID) == -1);
  (void)shmem_long_sum_reduce(SHMEM_TEAM_INVALID, words, more, 1);
}
static void team_world(void) { shmem_team_destroy(SHMEM_TEAM_WORLD); }
static void team_config(void) {
  shmem_team_t team;
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, 0, 1, n, NULL, SHMEM_TEAM_NUM_CONTEXTS, &team);
}

/* ---- Threads: the level is the one that main asked for ---- */

static void in_thread(void* (*body)(void*)) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, body, NULL) == 0);
  CHECK(pthread_join(thread, NULL) == 0);
}
static void* put_word(void* unused) {
  shmem_long_p(words, 1, next);
  return unused;
}
static void* put_shared(void* unused) {
  shmem_ctx_long_p(shared_ctx, words, 1, next);
  return unused;
}
static void* end_library(void* unused) {
  shmem_finalize();
  return unused;
}
static void* wait_word(void* unused) {
  shmem_long_wait_until(words, SHMEM_CMP_EQ, 1);
  return unused;
}
static void thread_other(void) { in_thread(put_word); }
static void thread_private(void) {
  CHECK(shmem_ctx_create(SHMEM_CTX_PRIVATE, &shared_ctx) == 0);
  in_thread(put_shared);
}
static void thread_context_in_turn(void) {
  CHECK(shmem_ctx_create(SHMEM_CTX_SERIALIZED, &shared_ctx) == 0);
  shmem_ctx_long_p(shared_ctx, words, 1, next);
  in_thread(put_shared);
}
static void thread_both(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, wait_word, NULL) == 0);
  for (int i = 0; i < 1000000000; ++i) shmem_long_atomic_fetch(more, next);
}
static void* take_lock(void* unused) {
  shmem_set_lock(words);
  return unused;
}
static void thread_lock(void) {
  if (me == 0) shmem_set_lock(words);
  shmem_sync_all();
  if (me == 0) shmem_long_wait_until(more, SHMEM_CMP_EQ, 1);
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, take_lock, NULL) == 0);
  shmem_set_lock(words);
}
static void* sync_all(void* unused) {
  shmem_sync_all();
  return unused;
}
static void thread_collective(void) {
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, sync_all, NULL) == 0);
  if (me == 0) shmem_long_wait_until(words, SHMEM_CMP_EQ, 1);
  shmem_sync_all();
}
static void thread_finalize(void) { in_thread(end_library); }

/* ---- Collectives ---- */

static void coll_name(void) {
  if (me == 0)
    (void)shmem_long_fcollect(SHMEM_TEAM_WORLD, words, more, 1);
  else
    (void)shmem_long_collect(SHMEM_TEAM_WORLD, words, more, 1);
}
static void coll_type(void) {
  if (me == 0)
    (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, more, 1);
  else
    (void)shmem_int_sum_reduce(SHMEM_TEAM_WORLD, ints, ints, 1);
}
static void coll_count(void) {
  (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, words, more, (size_t)me + 1, 0);
}
static void coll_root(void) { (void)shmem_long_broadcast(SHMEM_TEAM_WORLD, words, more, 1, me); }
static void coll_team(void) {
  const shmem_team_t team = copy_of_world();
  if (me == 0)
    shmem_barrier_all();
  else
    (void)shmem_team_sync(team);
}
static void coll_set(void) {
  if (me == 0)
    shmem_barrier_all();
  else
    shmem_barrier(0, 0, n, words);
}
static void coll_malloc(void) { (void)shmem_malloc(64 + 8 * (size_t)me); }
static void coll_free(void) {
  void* const a = shmem_malloc(64);
  void* const b = shmem_malloc(64);
  shmem_free(me == 0 ? a : b);
}
static void coll_finalize(void) {
  if (me == 0) shmem_barrier_all();
}
static void coll_exit(void) {
  if (me == 0) exit(0);
  shmem_barrier_all();
}
static void coll_split(void) {
  shmem_team_t team;
  (void)shmem_team_split_strided(SHMEM_TEAM_WORLD, me, 1, 1, NULL, 0, &team);
}
static void coll_overlap(void) {
  (void)shmem_long_fcollect(SHMEM_TEAM_WORLD, words, words + n - 1, 1);
}
static void coll_reduce_overlap(void) {
  (void)shmem_long_max_reduce(SHMEM_TEAM_WORLD, words + 1, words, 4);
}
static void coll_past(void) {
  long* const small = (long*)shmem_malloc(8);
  (void)shmem_long_fcollect(SHMEM_TEAM_WORLD, small, more, 1);
}
static void coll_collect_past(void) {
  long* const small = (long*)shmem_malloc(8);
  (void)shmem_long_collect(SHMEM_TEAM_WORLD, small, more, me == 0 ? 1 : 2);
}
static void coll_stack(void) {
  long here = 0;
  (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, &here, 1);
}
static void coll_place(void) { (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, more + me, 1); }
static void coll_stride(void) {
  (void)shmem_long_alltoalls(SHMEM_TEAM_WORLD, words, more, 1, 0, 1);
}
static void coll_negative(void) { shmem_long_sum_to_all(words, more, -1, 0, 0, n, NULL, NULL); }
static void coll_right(void) { /* names that mean the same, and counts that may differ */
  if (me == 0)
    shmem_sync_all();
  else
    (void)shmem_team_sync(SHMEM_TEAM_WORLD);
  (void)shmem_long_collect(SHMEM_TEAM_WORLD, words, more, me == 0 ? 2 : 0);
  (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, words, 3);
}

static const struct misuse all[] = {
    {"ctx-destroyed", ctx_destroyed},
    {"ctx-destroyed-quiet", ctx_destroyed_quiet},
    {"ctx-destroyed-twice", ctx_destroyed_twice},
    {"ctx-wild", ctx_wild},
    {"ctx-wild-odd", ctx_wild_odd},
    {"ctx-default", ctx_default},
    {"ctx-pe", ctx_pe},
    {"ctx-of-ended-team", ctx_of_ended_team},
    {"pe-quiet-pe", pe_quiet_pe},
    {"team-destroyed-rank", team_destroyed_rank},
    {"team-destroyed-sync", team_destroyed_sync},
    {"team-destroyed-twice", team_destroyed_twice},
    {"team-wild", team_wild},
    {"team-invalid", team_invalid},
    {"team-world", team_world},
    {"team-config", team_config},
    {"thread-other", thread_other},
    {"thread-private", thread_private},
    {"thread-context-in-turn", thread_context_in_turn},
    {"thread-both", thread_both},
    {"thread-lock", thread_lock},
    {"thread-collective", thread_collective},
    {"thread-finalize", thread_finalize},
    {"coll-name", coll_name},
    {"coll-type", coll_type},
    {"coll-count", coll_count},
    {"coll-root", coll_root},
    {"coll-team", coll_team},
    {"coll-set", coll_set},
    {"coll-malloc", coll_malloc},
    {"coll-free", coll_free},
    {"coll-finalize", coll_finalize},
    {"coll-exit", coll_exit},
    {"coll-split", coll_split},
    {"coll-overlap", coll_overlap},
    {"coll-reduce-overlap", coll_reduce_overlap},
    {"coll-past", coll_past},
    {"coll-collect-past", coll_collect_past},
    {"coll-stack", coll_stack},
    {"coll-place", coll_place},
    {"coll-stride", coll_stride},
    {"coll-negative", coll_negative},
    {"coll-right", coll_right},
};

/* Each of them is wrong while the library is not started. */
static void call_any(const char* name) {
  shmem_ctx_t ctx;
  if (!strcmp(name, "p")) shmem_long_p(words, 1, 0);
  if (!strcmp(name, "g")) (void)shmem_long_g(words, 0);
  if (!strcmp(name, "put")) shmem_long_put(words, more, 1, 0);
  if (!strcmp(name, "inc")) shmem_long_atomic_inc(words, 0);
  if (!strcmp(name, "malloc")) (void)shmem_malloc(8);
  if (!strcmp(name, "free")) shmem_free(words);
  if (!strcmp(name, "barrier")) shmem_barrier_all();
  if (!strcmp(name, "quiet")) shmem_quiet();
  if (!strcmp(name, "wait")) shmem_long_wait_until(words, SHMEM_CMP_EQ, 0);
  if (!strcmp(name, "lock")) shmem_set_lock(words);
  if (!strcmp(name, "team")) (void)shmem_team_my_pe(SHMEM_TEAM_WORLD);
  if (!strcmp(name, "ctx")) (void)shmem_ctx_create(0, &ctx);
  if (!strcmp(name, "reduce")) (void)shmem_long_sum_reduce(SHMEM_TEAM_WORLD, words, more, 1);
  if (!strcmp(name, "my_pe")) (void)shmem_my_pe();
}

int main(int count, char** arguments) {
  static const char* const levels[] = {"single", "funneled", "serialized", "multiple"};
  int level = SHMEM_THREAD_SINGLE, provided;
  const char* const name = count > 1 ? arguments[1] : "";
  const char* const how = count > 2 ? arguments[2] : "";
  for (int i = 0; i < 4; ++i)
    if (!strcmp(how, levels[i])) level = i;
  if (!strcmp(how, "before")) call_any(name);
  CHECK(shmem_init_thread(level, &provided) == 0);
  me = shmem_my_pe(), n = shmem_n_pes(), next = (me + 1) % n;
  if (!strcmp(how, "after")) {
    shmem_finalize();
    call_any(name);
    return 0;
  }
  make_misuse(all, sizeof all / sizeof all[0], name);
  shmem_finalize();
  return 0;
}
