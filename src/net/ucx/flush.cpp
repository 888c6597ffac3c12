// SPDX-License-Identifier: BSD-3-Clause
/// UCX says of a put when its source is free; that it can be seen over there takes a flush. So puts
/// are gathered per connection, and one flush at a time ends all that were posted before it.
#include "base/clock.hpp"
#include "net/ucx/ucx.hpp"

namespace uccs::net::ucx {
namespace {

/// With more connections to flush than this, the worker is flushed as a whole.
constexpr int kFlushedSingly = 8;

}  // namespace

void Channel::mark_dirty(Link& link) {
  if (link.is_dirty) return;
  link.is_dirty = true;
  link.next_dirty = dirty_;
  dirty_ = &link;
  ++dirty_count_;
}

/// All puts of the connection that the flush covers have come to their second end.
void Channel::end_flush(Link& link, ucs_status_t status) {
  Pending* pending = link.flushing;
  link.flushing = nullptr;
  while (pending) {
    Pending* next = pending->next;
    end_one(static_cast<Operation*>(pending), status);
    pending = next;
  }
  if (link.unflushed) mark_dirty(link);
}

void Channel::start_flushes() {
  if (!dirty_) return;
  if (dirty_count_ > kFlushedSingly && !is_flushed_singly_) return flush_worker();
  Link* link = dirty_;
  dirty_ = nullptr;
  dirty_count_ = 0;
  while (link) {
    Link* next = link->next_dirty;
    link->is_dirty = false;
    if (!link->flushing) flush_link(*link);  // else when that one ends
    link = next;
  }
}

void Channel::flush_link(Link& link) {
  link.flushing = link.unflushed;
  link.unflushed = nullptr;
  if (link.error != UCS_OK) return end_flush(link, link.error);
  ucp_request_param_t parameters = {};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.user_data = &link;
  parameters.cb.send = [](void* request, ucs_status_t status, void* user) {
    auto* flushed = static_cast<Link*>(user);
    ucp_request_free(request);
    flushed->home->end_flush(*flushed, status);
  };
  const ucs_status_ptr_t posted = ucp_ep_flush_nbx(link.ep, &parameters);
  if (!UCS_PTR_IS_PTR(posted)) end_flush(link, UCS_PTR_STATUS(posted));
}

void Channel::flush_worker() {
  if (worker_flush_) return;
  Link* link = dirty_;
  Link* left = nullptr;
  int left_count = 0;
  dirty_ = nullptr;
  while (link) {
    Link* next = link->next_dirty;
    if (link->flushing) {  // its puts since then wait for the next one
      link->next_dirty = left;
      left = link;
      ++left_count;
    } else {
      link->is_dirty = false;
      link->flushing = link->unflushed;
      link->unflushed = nullptr;
      link->next_flushing = worker_flush_;
      worker_flush_ = link;
    }
    link = next;
  }
  dirty_ = left;
  dirty_count_ = left_count;
  ucp_request_param_t parameters = {};
  parameters.op_attr_mask = UCP_OP_ATTR_FIELD_CALLBACK | UCP_OP_ATTR_FIELD_USER_DATA;
  parameters.user_data = this;
  parameters.cb.send = [](void* request, ucs_status_t status, void* user) {
    ucp_request_free(request);
    static_cast<Channel*>(user)->end_worker_flush(status);
  };
  const ucs_status_ptr_t posted = ucp_worker_flush_nbx(worker_, &parameters);
  if (!UCS_PTR_IS_PTR(posted)) end_worker_flush(UCS_PTR_STATUS(posted));
}

void Channel::end_worker_flush(ucs_status_t status) {
  Link* link = worker_flush_;
  worker_flush_ = nullptr;
  // An error is some connection's: the others are flushed again, and from now on one by one.
  if (status != UCS_OK) is_flushed_singly_ = true;
  while (link) {
    Link* next = link->next_flushing;
    if (status == UCS_OK || link->error != UCS_OK)
      end_flush(*link, link->error);
    else
      flush_again(*link);
    link = next;
  }
}

void Channel::flush_again(Link& link) {
  Pending** end = &link.unflushed;
  while (*end) end = &(*end)->next;
  *end = link.flushing;
  link.flushing = nullptr;
  mark_dirty(link);
}

void Channel::drain(uint64_t deadline_ns) {
  if (!worker_) return;
  const std::lock_guard guard(*lock_);
  ucp_request_param_t parameters = {};
  wait(ucp_worker_flush_nbx(worker_, &parameters), deadline_ns);
}

/// With the lock held; beyond the deadline the request is left to UCX.
void Channel::wait(ucs_status_ptr_t request, uint64_t deadline_ns) {
  if (!UCS_PTR_IS_PTR(request)) return;
  while (ucp_request_check_status(request) == UCS_INPROGRESS && base::now_ns() < deadline_ns)
    ucp_worker_progress(worker_);
  ucp_request_free(request);
}

}  // namespace uccs::net::ucx
