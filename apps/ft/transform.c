// SPDX-License-Identifier: BSD-3-Clause
#include "transform.h"

#include <string.h>

// Elements added to every slab to keep its stride off powers of two: two cache lines.
enum { kPadding = 8 };

Transform transform_of_shape(int sign, int nx, int num_planes, int num_rows, int my_pe,
                             int num_pes) {
  const size_t row = (size_t)nx;
  return (Transform){
      .sign = sign,
      .my_pe = my_pe,
      .num_pes = num_pes,
      .nx = nx,
      .num_planes = num_planes,
      .num_rows = num_rows,
      .planes = problem_block(num_planes, my_pe, num_pes),
      .rows = problem_block(num_rows, my_pe, num_pes),
      .row_stride = (size_t)problem_largest_block(num_planes, num_pes) * row + kPadding,
      .slab_stride = (size_t)problem_largest_block(num_rows, num_pes) * row + kPadding,
      .window = 1,
  };
}

size_t transform_output_size(const Transform* transform) {
  return (size_t)transform->num_planes * transform->slab_stride;
}

size_t transform_plane_size(const Transform* transform) {
  return (size_t)transform->num_rows * (size_t)transform->nx;
}

size_t transform_packed_size(const Transform* transform) {
  const int most_planes = problem_largest_block(transform->num_planes, transform->num_pes);
  return (size_t)transform->num_pes * (size_t)most_planes * transform->slab_stride;
}

// Plans `count` transforms of `length` elements, `stride` apart in each; the transforms are
// `distance` apart. All sizes fit in int: the longest stride is that of a slab.
static fftw_plan plan_many(const Transform* transform, int length, int count, Complex* in,
                           Complex* out, size_t stride, size_t distance) {
  return fftw_plan_many_dft(1, &length, count, in, NULL, (int)stride, (int)distance, out, NULL,
                            (int)stride, (int)distance, transform->sign, FFTW_MEASURE);
}

void transform_make_plans(Transform* transform) {
  const int nx = transform->nx;
  transform->along_rows = plan_many(transform, transform->num_rows, nx, transform->scratch,
                                    transform->scratch, (size_t)nx, 1);
  transform->along_x = plan_many(transform, nx, 1, transform->scratch, transform->scratch, 1, 0);
  if (transform->packed != NULL) {
    transform->along_x_copy =
        plan_many(transform, nx, 1, transform->scratch, transform->packed, 1, 0);
  }
  transform->along_planes = plan_many(transform, transform->num_planes, nx, transform->output,
                                      transform->output, transform->slab_stride, 1);
}

void transform_destroy_plans(Transform* transform) {
  fftw_destroy_plan(transform->along_rows);
  fftw_destroy_plan(transform->along_x);
  fftw_destroy_plan(transform->along_x_copy);
  fftw_destroy_plan(transform->along_planes);
}

Block transform_rows_of(const Transform* transform, int pe) {
  return problem_block(transform->num_rows, pe, transform->num_pes);
}

static void copy_scaled(const Complex* from, const double* scale_x, double scale, int nx,
                        Complex* restrict to) {
  const double* restrict in = (const double*)from;
  double* restrict out = (double*)to;
  for (int i = 0; i < 2 * nx; ++i) out[i] = in[i] * (scale_x[i] * scale);
}

Complex* transform_plane(Transform* transform, int i) {
  const size_t nx = (size_t)transform->nx;
  Complex* plane =
      transform->scratch + (size_t)(i % transform->window) * transform_plane_size(transform);
  const Complex* in = transform->input + (size_t)i * nx;
  for (int r = 0; r < transform->num_rows; ++r, in += transform->row_stride) {
    Complex* row = plane + (size_t)r * nx;
    if (transform->scale_x == NULL) {
      memcpy(row, in, nx * sizeof(Complex));
    } else {
      copy_scaled(in, transform->scale_x,
                  transform->scale_row[r] * transform->scale_plane[transform->planes.first + i],
                  transform->nx, row);
    }
  }
  fftw_execute_dft(transform->along_rows, plane, plane);
  return plane;
}

bool transform_window_is_full(const Transform* transform, int i) {
  return i > 0 && i % transform->window == 0;
}

void transform_row(const Transform* transform, Complex* row) {
  fftw_execute_dft(transform->along_x, row, row);
}

void transform_row_to(const Transform* transform, Complex* row, Complex* to) {
  fftw_execute_dft(transform->along_x_copy, row, to);
}

void transform_finish(const Transform* transform) {
  for (int r = 0; r < transform->rows.count; ++r) {
    Complex* row = transform->output + (size_t)r * (size_t)transform->nx;
    fftw_execute_dft(transform->along_planes, row, row);
  }
}
