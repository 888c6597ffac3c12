// SPDX-License-Identifier: BSD-3-Clause
#include "coll/far.hpp"

#include <new>

#include "base/config.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "core/context.hpp"
#include "core/direct.hpp"
#include "core/remote.hpp"
#include "rte/identity.hpp"
#include "uccs/message.h"

namespace uccs::coll {

bool spans_nodes(Group& group) {
  const int low = core::group_lowest_ec(group), high = core::group_highest_ec(group);
  if (rte::start().num_nodes < 2 || rte::node_of(low) == rte::node_of(high)) return false;
  if (!core::job_context())
    base::fatal(
        "collective on a group of ECs %d to %d: not all of them are on this node, and no network "
        "joins the nodes: %s",
        low, high, core::why_no_network());
  auto* far = new (std::nothrow) Far;
  if (!far) base::fatal("no memory for a group of %d members", group.size);
  far->own = {};
  far->own.state = State::kFar;
  for (int rank = 0, node = -1; rank < group.size; ++rank) {
    const int here = rte::node_of(core::group_ec(group, rank));
    if (here != node) far->firsts.push_back(rank);
    node = here;
    if (rank == group.rank) far->part = static_cast<int>(far->firsts.size()) - 1;
  }
  far->firsts.push_back(group.size);
  const int first = far->first_of(far->part);
  std::vector<int> ecs;
  for (int i = 0; i < far->size_of(far->part); ++i) ecs.push_back(core::group_ec(group, first + i));
  describe(ecs, &far->local);
  far->local.rank = group.rank - first;
  far->local.id = group.id;
  far->local.scratch = group.scratch;
  // Scratch is at the same distance everywhere, so it names the group.
  const auto place = reinterpret_cast<uintptr_t>(group.scratch) - core::direct_map.heap_low;
  far->tag = uint64_t{place / core::kGroupScratchBytes} << 32;
  group.scratch = reinterpret_cast<std::byte*>(far);
  return true;
}

std::byte* symmetric_scratch(const Group& group) {
  const State state = reinterpret_cast<const Own*>(group.scratch)->state;
  return state == State::kFar ? far_of(group).local.scratch : group.scratch;
}

void end_far(Group& group) {
  Far* far = &far_of(group);
  group.scratch = far->local.scratch;
  delete far;
}

namespace far {

namespace {

[[noreturn]] void fail(Kind kind, int ec, uccs_status_t status) {
  base::fatal("%s: a message between this EC and EC %d on %s failed: %s", kind_name(kind), ec,
              rte::host_of(ec), uccs_status_string(status));
}

}  // namespace

Messages::Messages(Group& group, Kind kind)
    : group_(group), kind_(kind), tag_(far_of(group).tag | ++far_of(group).calls) {}

template <typename Post>
void Messages::start(int ec, Post post) {
  uccs_request_t request = UCCS_REQUEST_NULL;
  uccs_status_t status = UCCS_AGAIN;
  coll::wait(kind_, [&status, &post, &request] { return (status = post(&request)) != UCCS_AGAIN; });
  if (status < 0) fail(kind_, ec, status);
  if (request) started_.push_back({request, ec});
}

void Messages::send(int rank, const void* data, size_t bytes) {
  const int to = core::group_ec(group_, rank);
  start(to, [&](uccs_request_t* out) {
    return uccs_send_contiguous_nb(core::remote_endpoint(to), tag_, data, bytes, out);
  });
}

void Messages::receive(int rank, void* data, size_t bytes) {
  const int from = core::group_ec(group_, rank);
  start(from, [&](uccs_request_t* out) {
    return uccs_recv_nb(core::job_context(), 0, from, tag_, ~uint64_t{0}, data, bytes, nullptr,
                        out);
  });
}

void Messages::wait() {
  for (Started& each : started_) {
    uccs_request_t& request = each.request;
    uccs_status_t status = UCCS_OK;
    coll::wait(kind_,
               [&status, &request] { return (status = core::look(&request)) != UCCS_IN_PROGRESS; });
    if (status < 0) fail(kind_, each.ec, status);
  }
  started_.clear();
}

void store(Group& group, Kind kind, int rank, std::atomic<uint64_t>* flag, uint64_t value) {
  const int to = core::group_ec(group, rank);
  uccs_status_t status = UCCS_AGAIN;
  coll::wait(kind, [&status, to, flag, value] {
    return (status = core::remote_store(to, flag, value)) != UCCS_AGAIN;
  });
  if (status < 0) fail(kind, to, status);
}

/// The first leader and every other one tell each other.
void compare_in_check_mode(Group& group, const Call& call) {
  const Far& far = far_of(group);
  Messages messages(group, call.kind);
  if (!far.is_leader()) return;
  if (far.part != 0) {
    Call expected;
    messages.send(0, &call, sizeof call);
    messages.receive(0, &expected, sizeof expected);
    messages.wait();
    return require_same(group, call, expected);
  }
  std::vector<Call> theirs(static_cast<size_t>(far.parts()));
  for (int part = 1; part < far.parts(); ++part) {
    messages.receive(far.first_of(part), &theirs[static_cast<size_t>(part)], sizeof call);
    messages.send(far.first_of(part), &call, sizeof call);
  }
  messages.wait();
}

}  // namespace far
}  // namespace uccs::coll
