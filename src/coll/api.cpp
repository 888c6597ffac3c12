// SPDX-License-Identifier: BSD-3-Clause
/// The groups and collectives of uccs.h. They are here and not in core, because core sees no
/// collectives.
#include <algorithm>
#include <new>
#include <type_traits>

#include "coll/coll.hpp"
#include "uccs/group.h"

namespace uccs::coll {
namespace {

// A handle is the group itself; the public type is never defined.
Group* group_of(uccs_group_t handle) { return reinterpret_cast<Group*>(handle); }
uccs_group_t handle_of(Group* group) { return reinterpret_cast<uccs_group_t>(group); }

/// Signed sums and products wrap around: computed in the unsigned type, and not in `int`.
template <typename T>
struct Wrapping {
  using type = T;
};
template <typename T>
requires std::is_integral_v<T>
struct Wrapping<T> {
  using type = std::conditional_t<sizeof(T) < 4, uint32_t, std::make_unsigned_t<T>>;
};

template <uccs_reduce_op_t kOp, typename T>
T combine_one(T a, T b) {
  using W = typename Wrapping<T>::type;
  if constexpr (kOp == UCCS_SUM) return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  if constexpr (kOp == UCCS_PRODUCT) return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  if constexpr (kOp == UCCS_MIN) return std::min(a, b);
  if constexpr (kOp == UCCS_MAX) return std::max(a, b);
  if constexpr (std::is_integral_v<T>) {
    if constexpr (kOp == UCCS_AND) return static_cast<T>(a & b);
    if constexpr (kOp == UCCS_OR) return static_cast<T>(a | b);
    if constexpr (kOp == UCCS_XOR) return static_cast<T>(a ^ b);
  }
}

template <uccs_reduce_op_t kOp, typename T>
void combine(void* acc, const void* in, size_t count) {
  auto* a = static_cast<T*>(acc);
  const auto* b = static_cast<const T*>(in);
  for (size_t i = 0; i < count; ++i) a[i] = combine_one<kOp>(a[i], b[i]);
}

/// The function for an operation on T; nullptr when there is none.
template <typename T>
Combine combine_of(uccs_reduce_op_t op) {
  switch (op) {
    case UCCS_SUM:
      return combine<UCCS_SUM, T>;
    case UCCS_PRODUCT:
      return combine<UCCS_PRODUCT, T>;
    case UCCS_MIN:
      return combine<UCCS_MIN, T>;
    case UCCS_MAX:
      return combine<UCCS_MAX, T>;
    default:
      break;
  }
  if constexpr (std::is_integral_v<T>) {
    if (op == UCCS_AND) return combine<UCCS_AND, T>;
    if (op == UCCS_OR) return combine<UCCS_OR, T>;
    if (op == UCCS_XOR) return combine<UCCS_XOR, T>;
  }
  return nullptr;
}

struct Reduction {
  size_t element = 0;
  Combine combine = nullptr;
};

Reduction reduction_of(uccs_type_t type, uccs_reduce_op_t op) {
  switch (type) {
#define UCCS_REDUCTION_CASE(name, element) \
  case UCCS_TYPE_##name:                   \
    return {sizeof(element), combine_of<element>(op)};
    UCCS_REDUCE_INTEGER_TYPES(UCCS_REDUCTION_CASE)
    UCCS_REDUCE_FLOAT_TYPES(UCCS_REDUCTION_CASE)
#undef UCCS_REDUCTION_CASE
    default:
      return {};
  }
}

/// A group of the caller's own from `split(&group)`; NULL where it is no member.
template <typename Split>
uccs_status_t make_group(uccs_group_t* group_out, const Split& split) {
  auto* group = new (std::nothrow) Group;
  if (!group) return UCCS_ERR_NO_MEMORY;
  const uccs_status_t status = split(group);
  if (status != UCCS_OK || group->rank < 0) {
    delete group;
    group = nullptr;
  }
  if (status == UCCS_OK) *group_out = handle_of(group);
  return status;
}

}  // namespace
}  // namespace uccs::coll

extern "C" {

using namespace uccs::coll;

uccs_group_t uccs_group_world(void) { return handle_of(&uccs::core::world_group()); }

uccs_status_t uccs_group_create(uccs_group_t parent, int first, int stride, int size,
                                uccs_group_t* group_out) {
  if (!parent || !group_out) return UCCS_ERR_INVALID;
  return make_group(group_out, [=](Group* group) {
    return group_split(*group_of(parent), first, stride, size, group);
  });
}

uccs_status_t uccs_group_split(uccs_group_t parent, int color, int key, uccs_group_t* group_out) {
  static_assert(UCCS_NO_COLOR == kNoColor);
  if (!parent || !group_out) return UCCS_ERR_INVALID;
  return make_group(group_out, [=](Group* group) {
    return group_split_by_color(*group_of(parent), color, key, group);
  });
}

uccs_status_t uccs_group_destroy(uccs_group_t group) {
  if (!group || group == uccs_group_world()) return UCCS_OK;
  group_release(*group_of(group));
  delete group_of(group);
  return UCCS_OK;
}

int uccs_group_rank(uccs_group_t group) { return group_of(group)->rank; }
int uccs_group_size(uccs_group_t group) { return group_of(group)->size; }
int uccs_group_ec(uccs_group_t group, int rank) {
  const Group& members = *group_of(group);
  return rank >= 0 && rank < members.size ? uccs::core::group_ec(members, rank) : -1;
}

uccs_status_t uccs_barrier(uccs_group_t group) {
  if (!group) return UCCS_ERR_INVALID;
  barrier(*group_of(group));
  return UCCS_OK;
}

uccs_status_t uccs_bcast(uccs_group_t group, void* buffer, size_t bytes, int root) {
  if (!group || (!buffer && bytes > 0) || uccs_group_ec(group, root) < 0) return UCCS_ERR_INVALID;
  broadcast(*group_of(group), buffer, buffer, bytes, root, false);
  return UCCS_OK;
}

uccs_status_t uccs_allgather(uccs_group_t group, void* dest, const void* source, size_t bytes) {
  if (!group || (bytes > 0 && (!dest || !source))) return UCCS_ERR_INVALID;
  allgather(*group_of(group), dest, source, bytes);
  return UCCS_OK;
}

uccs_status_t uccs_alltoall(uccs_group_t group, void* dest, const void* source, size_t bytes) {
  if (!group || (bytes > 0 && (!dest || !source))) return UCCS_ERR_INVALID;
  alltoall(*group_of(group), dest, source, bytes);
  return UCCS_OK;
}

uccs_status_t uccs_allreduce(uccs_group_t group, void* dest, const void* source, size_t count,
                             uccs_type_t type, uccs_reduce_op_t op) {
  if (!group || (count > 0 && (!dest || !source))) return UCCS_ERR_INVALID;
  if (static_cast<unsigned>(type) >= UCCS_TYPE_COUNT ||
      static_cast<unsigned>(op) >= UCCS_REDUCE_OP_COUNT)
    return UCCS_ERR_INVALID;
  const Reduction reduction = reduction_of(type, op);
  if (!reduction.combine) return UCCS_ERR_UNSUPPORTED;
  allreduce(*group_of(group), dest, source, reduction.element, count, reduction.combine);
  return UCCS_OK;
}

}  // extern "C"
