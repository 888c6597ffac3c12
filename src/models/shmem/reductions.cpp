// SPDX-License-Identifier: BSD-3-Clause
#include "models/shmem/collectives.hpp"
#include "models/shmem/combine.hpp"

using namespace uccs;
using namespace uccs::shmem;

#define DEFINE_REDUCE(NAME, TYPE, ROUTINE, OPERATION, KIND)                              \
  UCCS_SHMEM(int, NAME##_##ROUTINE,                                                      \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nreduce)) {     \
    return on_team(                                                                      \
        team, "shmem_" #NAME "_" #ROUTINE,                                               \
        [=](const core::Group&) {                                                        \
          return reduces(dest, source, "nreduce", nreduce, sizeof(TYPE), alignof(TYPE)); \
        },                                                                               \
        [=](core::Group& group) {                                                        \
          coll::allreduce(group, dest, source, sizeof(TYPE), nreduce,                    \
                          combine<OPERATION, KIND<TYPE>::Type>);                         \
        });                                                                              \
  }
#define DEFINE_SCAN(NAME, TYPE, ROUTINE, IS_INCLUSIVE)                                 \
  UCCS_SHMEM(int, NAME##_##ROUTINE,                                                    \
             (shmem_team_t team, TYPE * dest, const TYPE* source, size_t nelems)) {    \
    return on_team(                                                                    \
        team, "shmem_" #NAME "_" #ROUTINE,                                             \
        [=](const core::Group&) {                                                      \
          return reduces(dest, source, "nelems", nelems, sizeof(TYPE), alignof(TYPE)); \
        },                                                                             \
        [=](core::Group& group) {                                                      \
          coll::scan(group, dest, source, sizeof(TYPE), nelems,                        \
                     combine<Sum, Wrapping<TYPE>::Type>, IS_INCLUSIVE);                \
        });                                                                            \
  }
#define UCCS_BITS_TYPE(NAME, TYPE)                     \
  DEFINE_REDUCE(NAME, TYPE, and_reduce, And, Wrapping) \
  DEFINE_REDUCE(NAME, TYPE, or_reduce, Or, Wrapping)   \
  DEFINE_REDUCE(NAME, TYPE, xor_reduce, Xor, Wrapping)
#define UCCS_RMA_TYPE(NAME, TYPE)                     \
  DEFINE_REDUCE(NAME, TYPE, max_reduce, Max, Ordered) \
  DEFINE_REDUCE(NAME, TYPE, min_reduce, Min, Ordered)
#define UCCS_SUM_TYPE(NAME, TYPE)                           \
  DEFINE_REDUCE(NAME, TYPE, sum_reduce, Sum, Wrapping)      \
  DEFINE_REDUCE(NAME, TYPE, prod_reduce, Product, Wrapping) \
  DEFINE_SCAN(NAME, TYPE, sum_inscan, true)                 \
  DEFINE_SCAN(NAME, TYPE, sum_exscan, false)
#include "gen/types.def"
