// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>

#include "base/sparse.hpp"
#include "base/spinlock.hpp"
#include "net/shm/inbox.hpp"
#include "net/transport.hpp"

namespace uccs::net::shm {

/// Shared memory: puts, gets and atomics are loads and stores to the mapped areas of the peer;
/// messages go through rings in its inbox; private memory is reached by cross-memory attach.
class Shm {
 public:
  /// Of one thread, as a rule: with pairs of lines to itself, since prefetchers fetch neighbours.
  class alignas(128) Channel {
   public:
    uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes, Completion*);
    uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes, Completion*);
    uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                         uint64_t* result_out, Completion*);
    uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                          const Payload* payload);
    uccs_status_t flush(int ec, Flush* flush);
    int progress(int lane, uint32_t traffic, int budget, const Sink& sink);

   private:
    friend class Shm;
    Buffer* find_buffer(Traffic traffic);

    Shm* owner_ = nullptr;
    int index_ = 0;
    int next_buffer_[kTrafficClasses] = {};
  };

  static Capabilities describe(const Shape& shape, const Transport* const* inner);
  static uccs_status_t open(const OpenParameters& parameters, Shm** instance_out);
  void close();
  size_t address(void* buffer, size_t capacity);
  uccs_status_t connect(const Peer& peer);
  uccs_status_t register_memory(void* base, size_t bytes, uint64_t* key_out);
  void release_memory(uint64_t key);
  uccs_status_t open_channel(int index, Channel** channel_out);
  void release(void* token);
  std::atomic<uint32_t>* arm(int lane, bool is_waiting);

 private:
  /// Where an EC's memory is mapped here.
  struct Mapped {
    std::byte* inbox = nullptr;
    std::byte* heap = nullptr;
    std::byte* statics = nullptr;
  };
  /// The consumer's side of one ring. Several threads look, the holder of the lock takes.
  struct alignas(128) Consumer {
    Ring ring;
    std::atomic<uint64_t> position = 0;  ///< written by the holder of `lock`
    uint64_t published = 0;              ///< guarded by `lock`
    base::SpinLock lock;
  };

  Ring ring_of(int ec, int lane, Traffic traffic) const {
    return Ring(peers_[ec].inbox + ring_offset(lane, traffic));
  }
  Header& header_of(int ec) const { return *reinterpret_cast<Header*>(peers_[ec].inbox); }
  std::byte* mapped(int ec, const Remote& remote) const;
  int drain(Consumer& consumer, int lane, Traffic traffic, int budget, const Sink& sink);
  void ring_doorbell(int ec);

  int me_ = 0;
  Shape shape_;
  base::SparseArray<Mapped> peers_;        ///< by EC
  std::unique_ptr<Consumer[]> consumers_;  ///< [lane * kTrafficClasses + traffic]
  std::unique_ptr<Channel[]> channels_;
};

/// Copies between here and private memory of process `pid`; `is_put`: from here to there.
/// UCCS_ERR_UNSUPPORTED when the kernel refuses (ptrace scope, containers), UCCS_ERR_PEER_FAILED
/// when the process is gone, UCCS_ERR_ADDRESS when the memory is not there.
uccs_status_t cross_copy(pid_t pid, void* local, uint64_t remote, size_t bytes, bool is_put);

}  // namespace uccs::net::shm
