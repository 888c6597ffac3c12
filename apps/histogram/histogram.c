// SPDX-License-Identifier: BSD-3-Clause
// The two kernels that irregular programs are made of, on a table that is spread over all PEs:
//   histogram  every PE adds 1 to random words of the table;
//   gather     every PE reads random words of the table.
// Each word is one small operation. Over a network most of its time is the message around it, so
// operations are given to a context that packs them, unless --plain asks for the others.
//
//   oshcc -O2 histogram.c -o histogram && oshrun -n 4 ./histogram --mode gather --updates 1000000
#include <getopt.h>
#include <shmem.h>
#include <shmemx.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char kHelp[] =
    "usage: histogram [--mode histogram|gather] [--aggregate|--plain] [--updates N] [--words N]\n"
    "  --mode MODE    histogram: add to random words; gather: read them (default: histogram)\n"
    "  --aggregate    on a context with SHMEMX_CTX_AGGREGATE (default)\n"
    "  --plain        on an ordinary context, non-blocking\n"
    "  --updates N    words that each PE adds to or reads (default: 100000)\n"
    "  --words N      words of the table on each PE (default: 1024)\n"
    "  --help         print this\n"
    "exit status: 0 if the result is right, 1 if not or out of memory, 2 on a wrong option\n";

typedef struct {
  int is_gather, is_plain, is_help;
  long updates, words;
} Options;

// A number from 1 to 2^40, or 0.
static long positive_number(const char* text) {
  char* end;
  const long number = strtol(text, &end, 10);
  return *text != '\0' && *end == '\0' && number > 0 && number <= 1L << 40 ? number : 0;
}

// False, and what is wrong with them in `wrong`.
static int read_options(int argc, char** argv, Options* options, const char** wrong) {
  static const struct option kLong[] = {
      {"mode", required_argument, NULL, 'm'},
      {"aggregate", no_argument, NULL, 'a'},
      {"plain", no_argument, NULL, 'p'},
      {"updates", required_argument, NULL, 'u'},
      {"words", required_argument, NULL, 'w'},
      {"help", no_argument, NULL, 'h'},
      {NULL, 0, NULL, 0},
  };
  *options = (Options){.updates = 100000, .words = 1024};
  *wrong = NULL;
  opterr = 0;
  for (int choice; !*wrong && (choice = getopt_long(argc, argv, "", kLong, NULL)) != -1;) {
    if (choice == 'm') {
      options->is_gather = strcmp(optarg, "gather") == 0;
      if (!options->is_gather && strcmp(optarg, "histogram") != 0)
        *wrong = "--mode is histogram or gather";
    } else if (choice == 'a' || choice == 'p') {
      options->is_plain = choice == 'p';
    } else if (choice == 'u') {
      if ((options->updates = positive_number(optarg)) == 0)
        *wrong = "--updates is a number from 1";
    } else if (choice == 'w') {
      if ((options->words = positive_number(optarg)) == 0) *wrong = "--words is a number from 1";
    } else if (choice == 'h') {
      options->is_help = 1;
    } else {
      *wrong = "no such option, or no value";
    }
  }
  if (!*wrong && optind < argc) *wrong = "there are only options";
  return *wrong == NULL;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

// The sequence of numbers of one PE (splitmix64).
typedef struct {
  uint64_t state;
} Random;
static Random random_of(int pe) { return (Random){(uint64_t)(pe + 1) << 40}; }
static uint64_t next_number(Random* random) {
  uint64_t z = (random->state += UINT64_C(0x9e3779b97f4a7c15));
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return z ^ (z >> 31);
}

// Which word, of all in the table, a number stands for: the words take turns among the PEs.
typedef struct {
  int pe;
  long word;
} Place;
static Place place_of(uint64_t number, int pes, long words) {
  const uint64_t index = number % ((uint64_t)pes * (uint64_t)words);
  return (Place){(int)(index % (uint64_t)pes), (long)(index / (uint64_t)pes)};
}

static uint64_t content_of(int pe, long word) {
  return (uint64_t)pe << 48 ^ (uint64_t)word * UINT64_C(0x9e3779b97f4a7c15);
}

// Wrong words of this PE's part: all PEs' sequences are gone through once more.
static long wrong_counts(const uint64_t* table, const Options* options) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  uint64_t* expected = calloc((size_t)options->words, sizeof *expected);
  if (!expected) return -1;
  for (int pe = 0; pe < pes; ++pe) {
    Random random = random_of(pe);
    for (long i = 0; i < options->updates; ++i) {
      const Place at = place_of(next_number(&random), pes, options->words);
      if (at.pe == me) ++expected[at.word];
    }
  }
  long wrong = 0;
  for (long i = 0; i < options->words; ++i) wrong += table[i] != expected[i];
  free(expected);
  return wrong;
}

static long wrong_values(const uint64_t* got, const Options* options) {
  Random random = random_of(shmem_my_pe());
  long wrong = 0;
  for (long i = 0; i < options->updates; ++i) {
    const Place at = place_of(next_number(&random), shmem_n_pes(), options->words);
    wrong += got[i] != content_of(at.pe, at.word);
  }
  return wrong;
}

static void run(shmem_ctx_t ctx, uint64_t* table, uint64_t* got, const Options* options) {
  const int pes = shmem_n_pes();
  Random random = random_of(shmem_my_pe());
  for (long i = 0; i < options->updates; ++i) {
    const Place at = place_of(next_number(&random), pes, options->words);
    if (options->is_gather)
      shmem_ctx_uint64_get_nbi(ctx, &got[i], &table[at.word], 1, at.pe);
    else
      shmem_ctx_uint64_atomic_inc(ctx, &table[at.word], at.pe);
  }
  shmem_ctx_quiet(ctx);  // all are done: what was packed is on its way no more
}

static long wrong_here, wrong_everywhere;

// Returns whether the result is right.
static int measure(uint64_t* table, uint64_t* got, const Options* options) {
  const int me = shmem_my_pe(), pes = shmem_n_pes();
  shmem_ctx_t ctx;
  if (shmem_ctx_create(options->is_plain ? 0 : SHMEMX_CTX_AGGREGATE, &ctx) != 0) {
    ctx = SHMEM_CTX_DEFAULT;  // a library may have no more contexts
  }
  for (long i = 0; i < options->words; ++i) table[i] = options->is_gather ? content_of(me, i) : 0;
  shmem_barrier_all();
  const double start = seconds();
  run(ctx, table, got, options);
  shmem_barrier_all();
  const double taken = seconds() - start;
  wrong_here = options->is_gather ? wrong_values(got, options) : wrong_counts(table, options);
  shmem_long_max_reduce(SHMEM_TEAM_WORLD, &wrong_everywhere, &wrong_here, 1);
  if (wrong_here < 0) fprintf(stderr, "histogram: PE %d has no memory left to check\n", me);
  if (me == 0)
    printf(
        "%s, %s, %d PEs, %ld words per PE, %ld operations per PE: %.3f s, %.4f M/s per PE : %s\n",
        options->is_gather ? "gather" : "histogram", options->is_plain ? "plain" : "aggregated",
        pes, options->words, options->updates, taken, (double)options->updates / taken * 1e-6,
        wrong_everywhere == 0 ? "VERIFIED" : "FAILED");
  if (ctx != SHMEM_CTX_DEFAULT) shmem_ctx_destroy(ctx);
  return wrong_here == 0 && wrong_everywhere == 0;
}

int main(int argc, char** argv) {
  shmem_init();
  const int me = shmem_my_pe();
  Options options;
  const char* wrong;
  if (!read_options(argc, argv, &options, &wrong)) {
    if (me == 0) fprintf(stderr, "histogram: %s\n%s", wrong, kHelp);
    shmem_finalize();
    return 2;
  }
  if (options.is_help) {
    if (me == 0) fputs(kHelp, stdout);
    shmem_finalize();
    return 0;
  }
  int is_right = 0;
  uint64_t* table = shmem_malloc((size_t)options.words * sizeof *table);
  uint64_t* got = shmem_malloc((size_t)(options.is_gather ? options.updates : 1) * sizeof *got);
  if (table && got)
    is_right = measure(table, got, &options);
  else if (me == 0)
    fprintf(stderr, "histogram: the symmetric heap has no room for %ld words\n",
            options.words + options.updates);
  shmem_free(got);
  shmem_free(table);
  shmem_finalize();
  return is_right ? 0 : 1;
}
