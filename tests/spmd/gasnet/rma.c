// SPDX-License-Identifier: BSD-3-Clause
/* Puts, gets, memset and values (specification 3.1 to 3.4): every function and every sync. */
#include "common.h"

enum { kRoom = 1 << 18 }; /* of the segment for each node that writes there */
static const size_t sizes[] = {0,  1,  2,  3,   4,   5,    6,    7,    8,     9,
                               15, 16, 33, 100, 511, 4096, 8192, 8193, 65537, kRoom - 8};
enum { kSizes = sizeof sizes / sizeof *sizes };
static unsigned char source[kRoom], result[kRoom + 8];
static int round_now;

static gasnet_node_t next(void) { return (me + 1) % n; }
static gasnet_node_t previous(void) { return (me + n - 1) % n; }
/* Where this node writes at its neighbour, and where it finds what the other neighbour wrote. */
static unsigned char* there(void) { return at(next(), 64 + me * (size_t)kRoom); }
static unsigned char* here(void) { return at(me, 64 + previous() * (size_t)kRoom); }

static void begin(size_t bytes) {
  ++round_now;
  fill(source, bytes, (int)me, round_now);
  memset(result, 0, sizeof result);
  barrier();
}
/* What was put is there, also when looked at from its writer, and nothing beyond. */
static void end(size_t bytes, unsigned char beyond) {
  barrier();
  CHECK(holds(here(), bytes, (int)previous(), round_now));
  CHECK(here()[bytes] == beyond);
  gasnet_get_bulk(result, next(), there(), bytes);
  CHECK(holds(result, bytes, (int)me, round_now) && result[bytes] == 0);
  barrier();
}

static void put_in_way(int way, unsigned char* dest, size_t bytes) {
  gasnet_handle_t handle = GASNET_INVALID_HANDLE;
  switch (way) {
    case 0:
      gasnet_put(next(), dest, source, bytes);
      return;
    case 1:
      gasnet_put_bulk(next(), dest, source, bytes);
      return;
    case 2:
      handle = gasnet_put_nb(next(), dest, source, bytes);
      memset(source, 0, bytes); /* the source is free */
      gasnet_wait_syncnb(handle);
      return;
    case 3:
      handle = gasnet_put_nb_bulk(next(), dest, source, bytes);
      while (gasnet_try_syncnb(handle) != GASNET_OK) CHECK_OK(gasnet_AMPoll());
      return;
    case 4:
      gasnet_put_nbi(next(), dest, source, bytes);
      memset(source, 0, bytes);
      gasnet_wait_syncnbi_puts();
      return;
    case 5:
      gasnet_put_nbi_bulk(next(), dest, source, bytes);
      while (gasnet_try_syncnbi_puts() != GASNET_OK) CHECK_OK(gasnet_AMPoll());
      return;
    default:
      gasnet_begin_nbi_accessregion();
      gasnet_put_nbi_bulk(next(), dest, source, bytes / 2);
      gasnet_put_nbi_bulk(next(), dest + bytes / 2, source + bytes / 2, bytes - bytes / 2);
      handle = gasnet_end_nbi_accessregion();
      gasnet_wait_syncnbi_all(); /* has nothing to do with the region */
      gasnet_wait_syncnb_all(&handle, 1);
      CHECK(handle == GASNET_INVALID_HANDLE);
  }
}
static void test_puts(void) {
  for (int way = 0; way < 7; ++way)
    for (int i = 0; i < kSizes; ++i) {
      const unsigned char beyond = here()[sizes[i]];
      begin(sizes[i]);
      put_in_way(way, there(), sizes[i]);
      end(sizes[i], beyond);
    }
}

static void get_in_way(int way, void* to, unsigned char* from, size_t bytes) {
  gasnet_handle_t handles[3] = {GASNET_INVALID_HANDLE, GASNET_INVALID_HANDLE,
                                GASNET_INVALID_HANDLE};
  switch (way) {
    case 0:
      gasnet_get(to, next(), from, bytes);
      return;
    case 1:
      gasnet_get_bulk(to, next(), from, bytes);
      return;
    case 2:
      gasnet_wait_syncnb(gasnet_get_nb(to, next(), from, bytes));
      return;
    case 3:
      handles[1] = gasnet_get_nb_bulk(to, next(), from, bytes);
      while (gasnet_try_syncnb_all(handles, 3) != GASNET_OK) CHECK_OK(gasnet_AMPoll());
      return;
    case 4:
      gasnet_get_nbi(to, next(), from, bytes);
      gasnet_wait_syncnbi_gets();
      return;
    case 5:
      gasnet_get_nbi_bulk(to, next(), from, bytes);
      while (gasnet_try_syncnbi_gets() != GASNET_OK) CHECK_OK(gasnet_AMPoll());
      return;
    default:
      gasnet_begin_nbi_accessregion();
      gasnet_get_nbi(to, next(), from, bytes);
      handles[0] = gasnet_end_nbi_accessregion();
      gasnet_wait_syncnb_some(handles, 3);
      CHECK(handles[0] == GASNET_INVALID_HANDLE);
  }
}
static void test_gets(void) {
  for (int way = 0; way < 7; ++way)
    for (int i = 0; i < kSizes; ++i) {
      begin(sizes[i]);
      fill(at(me, 0), sizes[i], (int)me, round_now);
      barrier();
      get_in_way(way, result, at(next(), 0), sizes[i]);
      CHECK(holds(result, sizes[i], (int)next(), round_now) && result[sizes[i]] == 0);
    }
  barrier();
}

static int is_all(const unsigned char* from, size_t bytes, unsigned char value) {
  for (size_t i = 0; i < bytes; ++i)
    if (from[i] != value) return 0;
  return 1;
}
static void test_memset(void) {
  for (int way = 0; way < 4; ++way)
    for (int i = 0; i < kSizes; ++i) {
      const size_t bytes = sizes[i];
      const int value = way * 64 + i + 0x100; /* only the low byte counts */
      here()[bytes] = 77;
      barrier();
      if (way == 0) gasnet_memset(next(), there(), value, bytes);
      if (way == 1) gasnet_wait_syncnb(gasnet_memset_nb(next(), there(), value, bytes));
      if (way == 2) gasnet_memset_nbi(next(), there(), value, bytes);
      if (way == 2) gasnet_wait_syncnbi_all();
      if (way == 3) {
        gasnet_begin_nbi_accessregion();
        gasnet_memset_nbi(next(), there(), value, bytes);
        gasnet_wait_syncnb(gasnet_end_nbi_accessregion());
      }
      barrier();
      CHECK(is_all(here(), bytes, (unsigned char)value) && here()[bytes] == 77);
      barrier();
    }
}

static void test_values(void) {
  const gasnet_register_value_t value = (gasnet_register_value_t)0xf1e2d3c4b5a69788u;
  for (size_t bytes = 1; bytes <= SIZEOF_GASNET_REGISTER_VALUE_T; ++bytes)
    for (size_t shift = 0; shift < 3; ++shift) { /* alignment */
      gasnet_register_value_t low = value;
      if (bytes < sizeof value) low &= ((gasnet_register_value_t)1 << 8 * bytes) - 1;
      memset(here(), 0x55, 32);
      barrier();
      unsigned char* const dest = there() + shift * bytes;
      if (shift == 0) gasnet_put_val(next(), dest, value, bytes);
      if (shift == 1) gasnet_wait_syncnb(gasnet_put_nb_val(next(), dest, value, bytes));
      if (shift == 2) gasnet_put_nbi_val(next(), dest, value, bytes);
      if (shift == 2) gasnet_wait_syncnbi_puts();
      barrier();
      CHECK(memcmp(here() + shift * bytes, &value, bytes) == 0); /* the low bytes come first */
      CHECK(here()[(shift + 1) * bytes] == 0x55);
      CHECK(gasnet_get_val(next(), dest, bytes) == low);
      CHECK(gasnet_wait_syncnb_valget(gasnet_get_nb_val(next(), dest, bytes)) == low);
      barrier();
    }
}

/* Sizes that are constants, which programs may have inlined. */
#define CHECK_WORD(TYPE)                                                                          \
  do {                                                                                            \
    TYPE value, back[4] = {0};                                                                    \
    fill(&value, sizeof value, (int)me, (int)sizeof value);                                       \
    gasnet_register_value_t wide = 0;                                                             \
    memcpy(&wide, &value, sizeof value);                                                          \
    TYPE* const words = (TYPE*)(void*)there();                                                    \
    gasnet_put(next(), words, &value, sizeof value);                                              \
    gasnet_wait_syncnb(gasnet_put_nb(next(), words + 1, &value, sizeof value));                   \
    gasnet_put_nbi(next(), words + 2, &value, sizeof value);                                      \
    gasnet_put_val(next(), words + 3, wide, sizeof value);                                        \
    gasnet_wait_syncnb(gasnet_put_nb_val(next(), words + 4, wide, sizeof value));                 \
    gasnet_put_nbi_val(next(), words + 5, wide, sizeof value);                                    \
    gasnet_put_val(next(), (char*)(words + 6) + 1, wide, sizeof value); /* not aligned */         \
    gasnet_wait_syncnbi_puts();                                                                   \
    barrier();                                                                                    \
    for (int i = 0; i < 6; ++i)                                                                   \
      CHECK(                                                                                      \
          holds(here() + (size_t)i * sizeof value, sizeof value, (int)previous(), sizeof value)); \
    CHECK(holds(here() + 6 * sizeof value + 1, sizeof value, (int)previous(), sizeof value));     \
    gasnet_get(back, next(), words, sizeof value);                                                \
    gasnet_wait_syncnb(gasnet_get_nb(back + 1, next(), words + 1, sizeof value));                 \
    gasnet_get_nbi(back + 2, next(), words + 2, sizeof value);                                    \
    gasnet_wait_syncnbi_gets();                                                                   \
    for (int i = 0; i < 3; ++i) CHECK(back[i] == value);                                          \
    CHECK(gasnet_get_val(next(), words + 3, sizeof value) == wide && back[3] == 0);               \
    CHECK(gasnet_get_val(next(), (char*)(words + 6) + 1, sizeof value) == wide);                  \
    barrier();                                                                                    \
  } while (0)
static void test_words(void) {
  CHECK_WORD(uint8_t);
  CHECK_WORD(uint16_t);
  CHECK_WORD(uint32_t);
  CHECK_WORD(uint64_t);
}

/* As many operations under way as the specification guarantees. */
static void test_many(void) {
  enum { kMany = 65535 };
  static gasnet_handle_t handles[kMany];
  for (int i = 0; i < kMany; ++i) ((unsigned char*)source)[i] = pattern((int)me, (size_t)i, 5);
  barrier();
  for (int i = 0; i < kMany; ++i)
    handles[i] = gasnet_put_nb_bulk(next(), there() + i, source + i, 1);
  gasnet_wait_syncnb_all(handles, kMany);
  for (int i = 0; i < kMany; ++i) CHECK(handles[i] == GASNET_INVALID_HANDLE);
  barrier();
  CHECK(holds(here(), kMany, (int)previous(), 5));
  for (int i = 0; i < kMany; ++i) gasnet_get_nbi(result + i, me, here() + i, 1);
  gasnet_begin_nbi_accessregion();
  for (int i = 0; i < 1000; ++i) gasnet_put_nbi(me, at(me, (size_t)i), source + i, 1);
  const gasnet_handle_t region = gasnet_end_nbi_accessregion();
  gasnet_wait_syncnbi_gets();
  CHECK(holds(result, kMany, (int)previous(), 5));
  gasnet_wait_syncnb(region);
  CHECK(holds(at(me, 0), 1000, (int)me, 5));
  barrier();
}

/* Lists with and without valid handles. */
static void test_lists(void) {
  gasnet_handle_t handles[8] = {0};
  gasnet_wait_syncnb(GASNET_INVALID_HANDLE);
  CHECK_OK(gasnet_try_syncnb(GASNET_INVALID_HANDLE));
  gasnet_wait_syncnb_all(handles, 8);
  gasnet_wait_syncnb_some(handles, 8);
  CHECK_OK(gasnet_try_syncnb_all(handles, 8));
  CHECK_OK(gasnet_try_syncnb_some(handles, 0));
  CHECK_OK(gasnet_try_syncnb_all(NULL, 0));
  CHECK_OK(gasnet_try_syncnbi_all());
  fill(source, 8 * 64, (int)me, 9);
  for (int i = 0; i < 8; i += 2)
    handles[i] = gasnet_put_nb(next(), there() + i * 64, source + i * 64, 64);
  int valid = 8;
  while (valid > 0) {
    gasnet_wait_syncnb_some(handles, 8);
    valid = 0;
    for (int i = 0; i < 8; ++i) valid += handles[i] != GASNET_INVALID_HANDLE;
  }
  barrier();
  for (int i = 0; i < 8; i += 2)
    CHECK(memcmp(here() + i * 64, at(me, 64 + previous() * (size_t)kRoom + (size_t)i * 64), 64) ==
          0);
  barrier();
}

int main(int argc, char** argv) {
  start(&argc, &argv, NULL, 0);
  CHECK((n + 1) * (size_t)kRoom + 64 <= SEGMENT_BYTES);
  const char* what = argc > 1 ? argv[1] : "";
  if (!strcmp(what, "puts")) test_puts();
  if (!strcmp(what, "gets")) test_gets();
  if (!strcmp(what, "memset")) test_memset();
  if (!strcmp(what, "values")) test_values();
  if (!strcmp(what, "words")) test_words();
  if (!strcmp(what, "many")) test_many();
  if (!strcmp(what, "lists")) test_lists();
  stop();
}
