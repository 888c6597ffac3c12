// SPDX-License-Identifier: BSD-3-Clause
/* The puts and gets of 8 to 128 bits and of bytes: any alignment for bytes, lengths from nothing to
 * beyond the caches, sources of every kind of memory. */
#include <stdlib.h>

#include "common.h"

enum { kRoom = 4096 };
static unsigned char __attribute__((aligned(64))) room[kRoom];
static uint64_t arrived;
static const char constant[] = "constant data is a fine source";

static void pattern(unsigned char* at, size_t bytes, int pe) {
  for (size_t i = 0; i < bytes; ++i) at[i] = (unsigned char)(i * 37 + (size_t)pe * 101 + 1);
}

#define DEFINE_SIZED(FORM, BITS)                                                                \
  static void FORM##sized_##BITS(CTX_PARAMETER_##FORM int to, int writer) {                     \
    enum { kBytes = BITS / 8, kCount = 9 };                                                     \
    unsigned char __attribute__((aligned(16))) mine[kBytes * kCount * 2],                       \
        back[kBytes * kCount * 2];                                                              \
    unsigned char theirs[kBytes * kCount * 2];                                                  \
    pattern(mine, sizeof mine, shmem_my_pe());                                                  \
    pattern(theirs, sizeof theirs, writer);                                                     \
    shmem_barrier_all();                                                                        \
    memset(room, 0, sizeof room);                                                               \
    arrived = 0;                                                                                \
    shmem_barrier_all();                                                                        \
    shmem_##FORM##put##BITS(CTX_ARGUMENT_##FORM room, mine, kCount, to);                        \
    shmem_##FORM##put##BITS##_nbi(CTX_ARGUMENT_##FORM room + 512, mine, 1, to);                 \
    shmem_##FORM##iput##BITS(CTX_ARGUMENT_##FORM room + 1024, mine, 2, 1, kCount, to);          \
    shmem_##FORM##ibput##BITS(CTX_ARGUMENT_##FORM room + 2048, mine, 3, 2, 2, 3, to);           \
    QUIET_##FORM;                                                                               \
    shmem_##FORM##put##BITS##_signal(CTX_ARGUMENT_##FORM room + 3072, mine, 3, &arrived, 1,     \
                                     SHMEM_SIGNAL_ADD, to);                                     \
    shmem_##FORM##put##BITS##_signal_nbi(CTX_ARGUMENT_##FORM room + 3584, mine, 1, &arrived, 1, \
                                         SHMEM_SIGNAL_ADD, to);                                 \
    shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 2);                                         \
    CHECK(!memcmp(room, theirs, kBytes * kCount) && room[kBytes * kCount] == 0);                \
    CHECK(!memcmp(room + 512, theirs, kBytes) && room[512 + kBytes] == 0);                      \
    for (int i = 0; i < kCount; ++i)                                                            \
      CHECK(!memcmp(room + 1024 + i * 2 * kBytes, theirs + i * kBytes, kBytes));                \
    for (int i = 0; i < 3; ++i)                                                                 \
      CHECK(!memcmp(room + 2048 + i * 3 * kBytes, theirs + i * 2 * kBytes, 2 * kBytes));        \
    CHECK(!memcmp(room + 3072, theirs, 3 * kBytes) && !memcmp(room + 3584, theirs, kBytes));    \
    shmem_barrier_all();                                                                        \
    shmem_##FORM##get##BITS(CTX_ARGUMENT_##FORM back, room, kCount, to);                        \
    CHECK(!memcmp(back, mine, kBytes * kCount));                                                \
    memset(back, 0, sizeof back);                                                               \
    shmem_##FORM##get##BITS##_nbi(CTX_ARGUMENT_##FORM back, room, 1, to);                       \
    QUIET_##FORM;                                                                               \
    CHECK(!memcmp(back, mine, kBytes));                                                         \
    memset(back, 0, sizeof back);                                                               \
    shmem_##FORM##iget##BITS(CTX_ARGUMENT_##FORM back, room + 1024, 1, 2, kCount, to);          \
    CHECK(!memcmp(back, mine, kBytes * kCount));                                                \
    memset(back, 0, sizeof back);                                                               \
    shmem_##FORM##ibget##BITS(CTX_ARGUMENT_##FORM back, room + 2048, 2, 3, 2, 3, to);           \
    CHECK(!memcmp(back, mine, 6 * kBytes));                                                     \
    shmem_barrier_all();                                                                        \
  }
#define UCCS_SIZE(BITS) \
  DEFINE_SIZED(, BITS)  \
  DEFINE_SIZED(ctx_, BITS)
#include "gen/types.def"

static void bytes_of_any_alignment(int to, int writer) {
  unsigned char mine[80], theirs[80], back[80];
  pattern(mine, sizeof mine, shmem_my_pe());
  pattern(theirs, sizeof theirs, writer);
  for (size_t length = 0; length <= 40; ++length) {
    for (size_t shift = 0; shift < 9; ++shift) {
      if (!is_turn(7)) continue;
      memset(room, 0, 128);
      shmem_barrier_all();
      shmem_putmem(room + shift, mine + 8 - shift, length, to);
      shmem_barrier_all();
      CHECK(!memcmp(room + shift, theirs + 8 - shift, length) && room[shift + length] == 0);
      CHECK(shift == 0 || room[shift - 1] == 0);
      back[length] = 77;
      shmem_getmem(back, room + shift, length, to);
      CHECK(!memcmp(back, mine + 8 - shift, length) && back[length] == 77);
      shmem_getmem_nbi(back, room + shift, length, to);
      shmem_quiet();
      CHECK(!memcmp(back, mine + 8 - shift, length));
      shmem_barrier_all();
    }
  }
  shmem_putmem_nbi(room, mine, 33, to);
  shmem_putmem_signal(room + 64, constant, sizeof constant, &arrived, 1000, SHMEM_SIGNAL_SET, to);
  shmem_signal_wait_until(&arrived, SHMEM_CMP_EQ, 1000);
  CHECK(!strcmp((char*)room + 64, constant));
  shmem_barrier_all();
  CHECK(!memcmp(room, theirs, 33));
}

/* Larger than any cache, so the copy takes another path; odd addresses on both sides. */
static void huge(int to, int writer) {
  const size_t bytes = (size_t)rounds(48) << 20;
  unsigned char *block = shmem_malloc(bytes + 64), *mine = malloc(bytes + 64);
  CHECK(block && mine);
  pattern(mine + 3, bytes, shmem_my_pe());
  block[bytes + 5] = 99;
  shmem_putmem(block + 5, mine + 3, bytes, to);
  shmem_barrier_all();
  pattern(mine + 3, bytes, writer);
  CHECK(!memcmp(block + 5, mine + 3, bytes) && block[bytes + 5] == 99);
  memset(mine, 0, bytes);
  shmem_getmem(mine + 7, block + 5, bytes, to);
  shmem_barrier_all();
  pattern(block, bytes, shmem_my_pe());
  CHECK(!memcmp(block, mine + 7, bytes));
  shmem_free(block);
  free(mine);
}

int main(void) {
  shmem_init();
  const int me = shmem_my_pe(), n = shmem_n_pes();
  shmem_ctx_t ctx;
  CHECK(shmem_ctx_create(0, &ctx) == 0);
  for (int shift = 0; shift < n; ++shift) {
    const int to = (me + shift) % n, writer = (me + n - shift) % n;
#define UCCS_SIZE(BITS)     \
  sized_##BITS(to, writer); \
  ctx_sized_##BITS(ctx, to, writer);
#include "gen/types.def"
  }
  bytes_of_any_alignment((me + 1) % n, (me + n - 1) % n);
  bytes_of_any_alignment(me, me);
  huge(n - 1 - me, n - 1 - me);
  /* Nothing to move: any pointers will do. Source and target may be the same place. */
  shmem_putmem(NULL, NULL, 0, n - 1);
  shmem_getmem(NULL, NULL, 0, n - 1);
  shmem_putmem(room, room, sizeof room, me);
  shmem_ctx_destroy(ctx);
  shmem_finalize();
  return 0;
}
