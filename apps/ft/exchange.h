// SPDX-License-Identifier: BSD-3-Clause
// The three ways to exchange the grid between the local transforms and the last one (C. Bell,
// D. Bonachea, R. Nishtala, K. Yelick: Optimizing bandwidth limited problems using one-sided
// communication and overlap, IPDPS 2006). They send the same data, in messages of these sizes:
//
//   packed   everything that a PE owns for another, packed first; no overlap
//   slabs    the rows of one plane that belong to one PE, as soon as these rows are transformed
//   pencils  one row, as soon as it is transformed
//
// Each calls transform_plane for every local plane of `transform`, in order, then transform_row for
// every row of it, and sends row r to the PE that owns it (transform_rows_of), where it belongs at
// transform->output + plane * slab_stride + (r - first row of that PE) * nx. When it returns, all
// rows that the other PEs send here have arrived. It adds the time it spent in communication calls
// to transform->communication.
#ifndef FT_EXCHANGE_H_
#define FT_EXCHANGE_H_

#include "transform.h"

typedef struct Exchange {
  const char* name;
  int packs;  // uses transform->packed, and one plane of scratch only
  void (*run)(Transform* transform);
} Exchange;

void exchange_packed(Transform* transform);
void exchange_slabs(Transform* transform);
void exchange_pencils(Transform* transform);

#endif  // FT_EXCHANGE_H_
