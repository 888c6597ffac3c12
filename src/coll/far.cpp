// SPDX-License-Identifier: BSD-3-Clause
#include "coll/far.hpp"

#include <new>

#include "base/log.hpp"
#include "core/context.hpp"
#include "core/direct.hpp"
#include "core/nodes.hpp"
#include "core/remote.hpp"
#include "uccs/message.h"

namespace uccs::coll {

bool spans_nodes(Group& group) {
  const int last = core::group_ec(group, group.size - 1);
  if (core::node_count() < 2 || core::node_of(group.first) == core::node_of(last)) return false;
  auto* far = new (std::nothrow) Far;
  if (!far) base::fatal("no memory for a group of %d members", group.size);
  far->own = {};
  far->own.state = State::kFar;
  int mine = -1;
  for (int rank = 0, node = -1; rank < group.size; ++rank) {
    const int here = core::node_of(core::group_ec(group, rank));
    if (here != node) far->firsts.push_back(rank);
    node = here;
    if (rank == group.rank) mine = far->parts();
  }
  far->firsts.push_back(group.size);
  far->part = mine;
  far->local = {.rank = group.rank - far->first_of(mine),
                .size = far->size_of(mine),
                .first = core::group_ec(group, far->first_of(mine)),
                .stride = group.stride,
                .id = group.id};
  far->local.scratch = group.scratch;
  // Scratch is at the same distance everywhere, so it names the group.
  const auto place = reinterpret_cast<uintptr_t>(group.scratch) - core::direct_map.heap_low;
  far->tag = uint64_t{place / core::kGroupScratchBytes} << 32;
  group.scratch = reinterpret_cast<std::byte*>(far);
  return true;
}

void end_far(Group& group) {
  Far* far = &far_of(group);
  group.scratch = far->local.scratch;
  delete far;
}

namespace far {

Messages::Messages(Group& group, Kind kind)
    : group_(group), kind_(kind), tag_(far_of(group).tag | ++far_of(group).calls) {}

template <typename Post>
void Messages::start(Post post) {
  uccs_request_t request = UCCS_REQUEST_NULL;
  uccs_status_t status = UCCS_AGAIN;
  coll::wait(kind_, [&status, &post, &request] { return (status = post(&request)) != UCCS_AGAIN; });
  if (status < 0)
    base::fatal("%s: a message between nodes failed: %s", kind_name(kind_),
                uccs_status_string(status));
  if (request) requests_.push_back(request);
}

void Messages::send(int rank, const void* data, size_t bytes) {
  core::Endpoint* to = core::remote_endpoint(core::group_ec(group_, rank));
  start([&](uccs_request_t* out) { return uccs_send_contiguous_nb(to, tag_, data, bytes, out); });
}

void Messages::receive(int rank, void* data, size_t bytes) {
  const int from = core::group_ec(group_, rank);
  start([&](uccs_request_t* out) {
    return uccs_recv_nb(core::job_context(), 0, from, tag_, ~uint64_t{0}, data, bytes, nullptr,
                        out);
  });
}

void Messages::wait() {
  for (uccs_request_t& request : requests_) {
    uccs_status_t status = UCCS_OK;
    coll::wait(kind_,
               [&status, &request] { return (status = core::look(&request)) != UCCS_IN_PROGRESS; });
    if (status < 0)
      base::fatal("%s: a message between nodes failed: %s", kind_name(kind_),
                  uccs_status_string(status));
  }
  requests_.clear();
}

}  // namespace far
}  // namespace uccs::coll
