// SPDX-License-Identifier: BSD-3-Clause
/// Puts and gets. In mapped memory the bytes have moved when any of them returns; what is left to
/// the sync of a non-blocking put is the fence.
#include "base/log.hpp"
#include "models/gasnet/remote.hpp"
#include "models/gasnet/transfer.hpp"

namespace uccs::gasnet {
namespace {

template <Sync sync>
[[gnu::always_inline]] inline gasnet_handle_t put(const char* call, uint32_t node, void* dest,
                                                  const void* source, size_t bytes,
                                                  bool frees_source) {
  void* const to = reach(node, dest);
  if (!to) [[unlikely]]
    return slow_put(call, sync, node, dest, source, bytes, frees_source);
  store(to, source, bytes);
  if constexpr (sync == Sync::kBlocking) complete_stores();
  return stored_handle();
}

template <Sync sync>
[[gnu::always_inline]] inline gasnet_handle_t get(const char* call, void* dest, uint32_t node,
                                                  const void* source, size_t bytes) {
  const void* const from = reach(node, source);
  if (!from) [[unlikely]]
    return slow_get(call, sync, dest, node, source, bytes);
  load(dest, from, bytes);
  return GASNET_INVALID_HANDLE;
}

template <Sync sync>
gasnet_handle_t set(const char* call, uint32_t node, void* dest, int value, size_t bytes) {
  void* const to = reach(node, dest);
  if (!to) [[unlikely]] {
    slow_memset(call, node, dest, value, bytes);
    return GASNET_INVALID_HANDLE;
  }
  if (bytes > 0) memset(to, value, bytes);
  if constexpr (sync == Sync::kBlocking) complete_stores();
  return stored_handle();
}

using Value = gasnet_register_value_t;

/// The low bytes of a value lie first only here and on its like.
const void* low_bytes(const Value* value, size_t bytes) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
  return reinterpret_cast<const std::byte*>(value) + sizeof *value - bytes;
#else
  (void)bytes;
  return value;
#endif
}

[[noreturn, gnu::cold]] void fail_size(const char* call, size_t bytes) {
  base::fatal("%s: a value of %zu bytes: 1 to %d are possible", call, bytes,
              SIZEOF_GASNET_REGISTER_VALUE_T);
}

template <Sync sync>
[[gnu::always_inline]] inline gasnet_handle_t put_value(const char* call, uint32_t node, void* dest,
                                                        Value value, size_t bytes) {
  if (bytes - 1 >= sizeof value) [[unlikely]]
    fail_size(call, bytes);
  return put<sync>(call, node, dest, low_bytes(&value, bytes), bytes, true);
}

[[gnu::always_inline]] inline Value get_value(const char* call, uint32_t node, const void* source,
                                              size_t bytes) {
  if (bytes - 1 >= sizeof(Value)) [[unlikely]]
    fail_size(call, bytes);
  Value value = 0;
  get<Sync::kBlocking>(call, const_cast<void*>(low_bytes(&value, bytes)), node, source, bytes);
  return value;
}

}  // namespace
}  // namespace uccs::gasnet

using namespace uccs::gasnet;

extern "C" {

void gasnet_put(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  put<Sync::kBlocking>("gasnet_put", node, dest, src, nbytes, true);
}
void gasnet_put_bulk(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  put<Sync::kBlocking>("gasnet_put_bulk", node, dest, src, nbytes, false);
}
gasnet_handle_t gasnet_put_nb(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  return put<Sync::kHandle>("gasnet_put_nb", node, dest, src, nbytes, true);
}
gasnet_handle_t gasnet_put_nb_bulk(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  return put<Sync::kHandle>("gasnet_put_nb_bulk", node, dest, src, nbytes, false);
}
void gasnet_put_nbi(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  put<Sync::kImplicit>("gasnet_put_nbi", node, dest, src, nbytes, true);
}
void gasnet_put_nbi_bulk(gasnet_node_t node, void* dest, void* src, size_t nbytes) {
  put<Sync::kImplicit>("gasnet_put_nbi_bulk", node, dest, src, nbytes, false);
}

void gasnet_get(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  get<Sync::kBlocking>("gasnet_get", dest, node, src, nbytes);
}
void gasnet_get_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  get<Sync::kBlocking>("gasnet_get_bulk", dest, node, src, nbytes);
}
gasnet_handle_t gasnet_get_nb(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  return get<Sync::kHandle>("gasnet_get_nb", dest, node, src, nbytes);
}
gasnet_handle_t gasnet_get_nb_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  return get<Sync::kHandle>("gasnet_get_nb_bulk", dest, node, src, nbytes);
}
void gasnet_get_nbi(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  get<Sync::kImplicit>("gasnet_get_nbi", dest, node, src, nbytes);
}
void gasnet_get_nbi_bulk(void* dest, gasnet_node_t node, void* src, size_t nbytes) {
  get<Sync::kImplicit>("gasnet_get_nbi_bulk", dest, node, src, nbytes);
}

void gasnet_memset(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  set<Sync::kBlocking>("gasnet_memset", node, dest, val, nbytes);
}
gasnet_handle_t gasnet_memset_nb(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  return set<Sync::kHandle>("gasnet_memset_nb", node, dest, val, nbytes);
}
void gasnet_memset_nbi(gasnet_node_t node, void* dest, int val, size_t nbytes) {
  set<Sync::kImplicit>("gasnet_memset_nbi", node, dest, val, nbytes);
}

void gasnet_put_val(gasnet_node_t node, void* dest, gasnet_register_value_t value, size_t nbytes) {
  put_value<Sync::kBlocking>("gasnet_put_val", node, dest, value, nbytes);
}
gasnet_handle_t gasnet_put_nb_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                                  size_t nbytes) {
  return put_value<Sync::kHandle>("gasnet_put_nb_val", node, dest, value, nbytes);
}
void gasnet_put_nbi_val(gasnet_node_t node, void* dest, gasnet_register_value_t value,
                        size_t nbytes) {
  put_value<Sync::kImplicit>("gasnet_put_nbi_val", node, dest, value, nbytes);
}
gasnet_register_value_t gasnet_get_val(gasnet_node_t node, void* src, size_t nbytes) {
  return get_value("gasnet_get_val", node, src, nbytes);
}

// The value has come when the call returns, so it is its own handle.
gasnet_valget_handle_t gasnet_get_nb_val(gasnet_node_t node, void* src, size_t nbytes) {
  return get_value("gasnet_get_nb_val", node, src, nbytes);
}
gasnet_register_value_t gasnet_wait_syncnb_valget(gasnet_valget_handle_t handle) { return handle; }

}  // extern "C"
