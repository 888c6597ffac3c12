// SPDX-License-Identifier: BSD-3-Clause
/// Groups whose members are on several nodes. Inside a node the collectives of this room do the
/// work, on the group of the members there; between nodes their first members, the leaders, send
/// messages.
#pragma once
#include <memory>
#include <vector>

#include "base/config_values.hpp"
#include "coll/coll.hpp"
#include "coll/members.hpp"
#include "uccs/request.h"

namespace uccs::coll {

/// A far group's `scratch` points here, and `own.state` is kFar; `local` has the scratch itself.
/// A part is a run of ranks on one node: all the group's members there, unless its order is another
/// than that of the ECs.
struct Far {
  Own own;
  Group local;              ///< the members of this part
  int part = 0;             ///< this EC's
  std::vector<int> firsts;  ///< by part: rank of its leader; then the number of members
  uint64_t tag = 0;         ///< of this group's messages, the lower half is 0
  uint32_t calls = 0;       ///< collectives that sent messages

  int parts() const { return static_cast<int>(firsts.size()) - 1; }
  bool is_leader() const { return local.rank == 0; }
  int size_of(int i) const { return firsts[static_cast<size_t>(i) + 1] - first_of(i); }
  int first_of(int i) const { return firsts[static_cast<size_t>(i)]; }
};

inline Far& far_of(const Group& group) { return *reinterpret_cast<Far*>(group.scratch); }

/// Says who the members of a group are: by a triplet if there is one, else by a table.
void describe(const std::vector<int>& ecs, Group* group);

/// First call on a group: true if it spans nodes, and then the group is prepared for that.
bool spans_nodes(Group& group);

/// For the beginning of every collective; the usual answer costs what `enter` asks anyway.
inline bool is_far(Group& group) {
  const State state = reinterpret_cast<const Own*>(group.scratch)->state;
  if (state == State::kReady) [[likely]]
    return false;
  return state == State::kFar || (state == State::kNew && spans_nodes(group));
}

/// Frees what spans_nodes made; the group has its scratch again.
void end_far(Group& group);

namespace far {

void barrier(Group& group);
void broadcast(Group& group, void* dest, const void* source, size_t bytes, int root,
               bool dest_at_root);
void allgather(Group& group, void* dest, const void* source, size_t bytes);
void allgatherv(Group& group, void* dest, const void* source, size_t bytes, size_t* total_out);
void alltoall_strided(Group& group, void* dest, const void* source, ptrdiff_t dest_stride,
                      ptrdiff_t source_stride, size_t element, size_t count);
void allreduce(Group& group, void* dest, const void* source, size_t element, size_t count,
               Combine op);
void scan(Group& group, void* dest, const void* source, size_t element, size_t count, Combine op,
          bool is_inclusive);

/// Messages of one collective between members. All are complete when `wait` returns.
class Messages {
 public:
  Messages(Group& group, Kind kind);
  /// To and from members by rank; of one pair they arrive in order.
  void send(int rank, const void* data, size_t bytes);
  void receive(int rank, void* data, size_t bytes);
  void wait();

 private:
  struct Started {
    uccs_request_t request;
    int ec;  ///< at the other end
  };
  template <typename Post>
  void start(int ec, Post post);

  const Group& group_;
  Kind kind_;
  uint64_t tag_;
  std::vector<Started> started_;
};

/// Writes a word in the scratch of the leader with this rank, of which `flag` is the copy here.
void store(Group& group, Kind kind, int rank, std::atomic<uint64_t>* flag, uint64_t value);

/// In check mode, at the beginning of a collective: ends the job if the leaders are in different
/// ones. (Inside the nodes the collectives that they are made of compare.)
void compare_in_check_mode(Group& group, const Call& call);
inline void compare(Group& group, const Call& call) {
  if (base::config().check) [[unlikely]]
    compare_in_check_mode(group, call);
}

}  // namespace far
}  // namespace uccs::coll
