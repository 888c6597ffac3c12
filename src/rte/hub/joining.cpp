// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/joining.hpp"

#include <errno.h>
#include <sched.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "rte/hub/card.hpp"
#include "rte/hub/sockets.hpp"

namespace uccs::rte::hub {
namespace {

std::string hub_name(const Secret& secret) { return secret_name(secret, "hub"); }

/// The hub listens where those who are to reach it can, and nowhere else.
Card open_hub(const Launched& launched, const char* host, const Secret& secret, Hub* hub) {
  Card card;
  card.secret = secret;
  card.host = host;
  if (!hub->door().open_local(hub_name(card.secret)))
    base::fatal("cannot listen for the job's other processes: %s", strerror(errno));
  if (launched.is_one_node) return card;
  const std::string wanted = base::config().interface;
  const std::vector<std::string> addresses = reachable_addresses(wanted, launched.address);
  if (addresses.empty() && !wanted.empty())
    base::fatal("UCCS_INTERFACE=%s: this node has no such network interface or address",
                wanted.c_str());
  for (const std::string& address : addresses) {
    int port;
    if (hub->door().open_tcp(address, base::config().peer_timeout_ns, &port))
      card.places.push_back({address, port});
    else
      base::log_line(base::LogLevel::kWarn, "cannot listen at %s: %s", address.c_str(),
                     strerror(errno));
  }
  return card;
}

Stream greet(int fd, const Card& card, const Launched& launched, const char* where,
             uint64_t deadline_ns) {
  if (prove(fd, card.secret, static_cast<uint32_t>(launched.rank), deadline_ns)) return Stream(fd);
  base::fatal("rank 0 on %s did not let this process (rank %d) in at %s: %s", card.host.c_str(),
              launched.rank, where,
              errno == EPROTO ? "what answers there is not this job" : strerror(errno));
}

Stream reach_hub(const Card& card, const Launched& launched, uint64_t deadline_ns) {
  const int near = connect_local(hub_name(card.secret));
  if (near >= 0) return greet(near, card, launched, "its local socket", deadline_ns);
  if (card.places.empty())
    base::fatal("cannot reach rank 0 on %s, which has no network address: %s", card.host.c_str(),
                launched.is_one_node ? strerror(errno) : "set UCCS_INTERFACE on its node");
  std::string tried;
  for (const Card::Where& where : card.places) {
    const std::string place = where.address + " port " + std::to_string(where.port);
    // Each gets its share of the time: the first may be a network that leads nowhere.
    const uint64_t now = base::now_ns();
    const uint64_t share = now < deadline_ns ? (deadline_ns - now) / (2 * card.places.size()) : 0;
    const int fd =
        connect_tcp(where.address, where.port, base::config().peer_timeout_ns, now + share);
    if (fd >= 0) return greet(fd, card, launched, place.c_str(), deadline_ns);
    tried += (tried.empty() ? "" : "; ") + place + ": " + strerror(errno);
  }
  base::fatal(
      "rank %d cannot reach rank 0 on %s (%s): nodes must reach each other over TCP; "
      "UCCS_INTERFACE "
      "chooses the network",
      launched.rank, card.host.c_str(), tried.c_str());
}

CpuMask own_cpus() {
  CpuMask words{};
  cpu_set_t mask;
  if (sched_getaffinity(0, sizeof mask, &mask) != 0) return words;
  for (size_t cpu = 0; cpu < 64 * words.size() && cpu < CPU_SETSIZE; ++cpu)
    if (CPU_ISSET(cpu, &mask)) words[cpu / 64] |= uint64_t{1} << (cpu % 64);
  return words;
}

void say_hello(Stream* stream, const Hello& hello) {
  const std::string data = encode_hello_data(hello);
  Packet packet;
  packet.header.kind = PacketKind::kHello;
  packet.header.key_bytes = static_cast<uint32_t>(hello.node.size());
  packet.key = hello.node.data();
  packet.header.data_bytes = static_cast<uint32_t>(data.size());
  packet.data = data.data();
  (void)stream->send(packet);  // a break shows where the answer is awaited
}

void await_welcome(const Card& card, int size, uint64_t deadline_ns, Joined* joined) {
  Packet packet;
  bool is_alive = true;
  while (!joined->stream.next(size, &packet)) {
    if (!is_alive || !joined->stream.is_open())
      base::fatal("rank 0 on %s has gone while the job was starting", card.host.c_str());
    pollfd input = {joined->stream.fd(), POLLIN, 0};
    if (poll(&input, 1, milliseconds_left(deadline_ns)) == 0 && base::now_ns() >= deadline_ns)
      base::fatal("rank 0 on %s does not answer: it waits for other processes of the job",
                  card.host.c_str());
    is_alive = joined->stream.receive();
  }
  if (packet.header.kind != PacketKind::kWelcome ||
      !decode_nodes(packet.data, packet.header.data_bytes, size, &joined->nodes))
    base::fatal(
        "rank 0 on %s sent what is not understood: do all nodes have the same version of "
        "UCCS?",
        card.host.c_str());
  joined->ec = packet.header.ec;
  for (size_t i = 0; i < joined->nodes.size(); ++i)
    if (joined->nodes[i].first <= joined->ec) joined->node = static_cast<int>(i);
}

}  // namespace

Joined join(const Launcher& launcher, const Launched& launched, const char* host,
            uint64_t deadline_ns) {
  Joined joined;
  Card card;
  std::string text;
  if (launched.rank == 0) {
    Secret secret;
    fill_random(secret.data(), secret.size());
    joined.hub = std::make_unique<Hub>(secret, launched.size);
    card = open_hub(launched, host, secret, joined.hub.get());
    text = encode_card(card);
  }
  launcher.share(&text, deadline_ns);
  if (launched.rank != 0 && !decode_card(text, &card))
    base::fatal(
        "what the launcher brought from rank 0 is not understood: do all nodes have the "
        "same version of UCCS?");
  if (launched.rank == 0) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
      base::fatal("cannot make a socket pair: %s", strerror(errno));
    joined.stream = Stream(ends[0]);
    joined.hub->add_own(ends[1]);
  } else {
    joined.stream = reach_hub(card, launched, deadline_ns);
  }
  const std::string node = node_identity(host, base::config().node);
  say_hello(&joined.stream, {node, machine_identity(node), host, own_cpus()});
  if (launched.rank == 0) joined.hub->gather(deadline_ns);
  // A moment more than the hub has: it knows better who is missing.
  await_welcome(card, launched.size, deadline_ns + 1'000'000'000, &joined);
  const Node& mine = joined.nodes[static_cast<size_t>(joined.node)];
  joined.files = share_node(card.secret, joined.node, mine.first, joined.ec - mine.first, mine.size,
                            mine.cpus, deadline_ns + 1'000'000'000);
  joined.hub_host = card.host;
  return joined;
}

}  // namespace uccs::rte::hub
