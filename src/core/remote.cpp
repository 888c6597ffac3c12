// SPDX-License-Identifier: BSD-3-Clause
#include "core/remote.hpp"

#include <memory>
#include <mutex>

#include "base/log.hpp"
#include "base/sparse.hpp"
#include "core/context.hpp"
#include "core/job.hpp"
#include "core/network.hpp"
#include "core/transfer.hpp"
#include "rte/identity.hpp"

namespace uccs::core {
namespace {

std::mutex lock;  // guards making them
std::atomic<std::atomic<Endpoint*>*> endpoints = nullptr;

Endpoint* make(int ec) {
  const std::lock_guard guard(lock);
  auto* all = endpoints.load(std::memory_order_relaxed);
  if (!all) {
    all = base::make_sparse<std::atomic<Endpoint*>>(static_cast<size_t>(job.size)).release();
    if (!all) base::fatal("no memory to talk to EC %d", ec);
    endpoints.store(all, std::memory_order_release);
  }
  Endpoint* made = all[ec].load(std::memory_order_relaxed);
  if (made) return made;
  if (!job_context())
    base::fatal("EC %d is on another node, and no network joins the nodes: %s", ec,
                why_no_network());
  const uccs_status_t status = uccs_endpoint_create(job_context(), ec, UCCS_LANE_ANY, &made);
  if (status != UCCS_OK)
    base::fatal("EC %d on %s cannot be reached: %s", ec, host_of(ec), uccs_status_string(status));
  all[ec].store(made, std::memory_order_release);
  return made;
}

/// Calls `post` with the network's function table, the thread's path and the address over there.
template <class Post>
uccs_status_t post_at_once(Endpoint* endpoint, const void* symmetric, size_t bytes,
                           const Post& post) {
  Target target;
  const uccs_status_t found = resolve(endpoint, UCCS_REGION_SYMMETRIC, symmetric, bytes, &target);
  if (found != UCCS_OK) return found;
  Channel* channel = this_thread(endpoint->context).channel;
  if (!channel->lock.try_lock()) return UCCS_AGAIN;
  const uccs_status_t status =
      post(*endpoint->link->table, channel->paths[endpoint->link_index], target.remote);
  channel->lock.unlock();
  return status;
}

uccs_status_t post_put_signal(int ec, const RemotePut& put, net::Completion* completion) {
  Endpoint* endpoint = remote_endpoint(ec);
  Target signal;
  const uccs_status_t found =
      resolve(endpoint, UCCS_REGION_SYMMETRIC, put.signal, sizeof *put.signal, &signal);
  if (found != UCCS_OK) return found;
  return post_at_once(endpoint, put.dest, put.bytes,
                      [&](const net::Transport& table, net::Channel* path, const net::Remote& to) {
                        return table.put_signal(path, ec, to, put.source, put.bytes,
                                                {signal.remote, put.arguments}, completion);
                      });
}

bool look_out(const net::Transport& table, net::Channel* path, const net::Flag& flag) {
  // On a crowded CPU it is rather the peer who needs it.
  return !base::Backoff::is_crowded() && table.await(path, flag, kLooksAlone);
}

}  // namespace

Endpoint* remote_endpoint(int ec) {
  // Acquire: pairs with `make`.
  const auto* all = endpoints.load(std::memory_order_acquire);
  Endpoint* found = all ? all[ec].load(std::memory_order_acquire) : nullptr;
  return found ? found : make(ec);
}

uccs_status_t remote_atomic(int ec, const net::AtomicArguments& arguments, const void* symmetric,
                            void* result_out, uccs_request_t* request_out) {
  return start_atomic(remote_endpoint(ec), UCCS_REGION_SYMMETRIC, symmetric, arguments, result_out,
                      request_out);
}

bool look_for(const net::Flag& flag) {
  Context* const context = job_context();
  const ThreadSlot& thread = this_thread(context);
  if (thread.callbacks > 0 || thread.channel->index >= context->shape.lanes) return false;
  return look_out(*context->links[0].table, thread.channel->paths[0], flag);
}

Errand::Errand() {
  done = [](net::Completion* self, uccs_status_t status) {
    static_cast<Errand*>(self)->status_.store(status, std::memory_order_release);
  };
}

bool Errand::await() const { return table_ && look_out(*table_, path_, {}); }

uccs_status_t Errand::get(Endpoint* from, void* dest, const void* source, size_t bytes) {
  return post_at_once(
      from, source, bytes,
      [&](const net::Transport& table, net::Channel* path, const net::Remote& remote) {
        table_ = &table, path_ = path;
        return table.get(path, from->ec, remote, dest, bytes, this);
      });
}

uccs_status_t Errand::fetch(Endpoint* at, const void* target,
                            const net::AtomicArguments& arguments) {
  return post_at_once(
      at, target, base::atomic_size(arguments.type),
      [&](const net::Transport& table, net::Channel* path, const net::Remote& remote) {
        table_ = &table, path_ = path;
        return table.atomic(path, at->ec, remote, arguments, &old_value_, this);
      });
}

uccs_status_t Errand::put_signal(int ec, const RemotePut& put) {
  return post_put_signal(ec, put, this);
}

uccs_status_t remote_put_signal(int ec, const RemotePut& put) {
  return post_put_signal(ec, put, nullptr);
}

uccs_status_t remote_store(int ec, void* symmetric, uint64_t value) {
  Endpoint* endpoint = remote_endpoint(ec);
  const uccs_status_t status =
      post_at_once(endpoint, symmetric, sizeof value,
                   [&](const net::Transport& table, net::Channel* path, net::Remote to) {
                     to.is_flag = true;
                     return table.put(path, ec, to, &value, sizeof value, nullptr);
                   });
  if (status == UCCS_ERR_UNSUPPORTED)
    return uccs_put_contiguous_short_nb(endpoint, UCCS_REGION_SYMMETRIC, symmetric, &value,
                                        sizeof value, nullptr);
  return status == UCCS_IN_PROGRESS ? UCCS_OK : status;
}

void charge(uint8_t account) { this_thread(job_context()).account = account; }

const char* host_of(int ec) { return rte::host_of(ec); }

const char* why_no_network() { return chosen_network(nullptr).reason; }

void forget_remote_endpoints() {
  const std::lock_guard guard(lock);
  free(endpoints.exchange(nullptr, std::memory_order_relaxed));
}

}  // namespace uccs::core
