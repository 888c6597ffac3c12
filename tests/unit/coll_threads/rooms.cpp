// SPDX-License-Identifier: BSD-3-Clause
/// What the rooms below `coll` provide, where the ECs are threads.
#include <stdlib.h>
#include <unistd.h>

#include "core/direct.hpp"
#include "core/group.hpp"
#include "core/idle.hpp"
#include "core/remote.hpp"
#include "rte/identity.hpp"

namespace uccs {

namespace core {
thread_local uccs_direct_map_t direct_map;
std::atomic<uint32_t> live_contexts = 0;
int progress_all_contexts() { return 0; }

std::byte* group_scratch(int id) {
  return reinterpret_cast<std::byte*>(direct_map.heap_low) +
         kGroupScratchBytes * static_cast<size_t>(id);
}

Context* job_context() { return nullptr; }
Endpoint* remote_endpoint(int) { abort(); }
uccs_status_t remote_store(int, void*, uint64_t) { abort(); }
bool look_for(const net::Flag&) { abort(); }
uccs_status_t look(uccs_request_t*) { abort(); }
const char* why_no_network() { return ""; }
}  // namespace core

namespace rte {
void set_activity(const char*) {}
bool job_is_ending() { return false; }
void end_job(int status, const char*) { _exit(status); }
// All of them are on one node.
const Identity& start() {
  static const Identity identity;
  return identity;
}
int node_of(int) { return 0; }
const char* host_of(int) { return ""; }
}  // namespace rte

}  // namespace uccs

extern "C" {
uccs_status_t uccs_context_flush(uccs_context_t) { abort(); }
uccs_status_t uccs_send_contiguous_nb(uccs_endpoint_t, uint64_t, const void*, size_t,
                                      uccs_request_t*) {
  abort();
}
uccs_status_t uccs_recv_nb(uccs_context_t, int, int, uint64_t, uint64_t, void*, size_t,
                           uccs_message_info_t*, uccs_request_t*) {
  abort();
}
}
