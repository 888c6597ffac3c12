// SPDX-License-Identifier: BSD-3-Clause
#include "solve.h"

#include <stdlib.h>
#include <string.h>

#include "clock.h"
#include "comm.h"

static size_t larger(size_t a, size_t b) { return a > b ? a : b; }

static int planes_in_flight(int num_planes, int window) {
  if (window == 0) return comm_planes_in_flight(num_planes);
  return window < num_planes ? window : num_planes;
}

static size_t scratch_size(const Transform* transform, int window, bool packs) {
  const size_t plane = transform_plane_size(transform);
  return larger((size_t)window * plane, packs ? plane + transform_packed_size(transform) : 0);
}

// PE 0 plans first, while no other PE disturbs its measurements; the others take over what it found
// out (FFTW calls it wisdom), so that they plan alike and at once.
static void make_plans(Transform* forward, Transform* inverse) {
  const bool first = comm_my_pe() == 0;
  static char wisdom[kMaxBroadcast];
  if (first) {
    transform_make_plans(forward);
    transform_make_plans(inverse);
    char* found = fftw_export_wisdom_to_string();
    if (found != NULL && strlen(found) < sizeof wisdom) strcpy(wisdom, found);
    free(found);
  }
  comm_broadcast(wisdom, sizeof wisdom);
  if (first) return;
  fftw_import_wisdom_from_string(wisdom);
  transform_make_plans(forward);
  transform_make_plans(inverse);
}

bool solver_create(Solver* solver, const Problem* problem, const Exchange* const* exchanges,
                   int count, int window) {
  const int my_pe = comm_my_pe();
  const int num_pes = comm_num_pes();
  const int nx = problem->nx, ny = problem->ny, nz = problem->nz;
  *solver = (Solver){
      .problem = problem,
      .forward = transform_of_shape(FFTW_FORWARD, nx, nz, ny, my_pe, num_pes),
      .inverse = transform_of_shape(FFTW_BACKWARD, nx, ny, nz, my_pe, num_pes),
      .forward_window = 1,
      .inverse_window = 1,
  };
  Transform* forward = &solver->forward;
  Transform* inverse = &solver->inverse;
  forward->row_stride = inverse->slab_stride;
  inverse->row_stride = forward->slab_stride;

  bool packs = false;
  for (int i = 0; i < count; ++i) {
    if (exchanges[i]->packs) {
      packs = true;
      continue;
    }
    solver->forward_window = planes_in_flight(problem_largest_block(nz, num_pes), window);
    solver->inverse_window = planes_in_flight(problem_largest_block(ny, num_pes), window);
  }

  const size_t scratch = larger(scratch_size(forward, solver->forward_window, packs),
                                scratch_size(inverse, solver->inverse_window, packs));
  const size_t spectrum = transform_output_size(forward);
  const size_t space = transform_output_size(inverse);
  const size_t bytes = (spectrum + 2 * space + scratch) * sizeof(Complex);
  solver->memory = comm_allocate(bytes);
  if (solver->memory == NULL) {
    if (my_pe == 0) comm_explain_shortage(bytes);
    return false;
  }
  solver->spectrum = solver->memory;
  solver->space[0] = solver->spectrum + spectrum;
  solver->space[1] = solver->space[0] + space;
  forward->scratch = inverse->scratch = solver->space[1] + space;
  if (packs) {
    forward->packed = forward->scratch + transform_plane_size(forward);
    inverse->packed = inverse->scratch + transform_plane_size(inverse);
  }

  solver->scale = malloc((size_t)(2 * nx + ny + nz) * sizeof(double));
  if (solver->scale == NULL) abort();
  inverse->scale_x = solver->scale;
  inverse->scale_row = solver->scale + 2 * nx;
  inverse->scale_plane = solver->scale + 2 * nx + nz;

  forward->output = solver->spectrum;
  inverse->output = solver->space[0];
  make_plans(forward, inverse);
  return true;
}

void solver_destroy(Solver* solver) {
  transform_destroy_plans(&solver->forward);
  transform_destroy_plans(&solver->inverse);
  free(solver->scale);
  comm_free(solver->memory);
}

// Initial data in space[0], its transform in spectrum.
static void start(Solver* solver, const Exchange* exchange) {
  Transform* forward = &solver->forward;
  forward->input = solver->space[0];
  for (int i = 0; i < forward->planes.count; ++i) {
    problem_fill_plane(solver->problem, forward->planes.first + i,
                       solver->space[0] + (size_t)i * (size_t)forward->nx, forward->row_stride);
  }
  exchange->run(forward);
  transform_finish(forward);
}

// Iteration `step` (from 1): evolves the spectrum, transforms it back, and returns this PE's part
// of the checksum.
static Complex iterate(Solver* solver, const Exchange* exchange, int step) {
  const Problem* problem = solver->problem;
  Transform* inverse = &solver->inverse;
  problem_evolution(problem->nx, step, 2, solver->scale);
  problem_evolution(problem->nz, step, 1, solver->scale + 2 * problem->nx);
  problem_evolution(problem->ny, step, 1, solver->scale + 2 * problem->nx + problem->nz);
  inverse->input = solver->spectrum;
  // Who is done with iteration t may send the planes of t + 1 while others still read those of t.
  // The exchange of t + 1 ends in a barrier, so that t + 2 can use the memory of t again.
  inverse->output = solver->space[step % 2];
  exchange->run(inverse);
  transform_finish(inverse);
  return problem_partial_checksum(problem, inverse->rows, inverse->output, inverse->slab_stride);
}

Result solver_run(Solver* solver, const Exchange* exchange) {
  const Problem* problem = solver->problem;
  solver->forward.window = exchange->packs ? 1 : solver->forward_window;
  solver->inverse.window = exchange->packs ? 1 : solver->inverse_window;

  start(solver, exchange);
  iterate(solver, exchange, 1);
  comm_barrier();

  solver->forward.communication = solver->inverse.communication = 0;
  double sums[2 * kMaxIterations];
  const double began = clock_seconds();
  start(solver, exchange);
  for (int step = 1; step <= problem->iterations; ++step) {
    const Complex sum = iterate(solver, exchange, step);
    sums[2 * step - 2] = creal(sum);
    sums[2 * step - 1] = cimag(sum);
  }
  comm_sum(sums, 2 * problem->iterations);
  const double seconds = clock_seconds() - began;

  Result result = {
      .exchange = exchange->name,
      .verified = true,
      .seconds = seconds,
      .communication = comm_max(solver->forward.communication + solver->inverse.communication),
      .mflops = problem_mflops(problem, seconds),
  };
  for (int i = 0; i < problem->iterations && result.verified; ++i) {
    const Complex sum = sums[2 * i] + sums[2 * i + 1] * I;
    // Not "error > tolerance": a checksum that is not a number has to fail too.
    result.verified = problem_checksum_error(problem, i, sum) <= FT_TOLERANCE;
    result.bad_iteration = i;
    result.bad_checksum = sum;
  }
  return result;
}
