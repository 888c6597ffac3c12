// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/hub.hpp"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include <algorithm>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"
#include "rte/hub/sockets.hpp"

namespace uccs::rte::hub {
namespace {

constexpr size_t kOutputMax = 4 << 20;  // of one EC that does not read: its requests then wait
constexpr int kTickMs = 20;             // while something waits for its time
/// From a broken connection to our words, and to the end of the job by us: a launcher that notices
/// a dead process by itself says why it died, which is more than we know.
constexpr uint64_t kReportNs = 20'000'000;
constexpr uint64_t kEndNs = 1'500'000'000;

void raise_file_limit(int size) {
  rlimit limit;
  if (getrlimit(RLIMIT_NOFILE, &limit) != 0) return;
  const rlim_t needed = limit.rlim_cur / 2 + static_cast<rlim_t>(size) + 64;
  if (limit.rlim_cur >= needed) return;
  limit.rlim_cur = std::min(needed + limit.rlim_cur, limit.rlim_max);
  setrlimit(RLIMIT_NOFILE, &limit);
}

}  // namespace

Hub::Hub(const Secret& secret, int size)
    : size_(size),
      door_(secret),
      exchange_(size, send_reply, this),
      members_(static_cast<size_t>(size)),
      hellos_(static_cast<size_t>(size)) {
  raise_file_limit(size);
}

void Hub::add_own(int fd) { admit({fd, 0}); }

void Hub::admit(const Door::Guest& guest) {
  fcntl(guest.fd, F_SETFL, fcntl(guest.fd, F_GETFL) | O_NONBLOCK);
  Stream stream(guest.fd);
  if (guest.number >= static_cast<uint32_t>(size_)) return;
  Member& member = members_[guest.number];
  if (member.state != State::kAbsent) {
    base::log_line(base::LogLevel::kError,
                   "rank %u was started twice: each process of the launcher can run one program "
                   "that uses UCCS",
                   guest.number);
    return;
  }
  member.stream = std::move(stream);
  member.state = State::kProved;
}

void Hub::gather(uint64_t deadline_ns) {
  while (joined_ < size_) {
    if (base::now_ns() >= deadline_ns) give_up();
    poll_once(milliseconds_left(deadline_ns));
  }
  door_.close();
  place_all();
}

void Hub::give_up() {
  std::string missing;
  int count = 0;
  for (int rank = 0; rank < size_; ++rank) {
    if (members_[static_cast<size_t>(rank)].state == State::kJoined) continue;
    if (++count <= 8) missing += (count > 1 ? ", " : "") + std::to_string(rank);
  }
  if (count > 8) missing += ", ...";
  base::fatal(
      "the job does not come together: %d of its %d processes have not reached this one in time "
      "(rank %s). Every process must run a program that uses UCCS, and nodes must reach each other "
      "over TCP (UCCS_INTERFACE chooses the network, UCCS_START_TIMEOUT how long to wait)",
      count, size_, missing.c_str());
}

void Hub::read_hello(int rank) {
  Member& member = members_[static_cast<size_t>(rank)];
  const bool is_alive = member.stream.receive();
  Packet packet;
  Hello& hello = hellos_[static_cast<size_t>(rank)];
  if (member.stream.next(size_, &packet)) {
    if (packet.header.kind != PacketKind::kHello ||
        !decode_hello_data(packet.data, packet.header.data_bytes, &hello))
      base::fatal(
          "rank %d sent what is no greeting: do all processes use the same version of UCCS?", rank);
    hello.node.assign(packet.key, packet.header.key_bytes);
    member.state = State::kJoined;
    ++joined_;
  } else if (!is_alive || !member.stream.is_open()) {
    base::fatal("rank %d has gone while the job was starting", rank);
  }
}

void Hub::place_all() {
  const Places places = arrange(hellos_);
  nodes_ = places.nodes;
  std::vector<Member> by_ec(static_cast<size_t>(size_));
  const std::string table = encode_nodes(nodes_);
  if (table.size() > kDataMax)
    base::fatal(
        "the job has %zu nodes with different numbers of ECs or CPUs, which is more than can be "
        "told: give neighbouring nodes the same number of processes",
        nodes_.size());
  for (size_t rank = 0; rank < members_.size(); ++rank) {
    Packet welcome;
    welcome.header.kind = PacketKind::kWelcome;
    welcome.header.ec = places.ec_of_rank[rank];
    welcome.header.data_bytes = static_cast<uint32_t>(table.size());
    welcome.data = table.data();
    Member& member = by_ec[static_cast<size_t>(welcome.header.ec)];
    member = std::move(members_[rank]);
    (void)member.stream.send(welcome);  // a break is noticed where its connection is read
  }
  members_ = std::move(by_ec);
  is_placed_ = true;
}

void Hub::poll_once(int limit_ms) {
  polled_.clear();
  polled_members_.clear();
  door_.add_to(&polled_);
  const size_t at_door = polled_.size();
  for (int i = 0; i < size_; ++i) {
    Member& member = members_[static_cast<size_t>(i)];
    if (!member.stream.is_open()) continue;
    short events = member.stream.output_bytes() < kOutputMax ? POLLIN : 0;
    if (member.stream.has_output()) events |= POLLOUT;
    polled_.push_back({member.stream.fd(), events, 0});
    polled_members_.push_back(i);
  }
  if (poll(polled_.data(), polled_.size(), limit_ms) <= 0) {
    for (pollfd& one : polled_) one.revents = 0;
  }
  for (size_t i = at_door; i < polled_.size(); ++i) {
    if (polled_[i].revents == 0) continue;
    const int index = polled_members_[i - at_door];
    if (is_placed_)
      serve(index);
    else if (members_[static_cast<size_t>(index)].state == State::kProved)
      read_hello(index);
    else if ((polled_[i].revents & (POLLHUP | POLLERR)) != 0)
      base::fatal("rank %d has gone while the job was starting", index);
  }
  if (at_door == 0) return;
  std::vector<Door::Guest> guests;
  door_.handle(polled_.data(), &guests);
  for (const Door::Guest& guest : guests) admit(guest);
}

void Hub::start() {
  if (is_running_.exchange(true)) return;
  const base::BlockedSignals inherited;
  pthread_t thread;
  const int rc = pthread_create(&thread, nullptr, run, this);
  if (rc != 0) base::fatal("cannot start the thread of the hub: %s", strerror(rc));
  pthread_setname_np(thread, "uccs-hub");
  pthread_detach(thread);
}

void* Hub::run(void* self) {
  Hub* hub = static_cast<Hub*>(self);
  while (true) {
    bool is_waiting = false;
    for (const Member& member : hub->members_) is_waiting = is_waiting || member.lost_ns != 0;
    hub->has_others_.store(hub->is_anybody_left(), std::memory_order_relaxed);
    hub->poll_once(is_waiting ? kTickMs : -1);
    if (is_waiting) hub->judge();
  }
  return nullptr;
}

void Hub::serve(int ec) {
  Member& member = members_[static_cast<size_t>(ec)];
  bool is_alive = member.stream.flush();
  is_alive = member.stream.receive() && is_alive;
  Packet packet;
  while (member.stream.next(size_, &packet)) handle(ec, packet);
  if (!is_alive || !member.stream.is_open()) lose(ec);
}

void Hub::handle(int ec, const Packet& packet) {
  if (packet.header.kind == PacketKind::kPhase) {
    members_[static_cast<size_t>(ec)].phase = static_cast<Phase>(packet.header.tag);
    if (members_[static_cast<size_t>(ec)].phase != Phase::kInitialized) return;
    // Who left before without starting UCCS is now waited for.
    for (Member& other : members_)
      if (other.state == State::kGone && other.phase == Phase::kStarted && other.lost_ns == 0)
        other.lost_ns = base::now_ns();
  } else if (packet.header.kind == PacketKind::kEnd) {
    note_ending();
  } else {
    exchange_.handle(ec, packet);
  }
}

void Hub::send_reply(void* self, int ec, const Packet& reply) {
  (void)static_cast<Hub*>(self)->members_[static_cast<size_t>(ec)].stream.send(reply);
}

void Hub::lose(int ec) {
  Member& member = members_[static_cast<size_t>(ec)];
  member.stream.close();
  member.state = State::kGone;
  bool is_missed = member.phase == Phase::kInitialized;
  if (member.phase == Phase::kStarted)
    for (const Member& other : members_)
      is_missed =
          is_missed || (other.state == State::kJoined && other.phase == Phase::kInitialized);
  if (is_missed) member.lost_ns = base::now_ns();
  exchange_.remove(ec);
}

std::string Hub::name(int ec) const {
  const auto node = std::find_if(nodes_.begin(), nodes_.end(), [&](const Node& candidate) {
    return ec < candidate.first + candidate.size;
  });
  return "EC " + std::to_string(ec) + " on " + (node != nodes_.end() ? node->host : "?");
}

void Hub::judge() {
  const uint64_t now = base::now_ns();
  for (int ec = 0; ec < size_; ++ec) {
    Member& member = members_[static_cast<size_t>(ec)];
    if (member.lost_ns == 0) continue;
    if (is_ending_.load(std::memory_order_relaxed) || job_is_ending()) {
      member.lost_ns = 0;
      continue;
    }
    const std::string who = name(ec);
    const char* what = member.phase == Phase::kInitialized
                           ? "ended without finalizing, or its node cannot be reached any more"
                           : "ended without starting UCCS, which others started";
    if (!member.is_reported && now - member.lost_ns >= kReportNs) {
      member.is_reported = true;
      base::log_line(base::LogLevel::kError, "%s is lost: its process %s; the job ends",
                     who.c_str(), what);
    }
    if (now - member.lost_ns >= kEndNs) {
      end_job(1, nullptr);
    }
  }
}

bool Hub::is_anybody_left() const {
  for (size_t ec = 1; ec < members_.size(); ++ec)
    if (members_[ec].stream.is_open() && members_[ec].phase != Phase::kFinalized) return true;
  return false;
}

void Hub::linger(uint64_t deadline_ns) {
  const timespec pause = {0, 2'000'000};
  while (is_running_.load(std::memory_order_relaxed) &&
         has_others_.load(std::memory_order_relaxed) &&
         !is_ending_.load(std::memory_order_relaxed) && base::now_ns() < deadline_ns)
    nanosleep(&pause, nullptr);
}

}  // namespace uccs::rte::hub
