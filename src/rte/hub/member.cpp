// SPDX-License-Identifier: BSD-3-Clause
/// An EC that another launcher started: the job's exchange goes over the hub, the end over the
/// launcher.
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <mutex>
#include <unordered_set>

#include "base/clock.hpp"
#include "base/config_values.hpp"
#include "base/log.hpp"
#include "rte/backend.hpp"
#include "rte/delegate.hpp"
#include "rte/hub/joining.hpp"
#include "rte/local/wire.hpp"

namespace uccs::rte::hub {
namespace {

constexpr uint64_t kLingerNs = 5'000'000'000;
constexpr long kGraceNs = 1'000'000'000;  // for a launcher to say itself why a process died

const Launcher* launcher = nullptr;
Joined* joined = nullptr;  // never freed: threads may outlive static destructors
local::BoardJob* board = nullptr;
local::BoardEc* my_line = nullptr;
int num_ecs = 0;
pid_t owner = 0;
int epoll_fd = -1;
bool is_hub_gone = false;       // the delegate's
std::atomic<int> phase_now{0};  // rte::Phase

/// Any thread says how far it is, the delegate asks.
std::mutex& send_lock() {
  static std::mutex* const lock = new std::mutex;
  return *lock;
}

std::unordered_set<uint64_t>& outstanding() {  // the delegate's: ids without reply
  static auto* const ids = new std::unordered_set<uint64_t>;
  return *ids;
}

/// Launchers end a job as soon as they hear of an abort, and forget what they have read of the
/// processes' words but not yet passed on from host to host: these get a head start.
void abort_after_words(int status, const char* message) {
  constexpr timespec kHeadStart = {0, 300'000'000};
  nanosleep(&kHeadStart, nullptr);
  launcher->abort(status, message);
}

[[noreturn]] void fail_start(const char* message) {
  base::log_fatal_line(message);
  abort_after_words(1, message);
  _exit(1);
}

void map_board(int fd, int index, int count) {
  void* mapped =
      mmap(nullptr, local::board_bytes(count), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  if (mapped == MAP_FAILED) base::fatal("cannot map the node's board: %s", strerror(errno));
  close(fd);
  board = static_cast<local::BoardJob*>(mapped);
  my_line = local::board_ec(board, index);
  my_line->pid.store(static_cast<uint32_t>(getpid()), std::memory_order_relaxed);
}

/// A process that ends well says so; with another status the launcher is to see a failure.
void finish() {
  if (phase_now.load(std::memory_order_relaxed) == static_cast<int>(Phase::kInitialized)) return;
  if (joined->hub) joined->hub->linger(base::now_ns() + kLingerNs);
  launcher->finish();
}

void at_exit(int status, void*) {
  if (getpid() == owner && status == 0) finish();
}

void watch(int fd, uint32_t events) {
  epoll_event request{};
  request.events = events;
  request.data.fd = fd;
  if (epoll_ctl(epoll_fd, EPOLL_CTL_MOD, fd, &request) != 0)
    epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &request);
}

bool adopt(Identity* identity) {
  launcher = find_launcher();
  if (launcher == nullptr) return false;
  setenv("UCCS_EC_OF", launcher->id().c_str(), 1);  // programs that this EC starts are no ECs
  Launched launched;
  owner = getpid();
  base::set_fatal_hook(fail_start);
  const uint64_t patience_ns = base::config().start_timeout_ns;
  // 0: for ever, as with other time limits.
  const uint64_t deadline_ns = patience_ns != 0 ? base::now_ns() + patience_ns : UINT64_MAX / 2;
  launcher->open(&launched, deadline_ns);
  base::log_set_identity(launched.rank, launched.size);
  identity->backend = launcher->name;
  identity->num_ecs = num_ecs = launched.size;
  joined = new Joined;
  *joined = join(*launcher, launched, identity->host, deadline_ns);
  const Node& mine = joined->nodes[static_cast<size_t>(joined->node)];
  identity->ec = joined->ec;
  identity->nodes = joined->nodes.data();
  identity->num_nodes = static_cast<int>(joined->nodes.size());
  identity->node = joined->node;
  identity->node_first = mine.first;
  identity->node_size = mine.size;
  identity->node_cpus = mine.cpus;
  map_board(joined->files.board_fd, joined->ec - mine.first, mine.size);
  identity->segment_fd = joined->files.segment_fd;
  identity->segment_bytes = static_cast<uint64_t>(lseek(identity->segment_fd, 0, SEEK_END));
  on_exit(at_exit, nullptr);
  return true;
}

void set_phase(Phase phase) {
  launcher->attend();
  phase_now.store(static_cast<int>(phase), std::memory_order_relaxed);
  my_line->phase.store(static_cast<uint32_t>(phase), std::memory_order_relaxed);
  Packet packet;
  packet.header.kind = PacketKind::kPhase;
  packet.header.tag = static_cast<int32_t>(phase);
  const std::lock_guard guard(send_lock());
  (void)joined->stream.send(packet);  // a hub that has gone is noticed by the delegate
}

void set_activity(const char* what) {
  launcher->attend();
  // Relaxed throughout: a report is a snapshot and says so.
  if (what != nullptr) local::write_activity(my_line, what);
  my_line->activity_since_ns.store(what != nullptr ? base::now_ns() : 0, std::memory_order_relaxed);
}

bool is_ending() { return local::is_end_announced(*board); }

void* flush_all(void* is_done) {
  fflush(nullptr);
  static_cast<std::atomic<bool>*>(is_done)->store(true, std::memory_order_release);
  return nullptr;
}

/// The launcher may kill at once: what stdio holds must be out before. Bounded, because another
/// thread may hold a stream's lock for ever.
void flush_in_time() {
  static std::atomic<bool> is_done{false};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, flush_all, &is_done) != 0) return;
  pthread_detach(thread);
  const timespec pause = {0, 1'000'000};
  for (int i = 0; i < 1000 && !is_done.load(std::memory_order_acquire); ++i)
    nanosleep(&pause, nullptr);
}

EndAnswer tell_end(int status, const char* message) {
  if (!local::claim_end(board)) return EndAnswer::kAlreadyEnding;
  if (message != nullptr) base::log_fatal_line(message);
  if (joined->hub) joined->hub->note_ending();
  if (send_lock().try_lock()) {
    Packet packet;
    packet.header.kind = PacketKind::kEnd;
    packet.header.status = status;
    (void)joined->stream.send(packet);
    send_lock().unlock();
  }
  local::announce_end(board);
  flush_in_time();
  abort_after_words(status, message);
  return EndAnswer::kTold;
}

pid_t ec_pid(int ec) {
  const Node& mine = joined->nodes[static_cast<size_t>(joined->node)];
  if (ec < mine.first || ec >= mine.first + mine.size) return 0;
  return static_cast<pid_t>(
      local::board_ec(board, ec - mine.first)->pid.load(std::memory_order_relaxed));
}

uccs_status_t open() {
  if (epoll_fd >= 0) return UCCS_OK;
  epoll_fd = epoll_create1(EPOLL_CLOEXEC);
  if (epoll_fd < 0) return UCCS_ERR_SYSTEM;
  watch(joined->stream.fd(), EPOLLIN);
  if (const int fd = launcher->watch_fd(); fd >= 0) watch(fd, EPOLLRDHUP);
  return UCCS_OK;
}

int fd() { return epoll_fd; }

void reply(uint64_t id, uccs_status_t status) {
  Packet packet;
  packet.header.id = id;
  packet.header.status = status;
  delegate_reply(packet);
}

bool send_packet(const Packet& packet) {
  const std::lock_guard guard(send_lock());
  if (joined->stream.has_output()) return false;
  (void)joined->stream.send(packet);
  if (joined->stream.has_output()) watch(joined->stream.fd(), EPOLLIN | EPOLLOUT);
  return true;
}

bool post(const Command& command) {
  if (is_hub_gone) {
    reply(command.id, UCCS_ERR_PEER_FAILED);
    return true;
  }
  if (!send_packet(command_packet(command))) return false;
  outstanding().insert(command.id);
  return true;
}

bool cancel(const Command& command) {
  if (is_hub_gone) return true;
  Packet packet;
  packet.header.kind = PacketKind::kCancel;
  packet.header.id = command.id;
  return send_packet(packet);
}

/// In phase kInitialized the others are needed; the launcher gets the chance to say what it knows.
void end_without(const char* what) {
  if (phase_now.load(std::memory_order_relaxed) != static_cast<int>(Phase::kInitialized)) return;
  const timespec grace = {kGraceNs / 1'000'000'000, kGraceNs % 1'000'000'000};
  nanosleep(&grace, nullptr);
  if (is_ending()) return;
  if (phase_now.load(std::memory_order_relaxed) != static_cast<int>(Phase::kInitialized)) return;
  base::fatal("%s: this process ends, too", what);
}

void lose_hub() {
  epoll_ctl(epoll_fd, EPOLL_CTL_DEL, joined->stream.fd(), nullptr);
  const std::string what = "EC 0 on " + joined->hub_host +
                           " is lost: its process ended, or its node cannot be reached any more";
  end_without(what.c_str());
  is_hub_gone = true;
  const std::unordered_set<uint64_t> ids = std::move(outstanding());
  outstanding().clear();
  for (const uint64_t id : ids) reply(id, UCCS_ERR_PEER_FAILED);
}

void lose_launcher(int fd) {
  epoll_ctl(epoll_fd, EPOLL_CTL_DEL, fd, nullptr);
  end_without("the launcher has ended");
}

void progress() {
  epoll_event events[2];
  const int count = epoll_wait(epoll_fd, events, 2, 0);
  for (int i = 0; i < count; ++i)
    if (events[i].data.fd != joined->stream.fd()) lose_launcher(events[i].data.fd);
  if (is_hub_gone) return;
  bool is_alive;
  {
    const std::lock_guard guard(send_lock());
    is_alive = joined->stream.flush();
    if (!joined->stream.has_output()) watch(joined->stream.fd(), EPOLLIN);
  }
  is_alive = joined->stream.receive() && is_alive;
  Packet packet;
  while (joined->stream.next(num_ecs, &packet)) {
    if (packet.header.kind != PacketKind::kReply) continue;
    outstanding().erase(packet.header.id);
    delegate_reply(packet);
  }
  if (!is_alive || !joined->stream.is_open()) lose_hub();
}

void close_nothing() {}  // the connection stays: it shows that this process lives

void serve_hub() {
  if (joined->hub) joined->hub->start();
}

constexpr Backend kTable = {"hub",    adopt,    set_phase,     set_activity, is_ending,
                            tell_end, ec_pid,   open,          fd,           post,
                            cancel,   progress, close_nothing, serve_hub,    finish};

}  // namespace
}  // namespace uccs::rte::hub

namespace uccs::rte {
constinit const Backend kHubBackend = hub::kTable;
}
