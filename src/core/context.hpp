// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

#include "core/channel.hpp"
#include "core/endpoint.hpp"
#include "core/lane.hpp"
#include "core/public_lanes.hpp"
#include "core/wire.hpp"
#include "net/transport.hpp"
#include "uccs/am.h"
#include "uccs/context.h"

namespace uccs::core {

constexpr int kMaxContexts = 17;  ///< what programs may make, and the job's own
constexpr int kMaxLanes = 64;
constexpr int kMaxChannels = 1024;

struct ThreadSlot;

/// A transport opened by a context.
struct Link {
  const net::Transport* table = nullptr;
  net::Instance* instance = nullptr;
  net::Capabilities limits = {};
  const net::Transport* layers[5] = {};  ///< `table`, then what each wraps
  const uccs_context* context = nullptr;

  /// Decorators look on: no operation goes past the table.
  bool is_wrapped() const { return layers[1] != nullptr; }
  /// Messages may be on their way for long, so the end of the context counts them.
  bool is_counted() const { return !limits.short_is_shared; }
  /// Gives the buffer back that an arrival's payload is in, if it has one.
  void release(const net::Arrival& arrival) const {
    if (arrival.token) table->release(instance, arrival.token);
  }
};

struct Handler {
  std::atomic<uccs_am_callback_t> callback = nullptr;  ///< set last, with release
  void* user = nullptr;
  std::atomic<uccs_am_class_t> am_class = UCCS_AM_USER;
};

class ProgressThread;
class Pack;

struct DeletePack {
  void operator()(Pack* pack) const;
};

}  // namespace uccs::core

/// What all threads of the process share of one context. Fields are grouped by who writes them, and
/// how often.
struct uccs_context {
  // Constant after creation.
  int index = 0;             ///< in the process's table of contexts, and alike on all ECs
  uint32_t incarnation = 0;  ///< tells it from earlier ones at the same index; alike on all ECs
  uccs::net::Shape shape;
  int cpus = 1;            ///< usable by this process
  uint32_t poll_mask = 0;  ///< a thread looks at others' lanes when its polls & this are 0
  bool is_of_job = false;  ///< models' operations on memory of other nodes
  int link_count = 0;
  std::atomic<bool> is_ending = false;  ///< this EC destroys it
  uccs::core::Link links[uccs::core::kMaxLinks];
  std::unique_ptr<uccs::core::Lane[]> lanes;
  std::unique_ptr<uccs::core::Channel[]> channels;
  std::byte* inboxes[uccs::core::kMaxLinks] = {};  ///< shared memory of each link, nullptr: none
  std::unique_ptr<int8_t[]> routes;  ///< by EC: index of the link that reaches it, -1: none
  std::unique_ptr<uccs::core::ProgressThread> progress_thread;
  std::unique_ptr<uccs::core::Pack, uccs::core::DeletePack> pack;  ///< nullptr: does not aggregate
  bool packs_bursts = false;  ///< `pack` is for what comes in bursts only: the job's context

  // Rarely written.
  uccs::core::Handler handlers[UCCS_AM_IDS];
  uccs::core::Homes homes;
  std::atomic<int> pollers = 0;        ///< threads that have a channel
  std::atomic<int> open_channels = 0;  ///< channels[0..open_channels-1]; written under `lock`
  std::mutex lock;                     ///< guards the next ones
  uccs_endpoint* endpoints = nullptr;
  uint32_t endpoints_made = 0;
  struct uccs_region* regions = nullptr;

  // The end of the context, leave.cpp.
  std::atomic<int> leaves = 0;  ///< at EC 0: ECs that have said so, over all rounds
  std::atomic<int> left = 0;    ///< rounds that are over
  std::atomic<bool> is_over = false;
  std::atomic<uint64_t> sent = 0, handled = 0, others = 0;  ///< at EC 0: sums of LeaveHead
  uint64_t handled_before = 0;                              ///< at EC 0: the sum of the last round
  /// Messages by links that are not counted, handled since this EC last said so.
  std::atomic<uint64_t> late = 0;
};

namespace uccs::core {

/// Opens the transports of a context (`only`: one by name, or nullptr for all) and connects every
/// EC to the first that reaches it.
uccs_status_t open_links(Context* context, const char* only);
void close_links(Context* context);

/// Agrees with the other ECs of the node on what the inboxes of this context look like: whoever
/// comes first decides. Zero in `wanted` means that anything will do.
uccs_status_t agree_on_shape(Context* context, net::Shape wanted, net::Shape preferred);

/// Waits until all ECs have said that they destroy the context and post nothing any more, but for
/// what callbacks post. Runs callbacks.
void announce_end(Context* context);
/// After it, once no other thread handles messages of the context: waits until all that were posted
/// have been handled. Runs callbacks.
void leave_together(Context* context);
void note_leave(Context* context, const LeaveHead& said);
void note_left(Context* context, bool is_over);

/// The context that UCCS makes for itself when the job spans several nodes, with the network as its
/// only link: collectives and models reach ECs of other nodes through it. nullptr on one node, and
/// where no network joins the nodes.
Context* job_context();
uccs_status_t start_job_context(bool has_threads);
void stop_job_context();

/// Guards the process's table of contexts and what comes and goes with them.
std::mutex& contexts_lock();
/// The live context number `index`, nullptr if there is none. With contexts_lock held.
Context* context_at(int index);

}  // namespace uccs::core
