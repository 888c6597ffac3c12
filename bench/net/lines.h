// SPDX-License-Identifier: BSD-3-Clause
/* What the programs of this folder share. A program measures a line, an operation of a length, each
 * time that it is asked to, and prints the line's name, bytes and nanoseconds: with a folder of
 * pipes it is asked by compare.py, so that programs of several libraries take turns; without it
 * asks itself, and prints medians. */
#pragma once
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
  kRounds = 9, /* without pipes */
  kLarge = 1 << 20,
  kBurst = 256,
  kLargeBurst = 8,
  kPage = 4096,
  kPageBurst = 64
};

struct line {
  const char* name;
  size_t bytes;
  void (*call)(void);
  int per;      /* operations in a call */
  int together; /* process 1 calls it as well */
  long calls;   /* of the next turn, as long as the last one took; 0: there was none */
};

static inline double now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* How many calls take `seconds`. */
static inline long calls_for(double seconds, double ns_once) {
  const double calls = seconds * 1e9 / ns_once;
  return calls < 1 ? 1 : (long)calls;
}

/* Before a turn is measured: programs whose threads have slept since the last one are awake. */
static inline long calls_to_warm(long calls) { return (calls + 1) / 2; }

static inline void print_line(const struct line* line, double ns) {
  printf("%s %zu %.1f\n", line->name, line->bytes, ns);
  fflush(stdout);
}

static inline int by_value(const void* a, const void* b) {
  const double x = *(const double*)a, y = *(const double*)b;
  return (x > y) - (x < y);
}

static inline struct line* find_line(struct line* lines, int count, const char* text) {
  char name[32] = "";
  size_t bytes = 0;
  (void)sscanf(text, "%31s %zu", name, &bytes);
  for (int i = 0; i < count; ++i)
    if (strcmp(lines[i].name, name) == 0 && lines[i].bytes == bytes) return &lines[i];
  fprintf(stderr, "net: there is no line %s", text);
  exit(2);
}

/* Process `number` of the program; `turn` returns nanoseconds per operation in process 0. */
static inline void take_turns(struct line* lines, int count, int number, const char* folder,
                              double (*turn)(struct line* line)) {
  char text[64];
  if (!folder) {
    for (int i = 0; i < count; ++i) {
      double times[kRounds];
      for (int k = -1; k < kRounds; ++k) times[k < 0 ? 0 : k] = turn(&lines[i]);
      qsort(times, kRounds, sizeof *times, by_value);
      if (number == 0) print_line(&lines[i], times[kRounds / 2]);
    }
    return;
  }
  snprintf(text, sizeof text, "%s/%d", folder, number);
  FILE* asked = fopen(text, "r");
  if (!asked) {
    perror(text);
    exit(2);
  }
  while (fgets(text, sizeof text, asked)) {
    struct line* line = find_line(lines, count, text);
    const double ns = turn(line);
    if (number == 0) print_line(line, ns);
  }
  fclose(asked);
}
