// SPDX-License-Identifier: BSD-3-Clause
// GUPS, the RandomAccess kernel of the HPC Challenge: words of a table that is spread over all PEs
// are changed by exclusive or at random places. A table of 2^k words per PE; the numbers are those
// of the benchmark, x -> 2x + (x < 0 ? 7 : 0), and an update of word (x mod size) is ^= x.
//
// Updates are atomic, so none may be lost: the benchmark would forgive one per cent.
//
//   oshcc -O2 gups.c -o gups && oshrun -n 4 ./gups --updates 1000000
#include <getopt.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char kHelp[] =
    "usage: gups [--aggregate|--plain] [--updates N] [--bits K]\n"
    "  --aggregate    on a context with SHMEMX_CTX_AGGREGATE (default)\n"
    "  --plain        on an ordinary context\n"
    "  --updates N    updates by each PE (default: four for each word)\n"
    "  --bits K       2^K words of the table on each PE (default: 14)\n"
    "  --help         print this\n"
    "exit status: 0 if the table is right, 1 if not or out of memory, 2 on a wrong option\n";

typedef struct {
  int is_plain, is_help;
  long updates, bits;
} Options;

static long number_of(const char* text, long most) {
  char* end;
  const long number = strtol(text, &end, 10);
  return *text != '\0' && *end == '\0' && number > 0 && number <= most ? number : 0;
}

static int read_options(int argc, char** argv, Options* options, const char** wrong) {
  static const struct option kLong[] = {
      {"aggregate", no_argument, NULL, 'a'},     {"plain", no_argument, NULL, 'p'},
      {"updates", required_argument, NULL, 'u'}, {"bits", required_argument, NULL, 'b'},
      {"help", no_argument, NULL, 'h'},          {NULL, 0, NULL, 0},
  };
  *options = (Options){.bits = 14};
  *wrong = NULL;
  opterr = 0;
  for (int choice; !*wrong && (choice = getopt_long(argc, argv, "", kLong, NULL)) != -1;) {
    if (choice == 'a' || choice == 'p') {
      options->is_plain = choice == 'p';
    } else if (choice == 'u') {
      if ((options->updates = number_of(optarg, 1L << 40)) == 0)
        *wrong = "--updates is a number from 1";
    } else if (choice == 'b') {
      if ((options->bits = number_of(optarg, 34)) == 0) *wrong = "--bits is a number from 1 to 34";
    } else if (choice == 'h') {
      options->is_help = 1;
    } else {
      *wrong = "no such option, or no value";
    }
  }
  if (!*wrong && optind < argc) *wrong = "there are only options";
  if (options->updates == 0) options->updates = 4L << options->bits;
  return *wrong == NULL;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static uint64_t after(uint64_t x) { return x << 1 ^ ((int64_t)x < 0 ? 7 : 0); }

// Number `n` of the sequence that starts with 1, in log n steps: x -> x^2 in the field of the
// sequence takes number k to number 2k.
static uint64_t number_at(int64_t n) {
  uint64_t squares[64];
  uint64_t x = 1;
  for (int i = 0; i < 64; ++i) {
    squares[i] = x;
    x = after(after(x));
  }
  int bit = 62;
  while (bit >= 0 && (n >> bit & 1) == 0) --bit;
  x = n == 0 ? 1 : 2;
  while (bit-- > 0) {
    uint64_t squared = 0;
    for (int i = 0; i < 64; ++i)
      if ((x >> i & 1) != 0) squared ^= squares[i];
    x = squared;
    if ((n >> bit & 1) != 0) x = after(x);
  }
  return x;
}

static void update_all(shmem_ctx_t ctx, uint64_t* table, const Options* options) {
  const uint64_t words = UINT64_C(1) << options->bits, pes = (uint64_t)shmem_n_pes();
  uint64_t x = number_at((int64_t)shmem_my_pe() * options->updates);
  for (long i = 0; i < options->updates; ++i) {
    x = after(x);
    // PEs may be any number, so the PE comes from the high bits, as a fraction of 2^32.
    const int pe = (int)((x >> 32) * pes >> 32);
    shmem_ctx_uint64_atomic_xor(ctx, &table[x & (words - 1)], x, pe);
  }
  shmem_ctx_quiet(ctx);
}

static long wrong_here, wrong_everywhere;

static int measure(uint64_t* table, const Options* options) {
  const long words = 1L << options->bits;
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_ctx_t ctx;
  if (shmem_ctx_create(options->is_plain ? 0 : SHMEMX_CTX_AGGREGATE, &ctx) != 0)
    ctx = SHMEM_CTX_DEFAULT;
  for (long i = 0; i < words; ++i) table[i] = (uint64_t)me << 40 | (uint64_t)i;
  shmem_barrier_all();
  const double start = seconds();
  update_all(ctx, table, options);
  shmem_barrier_all();
  const double taken = seconds() - start;
  uint64_t changed = 0;
  for (long i = 0; i < words; ++i) changed += table[i] != ((uint64_t)me << 40 | (uint64_t)i);
  // The barrier keeps the second pass out of what was counted. It undoes the first.
  shmem_barrier_all();
  update_all(ctx, table, options);
  shmem_barrier_all();
  wrong_here = changed == 0 && options->updates > words;
  for (long i = 0; i < words; ++i) wrong_here += table[i] != ((uint64_t)me << 40 | (uint64_t)i);
  shmem_long_sum_reduce(SHMEM_TEAM_WORLD, &wrong_everywhere, &wrong_here, 1);
  if (me == 0)
    printf("gups, %s, %d PEs, 2^%ld words and %ld updates per PE: %.3f s, %.6f GUPS : %s\n",
           options->is_plain ? "plain" : "aggregated", pes, options->bits, options->updates, taken,
           (double)options->updates * pes / taken * 1e-9,
           wrong_everywhere == 0 ? "VERIFIED" : "FAILED");
  if (ctx != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(ctx);
  return wrong_everywhere == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe();
  Options options;
  const char* wrong;
  int status = 0;
  if (!read_options(argc, argv, &options, &wrong)) {
    if (me == 0) fprintf(stderr, "gups: %s\n%s", wrong, kHelp);
    status = 2;
  } else if (options.is_help) {
    if (me == 0) fputs(kHelp, stdout);
  } else {
    uint64_t* table = shmem_malloc(sizeof *table << options.bits);
    if (!table && me == 0)
      fprintf(stderr, "gups: the symmetric heap has no room for 2^%ld words\n", options.bits);
    status = table && measure(table, &options) ? 0 : 1;
    shmem_free(table);
  }
  shmem_finalize();
  return status;
}
