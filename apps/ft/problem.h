// SPDX-License-Identifier: BSD-3-Clause
// The NAS FT problem: sizes, initial data, time evolution, checksums and their published values.
// Nothing here communicates.
#ifndef FT_PROBLEM_H_
#define FT_PROBLEM_H_

#include <complex.h>
#include <stddef.h>

typedef double complex Complex;

enum { kMaxIterations = 20 };

// One class of the benchmark: a grid of nx x ny x nz elements, x running fastest.
typedef struct Problem {
  char name;
  int nx, ny, nz;
  int iterations;
  const double (*checksums)[2];  // the published (real, imaginary) pair of each iteration
} Problem;

// The consecutive planes (or rows) of a dimension that one PE owns; count may be zero.
typedef struct Block {
  int first;
  int count;
} Block;

// The classes that problem_find knows, for messages: "S, W, A, B, C".
extern const char kProblemNames[];

// The class called `name` (one letter, either case), or NULL.
const Problem* problem_find(const char* name);

// Splits `length` planes over `num_pes` PEs as evenly as possible.
Block problem_block(int length, int pe, int num_pes);

// The largest count of any block of problem_block.
int problem_largest_block(int length, int num_pes);

// Writes the initial data of plane `z`; row y starts at out + y * row_stride.
void problem_fill_plane(const Problem* problem, int z, Complex* out, size_t row_stride);

// The evolution factors of one dimension at time `step`: exp(-4 alpha pi^2 step k^2), where k is
// the signed frequency of index i. Each factor is written `copies` times in a row.
void problem_evolution(int length, int step, int copies, double* factors_out);

// Sums the checksum elements in the z planes of `block`. Element (x, y, z) lies at
// data[y * row_stride + (z - block.first) * nx + x].
Complex problem_partial_checksum(const Problem* problem, Block block, const Complex* data,
                                 size_t row_stride);

// How far `sum` is from the published checksum of `iteration` (from 0), relative to the latter.
double problem_checksum_error(const Problem* problem, int iteration, Complex sum);

// The largest relative error that still verifies.
#define FT_TOLERANCE 1e-12

// The rate by NAS's operation count.
double problem_mflops(const Problem* problem, double seconds);

#endif  // FT_PROBLEM_H_
