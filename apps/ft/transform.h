// SPDX-License-Identifier: BSD-3-Clause
// The three-dimensional transform in one direction, which also moves the grid from one distribution
// to another. Nothing here communicates; exchange.h does.
//
// Rows along x ("pencils") are never cut. Of the other two dimensions one is distributed, so that a
// PE owns whole planes, and the other is local:
//
//                     distributed   local   in memory
//   forward, before   z             y       [y][z of this PE][x]
//   forward, after    y             z       [z][y of this PE][x]
//   inverse           the reverse
//
// A transform reads its planes one after the other into scratch memory, transforms them along the
// local dimension and along x while they are in the cache, and sends row r to the PE that owns r
// after the exchange. A PE's rows of one plane (a "slab") arrive as one contiguous piece and the
// slabs of one sender are neighbours: [plane][row of this PE][x] is the layout in the table. The
// last transform runs across the planes, in place.
#ifndef FT_TRANSFORM_H_
#define FT_TRANSFORM_H_

#include <complex.h>
#include <fftw3.h>
#include <stdbool.h>
#include <stddef.h>

#include "problem.h"

typedef struct Transform {
  int sign;  // FFTW_FORWARD or FFTW_BACKWARD
  int my_pe, num_pes;
  int nx;          // elements of a row
  int num_planes;  // of the grid; distributed before the exchange
  int num_rows;    // of a plane; distributed after the exchange
  Block planes;    // of this PE, before
  Block rows;      // of this PE, after

  // In elements, and the same on all PEs. Row r of this PE's plane i is at
  // input + r * row_stride + i * nx, the slab of plane p at output + p * slab_stride.
  size_t row_stride;
  size_t slab_stride;
  const Complex* input;
  Complex* output;

  // Row r of plane p is multiplied by scale_x[] * scale_row[r] * scale_plane[p] as it is read,
  // unless scale_x is NULL. scale_x has each factor twice, for the real and the imaginary part.
  const double* scale_x;
  const double* scale_row;
  const double* scale_plane;

  // Scratch memory: `window` planes of num_rows x nx, used in turn; and, if the exchange packs, the
  // slabs for each PE: [PE][plane of this PE][slab_stride].
  Complex* scratch;
  Complex* packed;
  int window;

  double communication;  // seconds; the exchange adds to it

  fftw_plan along_rows;    // a plane in scratch, down its rows, for all x
  fftw_plan along_x;       // one row in scratch
  fftw_plan along_x_copy;  // one row from scratch to packed; NULL if packed is
  fftw_plan along_planes;  // one row of output, across the planes, for all x
} Transform;

// Sets the shape and the strides; all pointers are NULL and everything else zero.
Transform transform_of_shape(int sign, int nx, int num_planes, int num_rows, int my_pe,
                             int num_pes);

// Elements of the arrays, the same on all PEs.
size_t transform_output_size(const Transform* transform);
size_t transform_plane_size(const Transform* transform);
size_t transform_packed_size(const Transform* transform);

// Makes the plans, which overwrites output, scratch and packed (NULL if no exchange packs).
void transform_make_plans(Transform* transform);
void transform_destroy_plans(Transform* transform);

// The rows of every plane that `pe` owns after the exchange.
Block transform_rows_of(const Transform* transform, int pe);

// Reads this PE's plane i (from 0) and transforms it down its rows. Returns its first row; the
// others follow. Overwrites the plane returned `window` calls ago.
Complex* transform_plane(Transform* transform, int i);

// True if all of the window is in use when it is the turn of plane i, so that transform_plane(i)
// must wait until the rows sent so far may be overwritten; the next window - 1 planes then need
// not.
bool transform_window_is_full(const Transform* transform, int i);

// Transforms one row along x, in place or to `to` (in packed).
void transform_row(const Transform* transform, Complex* row);
void transform_row_to(const Transform* transform, Complex* row, Complex* to);

// After the exchange: transforms across the planes.
void transform_finish(const Transform* transform);

#endif  // FT_TRANSFORM_H_
