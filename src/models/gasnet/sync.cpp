// SPDX-License-Identifier: BSD-3-Clause
/// Completion of non-blocking operations.
#include "models/gasnet/remote.hpp"
#include "models/gasnet/transfer.hpp"
#include "models/gasnet/waiting.hpp"

namespace uccs::gasnet {
namespace {

bool is_valid(gasnet_handle_t handle) { return handle != GASNET_INVALID_HANDLE; }
bool is_batch(gasnet_handle_t handle) { return is_valid(handle) && handle != stored_handle(); }

/// True: complete, and gone.
bool finish(gasnet_handle_t handle) { return !is_batch(handle) || finish_handle(handle); }

/// Looks at each handle once; those that are complete become invalid. How many there were, and how
/// many are left.
struct Found {
  size_t complete = 0;
  size_t left = 0;
};
Found finish_each(gasnet_handle_t* handles, size_t count) {
  Found found;
  for (size_t i = 0; i < count; ++i) {
    if (!is_valid(handles[i])) continue;
    if (finish(handles[i])) {
      handles[i] = GASNET_INVALID_HANDLE;
      ++found.complete;
    } else {
      ++found.left;
    }
  }
  if (found.complete > 0) complete_stores();
  return found;
}

/// A try that found something not complete. Programs loop over it, so it must get somewhere.
int not_ready() {
  poll();
  return GASNET_ERR_NOT_READY;
}

bool finish_all() {
  const bool has_no_puts = finish_puts();  // both, whatever the first says
  return finish_gets() && has_no_puts;
}

template <typename Finish>
void wait_implicit(const char* call, Finish finish_them) {
  if (has_implicit()) [[unlikely]]
    wait_for(call, finish_them);
  complete_stores();
}

template <typename Finish>
int try_implicit(Finish finish_them) {
  if (has_implicit() && !finish_them()) [[unlikely]]
    return not_ready();
  complete_stores();
  return GASNET_OK;
}

}  // namespace
}  // namespace uccs::gasnet

using namespace uccs::gasnet;

extern "C" {

void gasnet_wait_syncnb(gasnet_handle_t handle) {
  if (!is_valid(handle)) return;
  if (is_batch(handle)) [[unlikely]]
    wait_for("gasnet_wait_syncnb", [handle] { return finish_handle(handle); });
  complete_stores();
}

int gasnet_try_syncnb(gasnet_handle_t handle) {
  if (!is_valid(handle)) return GASNET_OK;
  if (!finish(handle)) [[unlikely]]
    return not_ready();
  complete_stores();
  return GASNET_OK;
}

void gasnet_wait_syncnb_all(gasnet_handle_t* handles, size_t numhandles) {
  wait_for("gasnet_wait_syncnb_all", [=] { return finish_each(handles, numhandles).left == 0; });
}

int gasnet_try_syncnb_all(gasnet_handle_t* handles, size_t numhandles) {
  return finish_each(handles, numhandles).left == 0 ? GASNET_OK : not_ready();
}

void gasnet_wait_syncnb_some(gasnet_handle_t* handles, size_t numhandles) {
  wait_for("gasnet_wait_syncnb_some", [=] {
    const Found found = finish_each(handles, numhandles);
    return found.complete > 0 || found.left == 0;
  });
}

int gasnet_try_syncnb_some(gasnet_handle_t* handles, size_t numhandles) {
  const Found found = finish_each(handles, numhandles);
  return found.complete > 0 || found.left == 0 ? GASNET_OK : not_ready();
}

// Gets have loaded with acquire when they return: there is no store to complete.
void gasnet_wait_syncnbi_gets(void) {
  if (has_implicit()) wait_for("gasnet_wait_syncnbi_gets", finish_gets);
}
void gasnet_wait_syncnbi_puts(void) { wait_implicit("gasnet_wait_syncnbi_puts", finish_puts); }
void gasnet_wait_syncnbi_all(void) { wait_implicit("gasnet_wait_syncnbi_all", finish_all); }

int gasnet_try_syncnbi_gets(void) {
  return !has_implicit() || finish_gets() ? GASNET_OK : not_ready();
}
int gasnet_try_syncnbi_puts(void) { return try_implicit(finish_puts); }
int gasnet_try_syncnbi_all(void) { return try_implicit(finish_all); }

void gasnet_begin_nbi_accessregion(void) { begin_region(); }
gasnet_handle_t gasnet_end_nbi_accessregion(void) { return end_region(); }

}  // extern "C"
