// SPDX-License-Identifier: BSD-3-Clause
// The non-blocking messages of one exchange: rows of complex elements, in MPI's order per pair.
#ifndef FT_MPI_REQUESTS_H_
#define FT_MPI_REQUESTS_H_

#include <mpi.h>

#include "exchange.h"

// Receives all that the other PEs send to `transform`'s output, in messages of one slab or, if
// `per_row`, of one row. To be called before the first send.
void requests_open(const Transform* transform, int per_row);

// Sends `count` elements to `pe`, or copies them to `self` if that is this PE.
void requests_send(const Transform* transform, const Complex* from, size_t count, int pe,
                   Complex* self);

// Waits for the sends so far: their source may be overwritten.
void requests_flush(void);

// Waits for all receives and sends.
void requests_close(void);

#endif  // FT_MPI_REQUESTS_H_
