// SPDX-License-Identifier: BSD-3-Clause
#ifndef FT_REPORT_H_
#define FT_REPORT_H_

#include <stdbool.h>

#include "problem.h"
#include "solve.h"

// Prints the line of one result. To be called on PE 0.
void report_line(const char* title, const Problem* problem, int num_pes, const Result* result);

// Writes the results to `path` as one JSON object. False, with a message, if it cannot.
bool report_json(const char* path, const char* title, const Problem* problem, int num_pes,
                 const Result* results, int count);

#endif  // FT_REPORT_H_
