// SPDX-License-Identifier: BSD-3-Clause
#include "report.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void report_line(const char* title, const Problem* problem, int num_pes, const Result* result) {
  printf("%s class %c %dx%dx%d, %d PE%s, %-7s : %-8s  ", title, problem->name, problem->nx,
         problem->ny, problem->nz, num_pes, num_pes == 1 ? "" : "s", result->exchange,
         result->verified ? "VERIFIED" : "FAILED");
  if (result->verified) {
    printf("%7.3f s  %7.0f Mflop/s  communication %7.3f s\n", result->seconds, result->mflops,
           result->communication);
  } else {
    const double* expected = problem->checksums[result->bad_iteration];
    printf("iteration %d: got (%.12e, %.12e), expected (%.12e, %.12e)\n", result->bad_iteration + 1,
           creal(result->bad_checksum), cimag(result->bad_checksum), expected[0], expected[1]);
  }
  fflush(stdout);
}

bool report_json(const char* path, const char* title, const Problem* problem, int num_pes,
                 const Result* results, int count) {
  FILE* file = fopen(path, "w");
  if (file != NULL) {
    fprintf(file,
            "{\"program\": \"%s\", \"class\": \"%c\", \"size\": [%d, %d, %d], \"pes\": %d, "
            "\"results\": [",
            title, problem->name, problem->nx, problem->ny, problem->nz, num_pes);
    for (int i = 0; i < count; ++i) {
      fprintf(file,
              "%s\n  {\"exchange\": \"%s\", \"verified\": %s, \"seconds\": %.6f, \"mflops\": %.1f, "
              "\"communication\": %.6f}",
              i == 0 ? "" : ",", results[i].exchange, results[i].verified ? "true" : "false",
              results[i].seconds, results[i].mflops, results[i].communication);
    }
    fprintf(file, "\n]}\n");
  }
  if (file == NULL || fclose(file) != 0) {
    fprintf(stderr, "ft: cannot write %s: %s\n", path, strerror(errno));
    return false;
  }
  return true;
}
