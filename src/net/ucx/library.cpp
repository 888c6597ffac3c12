// SPDX-License-Identifier: BSD-3-Clause
#include "net/ucx/library.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.hpp"
#include "net/parts/pace.hpp"

namespace uccs::net::ucx {
namespace {

constexpr uint16_t version_of(unsigned major, unsigned minor) {
  return static_cast<uint16_t>(major << 8 | (minor & 255));
}
constexpr uint16_t kVersionWithoutAtomics = version_of(1, 16);

bool is_set(const char* text) { return text && *text; }

/// All of a list such as "sm" or "posix,cma".
bool are_shared_memory(const char* transports) {
  constexpr const char* kNames[] = {"sm",  "shm",  "mm",    "posix", "sysv",
                                    "cma", "knem", "xpmem", "self"};
  if (!is_set(transports)) return false;
  for (const char* at = transports; at; at = strchr(at, ',')) {
    if (*at == ',') ++at;
    const size_t length = strcspn(at, ",");
    bool is_one = false;
    for (const char* name : kNames)
      is_one = is_one || (strlen(name) == length && strncmp(name, at, length) == 0);
    if (!is_one) return false;
  }
  return true;
}

const char* first_set(const char* one, const char* two, const char* otherwise) {
  return is_set(one) ? one : is_set(two) ? two : otherwise;
}

/// What UCCS chooses where neither it nor UCX has been told. ECs of one node do not come here:
/// UCX's shared memory would only take memory and start time.
const char* transports_for(const Wish& wish) {
  return first_set(wish.transports, getenv("UCX_TLS"), "^sm");
}

/// With what goes before it a piece fits into what UCX takes from a socket at a time (configure),
/// which it need not put together then.
constexpr size_t kPieceMax = 860 << 10;
void configure(ucp_config_t* config, const Wish& wish) {
  const char* transports = transports_for(wish);
  if (ucp_config_modify(config, "TLS", transports) != UCS_OK)
    base::log_line(base::LogLevel::kWarn, "UCX does not take UCX_TLS=%s", transports);
  const bool may_be_tcp =
      *transports == '^' || strstr(transports, "tcp") || strcmp(transports, "all") == 0;
  const char* devices = first_set(wish.interface, getenv("UCX_NET_DEVICES"),
                                  may_be_tcp && wish.is_one_host ? "lo" : nullptr);
  if (devices && ucp_config_modify(config, "NET_DEVICES", devices) != UCS_OK)
    base::log_line(base::LogLevel::kWarn, "UCX does not take UCX_NET_DEVICES=%s", devices);
  // UCX's 8 KiB make a put of a megabyte four times as slow; and by itself it waits in connect(),
  // for minutes where a host is cut off, with the channel locked. It takes these from the
  // environment alone, and complains where there is no tcp.
  if (may_be_tcp && !(devices && strchr(devices, ':'))) {
    for (const char* variable : {"UCX_TCP_TX_SEG_SIZE", "UCX_TCP_RX_SEG_SIZE"})
      setenv(variable, "900k", 0);
    setenv("UCX_TCP_CONN_NB", "y", 0);
    if (!is_set(getenv("UCX_ZCOPY_THRESH"))) {
      char from[16];
      snprintf(from, sizeof from, "%zu", kPutTogetherMax + 1);
      (void)ucp_config_modify(config, "ZCOPY_THRESH", from);
    }
  }
}

}  // namespace

ucs_status_t Library::start(const Wish& wish) {
  ucp_config_t* config;
  ucs_status_t status = ucp_config_read(nullptr, nullptr, &config);
  if (status != UCS_OK) return status;
  configure(config, wish);
  piece_max_ = is_paced() ? kPacedPiece : kPieceMax;
  has_failures_ = !are_shared_memory(transports_for(wish));
  has_atomics_ = version() < kVersionWithoutAtomics &&
                 ucp_config_modify(config, "ATOMIC_MODE", "cpu") == UCS_OK;
  ucp_params_t parameters = {};
  parameters.field_mask = UCP_PARAM_FIELD_FEATURES | UCP_PARAM_FIELD_MT_WORKERS_SHARED |
                          UCP_PARAM_FIELD_ESTIMATED_NUM_EPS;
  parameters.features = UCP_FEATURE_RMA | UCP_FEATURE_AM | UCP_FEATURE_WAKEUP;
  if (has_atomics_) parameters.features |= UCP_FEATURE_AMO32 | UCP_FEATURE_AMO64;
  parameters.mt_workers_shared = 1;
  parameters.estimated_num_eps = static_cast<size_t>(wish.num_ecs);
  status = ucp_init(&parameters, config, &context_);
  ucp_config_release(config);
  if (status != UCS_OK) {
    context_ = nullptr;
    return status;
  }
  ucp_context_attr_t attributes = {};
  attributes.field_mask = UCP_ATTR_FIELD_THREAD_MODE;
  has_threads_ = ucp_context_query(context_, &attributes) == UCS_OK &&
                 attributes.thread_mode == UCS_THREAD_MODE_MULTI;
  return list_resources() ? UCS_OK : UCS_ERR_NO_DEVICE;
}

Library::~Library() {
  if (context_) ucp_cleanup(context_);
}

/// "tcp/eth0, tcp/lo", as long as UCX writes "#  resource 1  :  md 1  dev 1  flags -- tcp/lo".
/// False: there is no way but to oneself, as where no interface has the wanted name.
bool Library::list_resources() {
  char* report = nullptr;
  size_t bytes = 0;
  FILE* file = open_memstream(&report, &bytes);
  if (!file) return true;
  ucp_context_print_info(context_, file);
  fclose(file);
  size_t used = 0;
  bool is_all_tcp = true, has_self = false;
  char* rest = report;
  while (char* line = strsep(&rest, "\n")) {
    const char* last = strrchr(line, ' ');
    if (!strstr(line, "resource") || !last || !strchr(last, '/')) continue;
    if (strncmp(last, " self/", 6) == 0) {
      has_self = true;
      continue;
    }
    is_all_tcp = is_all_tcp && strncmp(last, " tcp/", 5) == 0;
    if (used < sizeof resources_)
      used += static_cast<size_t>(snprintf(resources_ + used, sizeof resources_ - used, "%s%s",
                                           used > 0 ? ", " : "", last + 1));
  }
  free(report);
  is_tcp_ = used > 0 && is_all_tcp;
  has_atomics_ = has_atomics_ && is_tcp_;
  return used > 0 || !has_self;
}

void Library::describe(char* text, size_t capacity) const {
  snprintf(text, capacity, "UCX %s%s%s", ucp_get_version_string(), *resources_ ? " with " : "",
           resources_);
}

uint16_t Library::version() {
  unsigned major, minor, release;
  ucp_get_version(&major, &minor, &release);
  return version_of(major, minor);
}

bool Library::map(Extent memory, Mapped* mapped_out) {
  Mapped mapped;
  mapped.memory = memory;
  if (memory.bytes > 0) {
    ucp_mem_map_params_t parameters = {};
    parameters.field_mask = UCP_MEM_MAP_PARAM_FIELD_ADDRESS | UCP_MEM_MAP_PARAM_FIELD_LENGTH |
                            UCP_MEM_MAP_PARAM_FIELD_FLAGS;
    parameters.address = memory.base;
    parameters.length = memory.bytes;
    parameters.flags = UCP_MEM_MAP_NONBLOCK;  // pages that nobody touches are not brought in
    if (ucp_mem_map(context_, &parameters, &mapped.handle) != UCS_OK) return false;
    if (ucp_rkey_pack(context_, mapped.handle, &mapped.key, &mapped.key_bytes) != UCS_OK) {
      ucp_mem_unmap(context_, mapped.handle);
      return false;
    }
  }
  *mapped_out = mapped;
  return true;
}

void Library::unmap(Mapped& mapped) {
  if (mapped.key) ucp_rkey_buffer_release(mapped.key);
  if (mapped.handle) ucp_mem_unmap(context_, mapped.handle);
  mapped = {};
}

}  // namespace uccs::net::ucx
