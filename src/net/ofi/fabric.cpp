// SPDX-License-Identifier: BSD-3-Clause
#include "net/ofi/fabric.hpp"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <new>

#include "base/log.hpp"
#include "net/ofi/wire.hpp"
#include "net/parts/pace.hpp"

namespace uccs::net::ofi {
namespace {

constexpr uint32_t kVersion = FI_VERSION(1, 14);
/// Operations on their way per endpoint; a channel has buffers for fewer.
constexpr size_t kQueueSize = 512;
static_assert(kMessageMax + 128 < 8448);  // see FI_OFI_RXM_BUFFER_SIZE

/// Of long puts and gets where nothing paces them: what is short gets in between.
constexpr size_t kPiece = 1 << 20;

fi_info* list(const char* provider, uint64_t completion) {
  fi_info* hints = fi_allocinfo();
  if (!hints) return nullptr;
  hints->caps = FI_MSG | FI_TAGGED | FI_RMA;
  hints->mode = FI_CONTEXT | FI_CONTEXT2;
  hints->ep_attr->type = FI_EP_RDM;
  hints->domain_attr->threading = FI_THREAD_DOMAIN;
  hints->domain_attr->mr_mode =
      FI_MR_LOCAL | FI_MR_VIRT_ADDR | FI_MR_ALLOCATED | FI_MR_PROV_KEY | FI_MR_ENDPOINT;
  hints->domain_attr->resource_mgmt = FI_RM_ENABLED;
  hints->tx_attr->op_flags = completion;
  if (provider && *provider) hints->fabric_attr->prov_name = strdup(provider);
  fi_info* found = nullptr;
  if (fi_getinfo(kVersion, nullptr, nullptr, 0, hints, &found) != 0) found = nullptr;
  fi_freeinfo(hints);
  return found;
}

bool is_ip(const fi_info& info) {
  return info.addr_format == FI_SOCKADDR_IN || info.addr_format == FI_SOCKADDR_IN6;
}

bool is_loopback(const fi_info& info) {
  if (!info.src_addr) return false;
  if (info.addr_format == FI_SOCKADDR_IN)
    return ntohl(static_cast<const sockaddr_in*>(info.src_addr)->sin_addr.s_addr) >> 24 == 127;
  if (info.addr_format == FI_SOCKADDR_IN6)
    return IN6_IS_ADDR_LOOPBACK(&static_cast<const sockaddr_in6*>(info.src_addr)->sin6_addr);
  return false;
}

bool is_named(const fi_info& info, const char* provider) {
  const char* name = info.fabric_attr->prov_name;
  const size_t length = strlen(provider);
  return strncmp(name, provider, length) == 0 && (name[length] == '\0' || name[length] == ';');
}

/// What is to be used only by those who name it: inside one host, for debugging, or experimental.
bool is_for_the_asking(const fi_info& info) {
  for (const char* name : {"shm", "sockets", "udp", "net", "ofi_mrail", "sm2"})
    if (is_named(info, name)) return true;
  return false;
}

/// Larger is better; negative: not this one. Of equals the provider library's own order holds,
/// which is by speed.
int rank(const fi_info& info, const Wish& wish) {
  const bool has_wish = wish.provider && *wish.provider;
  if (has_wish ? !is_named(info, wish.provider) : is_for_the_asking(info)) return -1;
  if (*wish.interface && strcmp(info.domain_attr->name, wish.interface) != 0) return -1;
  if (!is_ip(info)) return 10;
  // Nodes on one host without knowing it, made by UCCS_NODE, may have nothing but the loopback.
  if (*wish.interface == '\0' && is_loopback(info) != wish.is_one_host) return 0;
  return info.addr_format == FI_SOCKADDR_IN ? 5 : 1;
}

fid_cq* open_cq(fid_domain* domain, fi_wait_obj wait) {
  fi_cq_attr attributes = {};
  attributes.format = FI_CQ_FORMAT_MSG;
  attributes.wait_obj = wait;
  fid_cq* opened = nullptr;
  return fi_cq_open(domain, &attributes, &opened, nullptr) == 0 ? opened : nullptr;
}

void set_up_library() {
  // Libraries of Omni-Path, loaded whether or not there is any, would handle the program's signals.
  setenv("IPATH_NO_BACKTRACE", "1", 0);
  setenv("HFI_NO_BACKTRACE", "1", 0);
  // ofi_rxm makes 1024 buffers of this size for each way of each port at once: 17 MB by default.
  // Ours hold a message of the longest kind.
  setenv("FI_OFI_RXM_BUFFER_SIZE", "8448", 0);
  // And it makes fewer when connections are to hold fewer: 40 MB for an EC instead of 123, as fast.
  setenv("FI_OFI_RXM_MSG_TX_SIZE", "64", 0);
  setenv("FI_OFI_RXM_MSG_RX_SIZE", "64", 0);
  // What is said of tcp holds for `net`, which may be taken for it.
  for (const char* name : {"IFACE", "PORT_LOW_RANGE", "PORT_HIGH_RANGE"}) {
    char tcp[32], net[32];
    snprintf(tcp, sizeof tcp, "FI_TCP_%s", name);
    snprintf(net, sizeof net, "FI_NET_%s", name);
    if (const char* value = getenv(tcp)) setenv(net, value, 0);
  }
}

/// To be freed; nullptr: none fits.
fi_info* best_of(const Wish& wish) {
  // With delivery complete a put that is complete can be seen by the target's CPU; where that is
  // not to be had, the network's acknowledgement must do.
  fi_info* all = list(wish.provider, FI_DELIVERY_COMPLETE);
  if (!all) all = list(wish.provider, FI_TRANSMIT_COMPLETE);
  const fi_info* best = nullptr;
  for (const fi_info* info = all; info; info = info->next)
    if (rank(*info, wish) > (best ? rank(*best, wish) : -1)) best = info;
  fi_info* const chosen = best ? fi_dupinfo(best) : nullptr;
  if (all) fi_freeinfo(all);
  return chosen;
}

}  // namespace

/// libfabric 1.17 has two ways over TCP: `tcp` with ofi_rxm on top, and `net`, which became `tcp`
/// in 1.18 and needs nothing on top: 2 MiB of an EC instead of 29, and shorter ways.
fi_info* choose(const Wish& wish, char* reason, size_t capacity) {
  set_up_library();
  fi_info* chosen = best_of(wish);
  if (chosen && is_named(*chosen, "tcp;ofi_rxm") && fi_version() >= FI_VERSION(1, 17) &&
      !(wish.provider && strcmp(wish.provider, "tcp;ofi_rxm") == 0)) {
    Wish newer = wish;
    newer.provider = "net";
    if (fi_info* const same = best_of(newer)) {
      fi_freeinfo(chosen);
      chosen = same;
    }
  }
  const bool has_wish = wish.provider && *wish.provider;
  if (chosen) {
    // Buffers are allocated for as many as it says: by default a hundred megabytes per endpoint.
    chosen->tx_attr->size = std::min(chosen->tx_attr->size, kQueueSize);
    chosen->rx_attr->size = std::min(chosen->rx_attr->size, kQueueSize);
    const bool is_other = has_wish && !is_named(*chosen, wish.provider);
    snprintf(reason, capacity, "%s on %s, %s", chosen->fabric_attr->prov_name,
             chosen->domain_attr->name,
             is_other   ? "for tcp as asked for"
             : has_wish ? "as asked for"
                        : "the best that is there");
  } else {
    snprintf(reason, capacity, "libfabric offers no reliable datagrams with remote access%s%s%s%s",
             has_wish ? " by provider " : "", wish.provider ? wish.provider : "",
             *wish.interface ? " on interface " : "", wish.interface);
  }
  return chosen;
}

bool Fabric::start() {
  if ((is_named(*info_, "tcp") || is_xnet()) && !needs_local_registration() &&
      (info_->tx_attr->msg_order & FI_ORDER_RAW) != 0)
    unproved_put_max_ = std::min(kPayloadMax, info_->ep_attr->max_order_raw_size);
  if (is_xnet()) piece_bytes_ = is_paced() ? kPacedPiece : kPiece;
  return fi_fabric(info_->fabric_attr, &fabric_, nullptr) == 0;
}

Fabric::~Fabric() {
  while (!ports_.empty()) close_port(ports_.back().get());
  for (const auto& domain : domains_) fi_close(&domain->fid->fid);
  if (fabric_) fi_close(&fabric_->fid);
  fi_freeinfo(info_);
}

Domain* Fabric::open_domain() {
  auto domain = std::unique_ptr<Domain>(new (std::nothrow) Domain);
  if (domain && fi_domain(fabric_, info_, &domain->fid, nullptr) == 0) {
    domains_.push_back(std::move(domain));
    return domains_.back().get();
  }
  if (domains_.empty()) return nullptr;
  return domains_[next_shared_++ % domains_.size()].get();
}

fid_mr* Fabric::register_with(Port* port, const Extent& memory) {
  if (memory.bytes == 0) return nullptr;
  const uint64_t access = FI_SEND | FI_RECV | FI_READ | FI_WRITE | FI_REMOTE_READ | FI_REMOTE_WRITE;
  const bool has_own_keys = (info_->domain_attr->mr_mode & FI_MR_PROV_KEY) != 0;
  fid_mr* mr = nullptr;
  if (fi_mr_reg(port->domain->fid, memory.base, memory.bytes, access, 0,
                has_own_keys ? 0 : next_key_++, 0, &mr, nullptr) != 0)
    return nullptr;
  if ((info_->domain_attr->mr_mode & FI_MR_ENDPOINT) != 0 &&
      (fi_mr_bind(mr, &port->ep->fid, 0) != 0 || fi_mr_enable(mr) != 0)) {
    fi_close(&mr->fid);
    return nullptr;
  }
  return mr;
}

bool Fabric::register_areas(Port* port) {
  port->statics = register_with(port, statics_);
  return (heap_.bytes == 0 || register_chunk(port, 0)) && (port->statics || statics_.bytes == 0);
}

fid_mr* Fabric::register_chunk(Port* port, int chunk) {
  fid_mr*& mr = port->heap[chunk];
  const uint64_t begin = chunk_begin(chunk);
  if (!mr && begin < heap_.bytes)
    mr = register_with(
        port, {heap_.base + begin, std::min<uint64_t>(chunk_end(chunk), heap_.bytes) - begin});
  return mr;
}

Key Fabric::key_of(fid_mr* mr, const Extent& area, uint64_t begin) const {
  if (!mr) return {};
  // Else remote addresses count from where the registered memory begins.
  return {fi_mr_key(mr), has_virtual_addresses() ? reinterpret_cast<uint64_t>(area.base) : -begin};
}

/// xnet writes to a socket for each end that a queue with a descriptor is told of, and never takes
/// that back, so that the descriptor stays readable. The descriptor of any queue is readable when
/// something has come for the domain: one that no endpoint knows is as good, and is told of no end.
bool Fabric::open_queue(Port* port) {
  fid_domain* const domain = port->domain->fid;
  port->watched = may_wait_ ? open_cq(domain, FI_WAIT_FD) : nullptr;
  may_wait_ = port->watched != nullptr;  // else it is looked at from time to time
  if (!may_wait_ || fi_control(&port->watched->fid, FI_GETWAIT, &port->fd) != 0) port->fd = -1;
  port->cq = may_wait_ && !is_xnet() ? port->watched : open_cq(domain, FI_WAIT_NONE);
  return port->cq != nullptr;
}

Port* Fabric::open_port(size_t peers) {
  auto port = std::unique_ptr<Port>(new (std::nothrow) Port);
  if (!port) return nullptr;
  port->domain = open_domain();
  port->addresses = base::make_sparse<fi_addr_t>(peers);
  if (!port->domain || !port->addresses) return nullptr;
  fid_domain* domain = port->domain->fid;
  fi_av_attr av = {};
  av.type = FI_AV_TABLE;
  const bool is_open = open_queue(port.get()) && fi_av_open(domain, &av, &port->av, nullptr) == 0 &&
                       fi_endpoint(domain, info_, &port->ep, nullptr) == 0 &&
                       fi_ep_bind(port->ep, &port->av->fid, 0) == 0 &&
                       fi_ep_bind(port->ep, &port->cq->fid, FI_TRANSMIT | FI_RECV) == 0 &&
                       fi_enable(port->ep) == 0;
  ports_.push_back(std::move(port));
  if (is_open) return ports_.back().get();
  close_port(ports_.back().get());
  return nullptr;
}

bool Fabric::register_buffers(Port* port, void* memory, size_t bytes, void** descriptor_out) {
  *descriptor_out = nullptr;
  if (!needs_local_registration()) return true;
  fid_mr* const mr = register_with(port, {static_cast<std::byte*>(memory), bytes});
  if (!mr) return false;
  port->buffers.push_back(mr);
  *descriptor_out = fi_mr_desc(mr);
  return true;
}

void Fabric::close_port(Port* port) {
  for (fid_mr* mr : port->buffers) fi_close(&mr->fid);
  for (fid_mr* mr : port->heap)
    if (mr) fi_close(&mr->fid);
  if (port->statics) fi_close(&port->statics->fid);
  if (port->ep) fi_close(&port->ep->fid);
  if (port->av) fi_close(&port->av->fid);
  if (port->cq) fi_close(&port->cq->fid);
  if (port->watched && port->watched != port->cq) fi_close(&port->watched->fid);
  std::erase_if(ports_, [port](const std::unique_ptr<Port>& each) { return each.get() == port; });
}

}  // namespace uccs::net::ofi
