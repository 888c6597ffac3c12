// SPDX-License-Identifier: BSD-3-Clause
/// UCX's context, and the memory that is mapped into it.
#pragma once
#include <ucp/api/ucp.h>

#include <memory>

#include "base/spinlock.hpp"
#include "net/transport.hpp"

namespace uccs::net::ucx {

/// Which of UCX's transports and which interface are wanted.
struct Wish {
  const char* transports;  ///< as UCX_TLS: "tcp", "rc,ud", "sm", ...; nullptr or "": UCX's choice
  const char* interface;   ///< as UCX_NET_DEVICES: "eth0", "mlx5_0:1", ...; "": any
  bool is_one_host;        ///< the loopback is enough, and the only one that surely works
  int num_ecs;
};

/// UCX puts shorter pieces together before it sends them over tcp; longer ones it leaves to the
/// kernel.
constexpr size_t kPutTogetherMax = 2048;

/// Memory that peers may reach: mapped once for all workers.
struct Mapped {
  Extent memory;
  ucp_mem_h handle = nullptr;
  void* key = nullptr;  ///< for peers to unpack
  size_t key_bytes = 0;
};

class Library {
 public:
  ~Library();
  /// UCS_OK, or why there is none.
  ucs_status_t start(const Wish& wish);
  /// Writes which of the transports and devices would be used, as far as UCX tells.
  void describe(char* text, size_t capacity) const;
  /// Of what has been loaded, as AddressHead has it.
  static uint16_t version();
  bool map(Extent memory, Mapped* mapped_out);
  void unmap(Mapped& mapped);

  ucp_context_h context() const { return context_; }
  /// Whether workers may be used at once, each by one thread; else they share `lock`.
  bool has_threads() const { return has_threads_; }
  base::SpinLock* lock() { return &lock_; }
  /// Whether connections tell that a peer has died. Those through shared memory do not.
  bool has_failures() const { return has_failures_; }
  /// Whether UCX does atomics by the target's CPU, so that they agree with those in its node, on
  /// connections that tell of dead peers: from 1.16 on it does not.
  bool has_atomics() const { return has_atomics_; }
  /// All there is is tcp: puts, too, are done by the target's CPU.
  bool is_tcp() const { return is_tcp_; }
  /// The longest message that should be sent over tcp.
  size_t piece_max() const { return piece_max_; }

 private:
  bool list_resources();

  ucp_context_h context_ = nullptr;
  bool has_threads_ = false;
  bool has_failures_ = true;
  bool is_tcp_ = false;
  bool has_atomics_ = false;
  size_t piece_max_ = 0;
  char resources_[160] = "";
  base::SpinLock lock_;
};

}  // namespace uccs::net::ucx
