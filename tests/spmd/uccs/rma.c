// SPDX-License-Identifier: BSD-3-Clause
/* One-sided transfers of all shapes, to all kinds of memory. */
#include "common.h"

enum { kRoom = 1 << 17 };
static unsigned char global[kRoom];

/* A place at every EC that everybody can name: region and the address to use on the endpoint of
 * `ec`. */
typedef struct place {
  const char* name;
  uccs_region_t region[64];
  unsigned char* address[64];
  unsigned char* mine;
} place_t;
static place_t places[4];
static int place_count;
static uccs_region_t own_region;

/* Private memory: registered by its owner, imported by everybody. */
static void add_private(void) {
  place_t* p = &places[place_count++];
  p->name = "private";
  p->mine = malloc(kRoom);
  CHECK(p->mine);
  CHECK_OK(uccs_region_register(context, p->mine, kRoom, &own_region));
  unsigned char blob[UCCS_REGION_BLOB_MAX] = {0}, *blobs = malloc((size_t)n * sizeof blob);
  size_t bytes;
  CHECK_OK(uccs_region_export(own_region, blob, sizeof blob, &bytes));
  CHECK(bytes <= sizeof blob);
  CHECK_OK(uccs_allgather(uccs_group_world(), blobs, blob, sizeof blob));
  for (int ec = 0; ec < n; ++ec) {
    CHECK_OK(uccs_region_import(context, blobs + (size_t)ec * sizeof blob, bytes, &p->region[ec]));
    uccs_region_info_t info;
    CHECK_OK(uccs_region_query(p->region[ec], &info));
    CHECK(info.owner == ec && info.bytes == kRoom && !info.is_symmetric);
    p->address[ec] = info.base;
  }
  free(blobs);
}

static uccs_region_t allocated;
static void add_symmetric(const char* name, uccs_region_t region, unsigned char* address) {
  place_t* p = &places[place_count++];
  p->name = name;
  p->mine = address;
  for (int ec = 0; ec < n; ++ec) {
    p->region[ec] = region;
    p->address[ec] = address;
  }
}

static void start_places(void) {
  start();
  CHECK(n <= 64);
  uccs_region_info_t info;
  CHECK_OK(uccs_region_alloc(context, kRoom, 0, &allocated));
  CHECK_OK(uccs_region_query(allocated, &info));
  CHECK(info.is_symmetric && info.bytes == kRoom && (uintptr_t)info.base % 64 == 0);
  add_symmetric("allocated", allocated, info.base);
  add_symmetric("heap", UCCS_REGION_HEAP, info.base);
  add_symmetric("globals", UCCS_REGION_STATIC, global);
  add_private();
  barrier();
}
static void stop_places(void) {
  barrier();
  free(places[3].mine);
  for (int ec = 0; ec < n; ++ec) CHECK_OK(uccs_region_release(places[3].region[ec]));
  CHECK_OK(uccs_region_release(own_region));
  CHECK_OK(uccs_region_release(allocated));
  CHECK_OK(uccs_region_release(UCCS_REGION_HEAP));
  stop();
}

static const size_t sizes[] = {0,  1,  2,  3,   4,    7,    8,    9,    15,   16,   31,    32,   33,
                               63, 64, 65, 100, 1000, 4095, 4096, 8191, 8192, 8193, 20000, kRoom};
enum { kSizes = sizeof sizes / sizeof *sizes };

/* Everybody writes to the next EC, which looks, and reads back from it. */
static void test_contiguous(void) {
  start_places();
  unsigned char *source = malloc(kRoom), *back = malloc(kRoom);
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  for (int p = 0; p < place_count; ++p)
    for (int s = 0; s < kSizes; ++s) {
      const size_t bytes = sizes[s];
      const uccs_region_t region = places[p].region[to];
      unsigned char* there = places[p].address[to];
      for (int kind = 0; kind < 4; ++kind) {
        if (rounds(4) < 4 && (s + p) % 4 != kind) continue;
        if (kind == 0 && bytes > UCCS_RMA_SHORT_MAX) continue;
        if (kind == 1 && bytes > UCCS_RMA_MEDIUM_MAX) continue;
        fill(source, bytes, me, kind);
        memset(back, 0, bytes);
        memset(places[p].mine, 0xee, kRoom);
        barrier();
        uccs_request_t put = UCCS_REQUEST_NULL;
        uccs_status_t status;
        if (kind == 0)
          POST_REQUEST(status,
                       uccs_put_contiguous_short_nb(peers[to], region, there, source, bytes, &put));
        else if (kind == 1)
          POST_REQUEST(
              status, uccs_put_contiguous_medium_nb(peers[to], region, there, source, bytes, &put));
        else if (kind == 2)
          POST_REQUEST(status,
                       uccs_put_contiguous_large_nb(peers[to], region, there, source, bytes, &put));
        else
          POST_REQUEST(status,
                       uccs_put_contiguous_nb(peers[to], region, there, source, bytes, &put));
        if (kind <= 1) memset(source, 0, bytes); /* free on return, whatever the answer */
        CHECK_OK(uccs_wait(&put));
        barrier();
        CHECK(holds(places[p].mine, bytes, from, kind));
        if (bytes < kRoom) CHECK(places[p].mine[bytes] == 0xee);
        if (kind == 0)
          DO(uccs_get_contiguous_short_nb(peers[to], region, back, there, bytes, &request));
        else if (kind == 1)
          DO(uccs_get_contiguous_medium_nb(peers[to], region, back, there, bytes, &request));
        else if (kind == 2)
          DO(uccs_get_contiguous_large_nb(peers[to], region, back, there, bytes, &request));
        else
          DO(uccs_get_contiguous_nb(peers[to], region, back, there, bytes, &request));
        CHECK(holds(back, bytes, me, kind));
        barrier();
      }
    }
  free(source);
  free(back);
  stop_places();
}

/* Operations without request, completed by a flush. */
static void test_flush(void) {
  enum { kPieces = 512 };
  start_places();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  unsigned char *source = malloc(kRoom), *back = malloc(kRoom);
  fill(source, kRoom, me, 0);
  for (int p = 0; p < place_count; ++p) {
    for (size_t i = 0; i < kPieces; ++i) {
      const size_t at = i * (kRoom / kPieces);
      uccs_status_t status;
      POST_REQUEST(status, uccs_put_contiguous_nb(peers[to], places[p].region[to],
                                                  places[p].address[to] + at, source + at,
                                                  kRoom / kPieces, NULL));
      if (i % 100 == 0) CHECK_OK(uccs_fence(context));
    }
    CHECK_OK(uccs_flush(&peers[to], 1));
    barrier();
    CHECK(holds(places[p].mine, kRoom, from, 0));
    memset(back, 0, kRoom);
    for (size_t i = 0; i < kPieces; ++i) {
      const size_t at = i * (kRoom / kPieces);
      uccs_status_t status;
      POST_REQUEST(status,
                   uccs_get_contiguous_nb(peers[to], places[p].region[to], back + at,
                                          places[p].address[to] + at, kRoom / kPieces, NULL));
    }
    CHECK_OK(uccs_context_flush(context));
    CHECK(holds(back, kRoom, me, 0));
    barrier();
  }
  CHECK_OK(uccs_flush(peers, (size_t)n));
  CHECK_OK(uccs_flush(NULL, 0));
  CHECK_STATUS(uccs_flush(NULL, 1), UCCS_ERR_INVALID);
  free(source);
  free(back);
  stop_places();
}

static void test_gather_scatter(void) {
  static const size_t lengths[] = {0, 1, 13, 0, 8192, 9000, 7, 64, 0};
  enum { kPieces = sizeof lengths / sizeof *lengths };
  start_places();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  uccs_piece_t pieces[kPieces], results[kPieces];
  size_t total = 0;
  for (size_t i = 0; i < kPieces; ++i) {
    pieces[i] = (uccs_piece_t){lengths[i] ? malloc(lengths[i]) : NULL, lengths[i]};
    results[i] = (uccs_piece_t){lengths[i] ? calloc(1, lengths[i]) : NULL, lengths[i]};
    for (size_t k = 0; k < lengths[i]; ++k)
      ((unsigned char*)pieces[i].base)[k] = pattern(me, total + k, 0);
    total += lengths[i];
  }
  for (int p = 0; p < place_count; ++p) {
    const uccs_region_t region = places[p].region[to];
    unsigned char* there = places[p].address[to];
    DO(uccs_put_gather_nb(peers[to], region, there, pieces, kPieces, &request));
    barrier();
    CHECK(holds(places[p].mine, total, from, 0));
    DO(uccs_get_scatter_nb(peers[to], region, results, kPieces, there, &request));
    for (size_t i = 0; i < kPieces; ++i)
      if (lengths[i]) {
        CHECK(memcmp(results[i].base, pieces[i].base, lengths[i]) == 0);
        memset(results[i].base, 0, lengths[i]);
      }
    barrier();
  }
  DO(uccs_put_gather_nb(peers[to], UCCS_REGION_SYMMETRIC, NULL, NULL, 0, &request));
  for (size_t i = 0; i < kPieces; ++i) {
    free(pieces[i].base);
    free(results[i].base);
  }
  stop_places();
}

/* A section of a three-dimensional array, and sections with negative, zero and no strides. */
static void test_strided(void) {
  enum { kX = 24, kY = 7, kZ = 5, kBytes = 40 * 10 * 8 };
  start_places();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  unsigned char source[kBytes], back[kBytes], image[kBytes];
  const size_t counts[] = {kX, kY, kZ};
  const ptrdiff_t theirs[] = {40, 400}, mine[] = {kX, kX * kY};
  for (int p = 0; p < place_count; ++p) {
    const uccs_region_t region = places[p].region[to];
    unsigned char* there = places[p].address[to];
    memset(places[p].mine, 0xaa, kBytes);
    memset(image, 0xaa, kBytes);
    fill(source, kX * kY * kZ, me, 1);
    for (size_t z = 0, at = 0; z < kZ; ++z)
      for (size_t y = 0; y < kY; ++y)
        for (size_t x = 0; x < kX; ++x) image[5 + z * 400 + y * 40 + x] = pattern(from, at++, 1);
    barrier();
    DO(uccs_put_strided_nb(peers[to], region, there + 5, theirs, source, mine, counts, 2,
                           &request));
    barrier();
    CHECK(memcmp(places[p].mine, image, kBytes) == 0);
    memset(back, 0, sizeof back);
    DO(uccs_get_strided_nb(peers[to], region, back, mine, there + 5, theirs, counts, 2, &request));
    CHECK(holds(back, kX * kY * kZ, me, 1));

    /* Backwards: the blocks in reverse order. */
    const size_t blocks[] = {8, 10};
    const ptrdiff_t down[] = {-8}, up[] = {8}, none[] = {0};
    barrier();
    DO(uccs_put_strided_nb(peers[to], region, there + 72, down, source, up, blocks, 1, &request));
    barrier();
    for (size_t b = 0; b < 10; ++b)
      for (size_t k = 0; k < 8; ++k)
        CHECK(places[p].mine[72 - 8 * b + k] == pattern(from, 8 * b + k, 1));
    /* One block read many times. */
    memset(back, 0, sizeof back);
    DO(uccs_get_strided_nb(peers[to], region, back, up, there, none, blocks, 1, &request));
    for (size_t b = 1; b < 10; ++b) CHECK(memcmp(back, back + 8 * b, 8) == 0);
    /* No levels at all; nothing at all. */
    barrier();
    DO(uccs_put_strided_nb(peers[to], region, there, NULL, source, NULL, counts, 0, &request));
    const size_t nothing[] = {8, 0};
    DO(uccs_put_strided_nb(peers[to], region, there, up, source, up, nothing, 1, &request));
    barrier();
    CHECK(holds(places[p].mine, kX, from, 1));
    barrier();
  }
  stop_places();
}

static uint64_t flag;

static void test_signal(void) {
  const int kRounds = rounds(50);
  start_places();
  const int to = (me + 1) % n, from = (me + n - 1) % n;
  unsigned char* source = malloc(kRoom);
  for (int p = 0; p < place_count; ++p)
    for (int round = 1; round <= kRounds; ++round) {
      const size_t bytes = sizes[(size_t)round % kSizes];
      const uccs_signal_op_t op = round % 2 ? UCCS_SIGNAL_SET : UCCS_SIGNAL_ADD;
      const uint64_t value = op == UCCS_SIGNAL_SET ? (uint64_t)round : 1;
      fill(source, bytes, me, round);
      DO(uccs_put_signal_nb(peers[to], places[p].region[to], places[p].address[to], source, bytes,
                            UCCS_REGION_SYMMETRIC, &flag, value, op, &request));
      while (__atomic_load_n(&flag, __ATOMIC_ACQUIRE) != (uint64_t)round) uccs_progress(context);
      CHECK(holds(places[p].mine, bytes, from, round));
      barrier();
    }
  /* The signal itself may be in private memory. */
  uint64_t* word = (uint64_t*)places[3].address[to];
  memset(places[3].mine, 0, 8);
  barrier();
  DO(uccs_put_signal_nb(peers[to], UCCS_REGION_STATIC, global, source, 10, places[3].region[to],
                        word, 7, UCCS_SIGNAL_ADD, &request));
  barrier();
  CHECK(*(uint64_t*)places[3].mine == 7);
  free(source);
  stop_places();
}

static void test_pointer(void) {
  start_places();
  if (is_spread()) {
    puts("SKIP pointers: memory of other nodes cannot be mapped");
    stop_places();
    return;
  }
  for (int ec = 0; ec < n; ++ec) {
    unsigned char* at = uccs_region_pointer(peers[ec], UCCS_REGION_SYMMETRIC, global);
    CHECK(at);
    at[me] = (unsigned char)(me + 1);
    CHECK(uccs_region_pointer(peers[ec], allocated, places[0].mine) != NULL);
    void* there = uccs_region_pointer(peers[ec], places[3].region[ec], places[3].address[ec]);
    CHECK(ec == me ? there == places[3].mine : there == NULL);
    int local;
    CHECK(uccs_region_pointer(peers[ec], UCCS_REGION_SYMMETRIC, &local) == NULL);
  }
  barrier();
  for (int ec = 0; ec < n; ++ec) CHECK(global[ec] == ec + 1);
  stop_places();
}

int main(int argc, char** argv) {
  static const test_case_t cases[] = {{"contiguous", test_contiguous},
                                      {"flush", test_flush},
                                      {"gather_scatter", test_gather_scatter},
                                      {"strided", test_strided},
                                      {"signal", test_signal},
                                      {"pointer", test_pointer},
                                      {NULL, NULL}};
  return run_case(argc, argv, cases);
}
