// SPDX-License-Identifier: BSD-3-Clause
#include "problem.h"

#include <math.h>
#include <stdint.h>

// The random numbers of all NAS benchmarks: x(k+1) = kMultiplier x(k) mod 2^46. Unsigned
// multiplication keeps the low 64 bits, so masking gives the exact residue.
static const uint64_t kMultiplier = 1220703125;  // 5^13
static const uint64_t kSeed = 314159265;
static const uint64_t kMask = (UINT64_C(1) << 46) - 1;
static const double kUnit = 0x1p-46;

static const double kAlpha = 1e-6;
static const double kPi = 3.14159265358979323846;

Block problem_block(int length, int pe, int num_pes) {
  const int first = (int)((int64_t)length * pe / num_pes);
  const int end = (int)((int64_t)length * (pe + 1) / num_pes);
  return (Block){first, end - first};
}

int problem_largest_block(int length, int num_pes) { return (length + num_pes - 1) / num_pes; }

// kMultiplier^exponent mod 2^46: what skips `exponent` numbers ahead.
static uint64_t multiplier_power(uint64_t exponent) {
  uint64_t result = 1;
  for (uint64_t square = kMultiplier; exponent != 0; exponent >>= 1) {
    if (exponent & 1) result = result * square & kMask;
    square = square * square & kMask;
  }
  return result;
}

void problem_fill_plane(const Problem* problem, int z, Complex* out, size_t row_stride) {
  const uint64_t skipped = 2 * (uint64_t)problem->nx * (uint64_t)problem->ny * (uint64_t)z;
  // Two streams, each skipping every other number, so that their multiplications overlap.
  const uint64_t step = kMultiplier * kMultiplier & kMask;
  uint64_t real = kSeed * multiplier_power(skipped + 1) & kMask;
  uint64_t imaginary = real * kMultiplier & kMask;
  for (int y = 0; y < problem->ny; ++y) {
    double* row = (double*)(out + (size_t)y * row_stride);
    for (int x = 0; x < problem->nx; ++x) {
      row[2 * x] = (double)(int64_t)real * kUnit;
      row[2 * x + 1] = (double)(int64_t)imaginary * kUnit;
      real = real * step & kMask;
      imaginary = imaginary * step & kMask;
    }
  }
}

void problem_evolution(int length, int step, int copies, double* factors_out) {
  for (int i = 0; i < length; ++i) {
    const int k = (i + length / 2) % length - length / 2;
    const double factor = exp(-4.0 * kAlpha * kPi * kPi * step * ((double)k * k));
    for (int copy = 0; copy < copies; ++copy) *factors_out++ = factor;
  }
}

Complex problem_partial_checksum(const Problem* problem, Block block, const Complex* data,
                                 size_t row_stride) {
  Complex sum = 0;
  for (int j = 1; j <= 1024; ++j) {
    const int x = j % problem->nx;
    const int y = 3 * j % problem->ny;
    const int plane = 5 * j % problem->nz - block.first;
    if (plane < 0 || plane >= block.count) continue;
    sum += data[(size_t)y * row_stride + (size_t)plane * (size_t)problem->nx + (size_t)x];
  }
  return sum / ((double)problem->nx * problem->ny * problem->nz);
}

double problem_checksum_error(const Problem* problem, int iteration, Complex sum) {
  const double* published = problem->checksums[iteration];
  return hypot(creal(sum) - published[0], cimag(sum) - published[1]) /
         hypot(published[0], published[1]);
}

double problem_mflops(const Problem* problem, double seconds) {
  const double n = (double)problem->nx * problem->ny * problem->nz;
  const double operations =
      n * (14.8157 + 7.19641 * log(n) + (5.23518 + 7.21113 * log(n)) * problem->iterations);
  return 1e-6 * operations / seconds;
}
