// SPDX-License-Identifier: BSD-3-Clause
/* Groups and their collectives, and that messages are served inside them. */
#include "common.h"

static void test_world(void) {
  start();
  uccs_group_t world = uccs_group_world();
  CHECK(world && uccs_group_rank(world) == me && uccs_group_size(world) == n);
  for (int i = 0; i < n; ++i) CHECK(uccs_group_ec(world, i) == i);
  CHECK(uccs_group_ec(world, n) == -1 && uccs_group_ec(world, -1) == -1);
  CHECK_OK(uccs_group_destroy(world));
  CHECK_OK(uccs_group_destroy(NULL));
  uccs_group_t group;
  CHECK_STATUS(uccs_group_create(NULL, 0, 1, 1, &group), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_group_create(world, 0, 1, 1, NULL), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_barrier(NULL), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_bcast(world, &group, 1, n), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_bcast(world, NULL, 1, 0), UCCS_ERR_INVALID);
  int a = 0;
  double d = 0;
  CHECK_STATUS(uccs_allreduce(world, &a, &a, 1, UCCS_TYPE_COUNT, UCCS_SUM), UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_allreduce(world, &a, &a, 1, UCCS_TYPE_INT32, UCCS_REDUCE_OP_COUNT),
               UCCS_ERR_INVALID);
  CHECK_STATUS(uccs_allreduce(world, &d, &d, 1, UCCS_TYPE_DOUBLE, UCCS_XOR), UCCS_ERR_UNSUPPORTED);
  barrier();
  stop();
}

static void use(uccs_group_t group) {
  const int rank = uccs_group_rank(group), size = uccs_group_size(group);
  CHECK(uccs_group_ec(group, rank) == me);
  static const size_t sizes[] = {1, 8, 100, 5000, 40000};
  for (size_t s = 0; s < sizeof sizes / sizeof *sizes; ++s) {
    const size_t bytes = sizes[s], total = bytes * (size_t)size;
    unsigned char *in = malloc(total), *out = malloc(total);
    for (int root = 0; root < size; ++root) {
      fill(out, bytes, me, root);
      CHECK_OK(uccs_bcast(group, out, bytes, root));
      CHECK(holds(out, bytes, uccs_group_ec(group, root), root));
    }
    fill(out, bytes, me, 3);
    CHECK_OK(uccs_allgather(group, in, out, bytes));
    for (int i = 0; i < size; ++i)
      CHECK(holds(in + (size_t)i * bytes, bytes, uccs_group_ec(group, i), 3));
    for (int i = 0; i < size; ++i) fill(out + (size_t)i * bytes, bytes, me, i);
    CHECK_OK(uccs_alltoall(group, in, out, bytes));
    for (int i = 0; i < size; ++i)
      CHECK(holds(in + (size_t)i * bytes, bytes, uccs_group_ec(group, i), rank));
    free(in);
    free(out);
  }
  CHECK_OK(uccs_barrier(group));
}

static void test_groups(void) {
  start();
  uccs_group_t world = uccs_group_world(), group;
  use(world);
  for (int stride = 1; stride <= 3; ++stride)
    for (int first = 0; first < n; ++first) {
      const int size = (n - 1 - first) / stride + 1;
      CHECK_OK(uccs_group_create(world, first, stride, size, &group));
      const int is_member = me >= first && (me - first) % stride == 0;
      CHECK((group != NULL) == is_member);
      if (group) use(group);
      CHECK_OK(uccs_group_destroy(group));
    }
  CHECK_OK(uccs_group_create(world, n - 1, -1, n, &group)); /* backwards */
  CHECK(uccs_group_rank(group) == n - 1 - me);
  use(group);
  uccs_group_t pair;
  CHECK_OK(uccs_group_create(group, 0, 1, n > 1 ? 2 : 1, &pair));
  if (pair) use(pair);
  CHECK_OK(uccs_group_destroy(pair));
  CHECK_OK(uccs_group_destroy(group));
  CHECK(uccs_group_create(world, 0, 1, n + 1, &group) == UCCS_ERR_INVALID);
  CHECK_OK(uccs_group_split(world, 2, me ^ 1, &group)); /* in pairs, the other way around */
  use(group);
  const int rank = uccs_group_rank(group);
  CHECK_OK(uccs_group_split(group, rank == 1 ? UCCS_NO_COLOR : 0, 0, &pair));
  CHECK((pair == NULL) == (rank == 1));
  if (pair) use(pair);
  CHECK_OK(uccs_group_destroy(pair));
  CHECK_OK(uccs_group_destroy(group));
  CHECK(uccs_group_split(world, -2, 0, &group) == UCCS_ERR_INVALID);
  CHECK(uccs_group_split(NULL, 0, 0, &group) == UCCS_ERR_INVALID);
  stop();
}

/* Every type and operation against a loop over the members. */
#define FOR_TYPE(name, type)                                                                   \
  {                                                                                            \
    for (int op = 0; op < UCCS_REDUCE_OP_COUNT; ++op) {                                        \
      type in[kCount], out[kCount];                                                            \
      for (int i = 0; i < kCount; ++i) in[i] = VALUE(type, me, i);                             \
      const uccs_status_t status =                                                             \
          uccs_allreduce(world, out, in, kCount, UCCS_TYPE_##name, (uccs_reduce_op_t)op);      \
      if (op >= UCCS_AND && IS_FLOAT) {                                                        \
        CHECK(status == UCCS_ERR_UNSUPPORTED);                                                 \
        continue;                                                                              \
      }                                                                                        \
      CHECK(status == UCCS_OK);                                                                \
      for (int i = 0; i < kCount; ++i) {                                                       \
        type expected = VALUE(type, 0, i);                                                     \
        for (int ec = 1; ec < n; ++ec) {                                                       \
          const type v = VALUE(type, ec, i);                                                   \
          switch (op) {                                                                        \
            case UCCS_SUM:                                                                     \
              expected = SUM(type, expected, v);                                               \
              break;                                                                           \
            case UCCS_PRODUCT:                                                                 \
              expected = PRODUCT(type, expected, v);                                           \
              break;                                                                           \
            case UCCS_MIN:                                                                     \
              expected = v < expected ? v : expected;                                          \
              break;                                                                           \
            case UCCS_MAX:                                                                     \
              expected = v > expected ? v : expected;                                          \
              break;                                                                           \
            default:                                                                           \
              BITWISE(type) break;                                                             \
          }                                                                                    \
        }                                                                                      \
        CHECK(out[i] == expected);                                                             \
      }                                                                                        \
      CHECK_OK(uccs_allreduce(world, in, in, kCount, UCCS_TYPE_##name, (uccs_reduce_op_t)op)); \
      CHECK(memcmp(in, out, sizeof in) == 0); /* in place */                                   \
    }                                                                                          \
  }

static void test_reductions(void) {
  enum { kCount = 33 };
  start();
  uccs_group_t world = uccs_group_world();
/* Top bits set in many: a comparison of the wrong signedness shows. */
#define VALUE(type, ec, i) \
  (type)((type)((ec)*37 + (i)*5 + 3) ^ (type)((uint64_t)((i) % 2) << (sizeof(type) * 8 - 1)))
#define IS_FLOAT 0
#define SUM(type, a, b) (type)((uint64_t)(a) + (uint64_t)(b)) /* wraps */
#define PRODUCT(type, a, b) (type)((uint64_t)(a) * (uint64_t)(b))
#define BITWISE(type) \
  expected = (type)(op == UCCS_AND ? expected & v : op == UCCS_OR ? expected | v : expected ^ v);
#define SMALL(name, type) FOR_TYPE(name, type)
  UCCS_REDUCE_INTEGER_TYPES(SMALL)
#undef VALUE
#undef IS_FLOAT
#undef SUM
#undef PRODUCT
#undef BITWISE
#define VALUE(type, ec, i) (type)(((i) % 2 ? -1 : 1) * (1 + ((ec) + (i)) % 3) * 0.5)
#define IS_FLOAT 1
#define SUM(type, a, b) ((a) + (b))
#define PRODUCT(type, a, b) ((a) * (b))
#define BITWISE(type)
  UCCS_REDUCE_FLOAT_TYPES(FOR_TYPE)
  stop();
}

/* EC 0 waits in a barrier while the others want answers from it before they arrive. */
static int answered;
static void on_ask(const uccs_am_t* m, void* user) {
  (void)user;
  CHECK_OK(uccs_am_reply_short(m, 2, NULL, 0));
}
static void on_answer(const uccs_am_t* m, void* user) {
  (void)m, (void)user;
  ++answered;
}
static void test_progress_inside(void) {
  start();
  CHECK_OK(uccs_am_register(context, 1, on_ask, UCCS_AM_USER, NULL));
  CHECK_OK(uccs_am_register(context, 2, on_answer, UCCS_AM_USER, NULL));
  barrier();
  if (me != 0) {
    for (int i = 0; i < 1000; ++i) {
      uccs_status_t status;
      POST_REQUEST(status, uccs_am_short_nb(peers[0], 1, NULL, 0, NULL));
    }
    while (answered < 1000) uccs_progress(context);
  }
  barrier();
  stop();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"world", test_world},
                                      {"groups", test_groups},
                                      {"reductions", test_reductions},
                                      {"progress_inside", test_progress_inside},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
