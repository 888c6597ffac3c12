// SPDX-License-Identifier: BSD-3-Clause
/// libfabric's objects, with the locks and the lifetimes that they ask for.
#pragma once
#include <rdma/fabric.h>
#include <rdma/fi_cm.h>
#include <rdma/fi_domain.h>
#include <rdma/fi_endpoint.h>
#include <rdma/fi_errno.h>
#include <rdma/fi_rma.h>
#include <rdma/fi_tagged.h>

#include <atomic>
#include <memory>
#include <vector>

#include "base/sparse.hpp"
#include "base/spinlock.hpp"
#include "net/ofi/wire.hpp"
#include "net/transport.hpp"

namespace uccs::net::ofi {

/// Which provider and interface are wanted.
struct Wish {
  const char* provider;   ///< "tcp", "verbs;ofi_rxm", ...; nullptr or "": the best
  const char* interface;  ///< "eth0", ...; "": any
  bool is_one_host;       ///< the loopback is enough, and the only one that surely works
};

/// The provider to use, to be freed with fi_freeinfo; nullptr when there is none that fits. Writes
/// why it was chosen, or why nothing was.
fi_info* choose(const Wish& wish, char* reason, size_t capacity);

/// A domain. All calls on it and on its endpoints are made with
/// the lock held, so any provider's thread safety is enough.
struct alignas(64) Domain {
  fid_domain* fid = nullptr;
  base::SpinLock lock;
};

/// An endpoint. Inlets are what peers send to; channels send from those, or from outlets of their
/// own.
struct alignas(64) Port {
  Domain* domain = nullptr;
  fid_ep* ep = nullptr;
  fid_av* av = nullptr;
  fid_cq* cq = nullptr;
  fid_cq* watched = nullptr;  ///< whose descriptor `fd` is
  int fd = -1;                ///< readable when there is something to look at; -1: there is none
  /// The last look may have left something, of which `fd` says nothing. Guarded by the domain's
  /// lock.
  bool has_more = false;
  /// [ec * lanes + lane], inverted, so that 0 is FI_ADDR_UNSPEC: not yet. Guarded by the domain's
  /// lock.
  base::SparseArray<fi_addr_t> addresses;
  // This EC's areas, where the port needs them registered; guarded by the domain's lock.
  fid_mr* heap[kChunksMax] = {};
  fid_mr* statics = nullptr;
  std::vector<fid_mr*> buffers;
};

/// The fabric, and all that was opened from it.
class Fabric {
 public:
  Fabric(fi_info* info, Extent heap, Extent statics)
      : info_(info), heap_(heap), statics_(statics) {}
  ~Fabric();
  Fabric(const Fabric&) = delete;
  Fabric& operator=(const Fabric&) = delete;

  bool start();
  /// A port with a domain of its own, or one that shares with others where the provider limits
  /// domains. nullptr: nothing more is to be had. One thread at a time.
  /// `peers`: how many addresses it may have to know.
  Port* open_port(size_t peers);
  /// Registers this EC's areas with the port's domain, the heap's first chunk only.
  bool register_areas(Port* port);
  /// The registration of a chunk of the heap, made now if there is none; nullptr when the provider
  /// refuses. With the domain's lock held.
  fid_mr* register_chunk(Port* port, int chunk);
  /// Registers memory with the port for as long as that lives, where the provider wants it. False:
  /// it refuses.
  bool register_buffers(Port* port, void* memory, size_t bytes, void** descriptor_out);
  void close_port(Port* port);
  /// Registers memory with the port's domain; nullptr when the provider refuses.
  fid_mr* register_with(Port* port, const Extent& memory);

  /// What peers need to know of what is registered, which begins at `begin` of the area.
  Key key_of(fid_mr* mr, const Extent& area, uint64_t begin) const;

  const fi_info& info() const { return *info_; }
  fid_fabric* fid() const { return fabric_; }
  bool needs_local_registration() const { return (info_->domain_attr->mr_mode & FI_MR_LOCAL) != 0; }
  size_t inject_max() const { return info_->tx_attr->inject_size; }
  /// Puts of up to this many bytes need no completion of their own: a read that follows them, which
  /// is known to hold over tcp, is answered when they are visible. 0 where that is not known.
  size_t unproved_put_max() const { return unproved_put_max_; }
  /// Longer puts and gets go in pieces, the last of which ends after the others; 0: they do not.
  size_t piece_bytes() const { return piece_bytes_; }
  /// libfabric's own datagrams over TCP: `tcp` from version 1.18 on, `net` before.
  bool is_xnet() const { return info_->ep_attr->protocol == FI_PROTO_XNET; }
  bool has_virtual_addresses() const {
    return (info_->domain_attr->mr_mode & FI_MR_VIRT_ADDR) != 0;
  }
  Extent heap() const { return heap_; }
  Extent statics() const { return statics_; }

 private:
  Domain* open_domain();
  bool open_queue(Port* port);

  fi_info* info_;
  Extent heap_, statics_;
  fid_fabric* fabric_ = nullptr;
  std::vector<std::unique_ptr<Domain>> domains_;
  std::vector<std::unique_ptr<Port>> ports_;
  size_t next_shared_ = 0;
  std::atomic<uint64_t> next_key_ = 1;
  bool may_wait_ = true;
  size_t unproved_put_max_ = 0;
  size_t piece_bytes_ = 0;
};

}  // namespace uccs::net::ofi
