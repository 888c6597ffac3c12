// SPDX-License-Identifier: BSD-3-Clause
/// A process without launcher: a job of one, which exchanges with itself.
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpus.hpp"
#include "rte/backend.hpp"
#include "rte/delegate.hpp"
#include "rte/exchange.hpp"

namespace uccs::rte::single {
namespace {

constinit Exchange* exchange = nullptr;

bool adopt(Identity* identity) {
  identity->node_cpus = base::affinity_cpus();
  identity->backend = kSingleBackend.name;
  return true;
}

void set_phase(Phase) {}
void set_activity(const char*) {}
bool is_ending() { return false; }
EndAnswer tell_end(int, const char*) { return EndAnswer::kCannot; }
pid_t ec_pid(int) { return getpid(); }

void take_reply(void*, int, const Packet& reply) { delegate_reply(reply); }

uccs_status_t open() {
  exchange = new Exchange(1, take_reply, nullptr);
  return UCCS_OK;
}

int fd() { return -1; }

bool post(const Command& command) {
  exchange->handle(0, command_packet(command));
  return true;
}

bool cancel(const Command& command) {
  Packet packet;
  packet.header.kind = PacketKind::kCancel;
  packet.header.id = command.id;
  exchange->handle(0, packet);
  return true;
}

void progress() {}

void close() {
  delete exchange;
  exchange = nullptr;
}

constexpr Backend kTable = {"single", adopt,    set_phase, set_activity, is_ending,
                            tell_end, ec_pid,   open,      fd,           post,
                            cancel,   progress, close,     nullptr,      nullptr};

}  // namespace
}  // namespace uccs::rte::single

namespace uccs::rte {
constinit const Backend kSingleBackend = single::kTable;
}
