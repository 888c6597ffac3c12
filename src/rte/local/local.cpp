// SPDX-License-Identifier: BSD-3-Clause
/// An EC that uccsrun started on this machine.
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "rte/backend.hpp"
#include "rte/delegate.hpp"
#include "rte/local/wire.hpp"

namespace uccs::rte::local {
namespace {

constinit BoardJob* board = nullptr;
constinit BoardEc* my_line = nullptr;
constinit int control = -1;
constinit int num_ecs = 0;
char* packet_buffer = nullptr;  // the delegate's, kPacketMax bytes

constexpr const char* kRemedy = "start the program with `oshrun -n N program`";

/// The memfd behind `fd` and its size; ends the process unless it is one that cannot shrink.
uint64_t check_memfd(int fd, const char* what) {
  struct stat info;
  if (fstat(fd, &info) != 0)
    base::fatal(
        "%s names file descriptor %d (%s), which is not open: what stands between uccsrun and this "
        "program must not close descriptors; %s",
        kJobVariable, fd, what, kRemedy);
  const int seals = fcntl(fd, F_GET_SEALS);
  if (seals < 0 || (seals & F_SEAL_SHRINK) == 0)
    base::fatal("%s names file descriptor %d (%s), which is not what uccsrun made; %s",
                kJobVariable, fd, what, kRemedy);
  return static_cast<uint64_t>(info.st_size);
}

void map_board(const HandOver& hand_over) {
  const size_t bytes = board_bytes(hand_over.num_ecs);
  if (check_memfd(hand_over.board_fd, "board") != bytes)
    base::fatal("%s: the board has the wrong size; %s", kJobVariable, kRemedy);
  void* mapped = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, hand_over.board_fd, 0);
  if (mapped == MAP_FAILED) base::fatal("cannot map the launcher's board: %s", strerror(errno));
  board = static_cast<BoardJob*>(mapped);
  if (board->magic != kBoardMagic || board->job_id != hand_over.job_id ||
      board->num_ecs != static_cast<uint32_t>(hand_over.num_ecs))
    base::fatal("%s does not belong to the board it names; %s", kJobVariable, kRemedy);
  my_line = board_ec(board, hand_over.ec);
}

void check_control(int fd) {
  int type = 0;
  socklen_t length = sizeof type;
  if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &length) != 0 || type != SOCK_SEQPACKET)
    base::fatal("%s names file descriptor %d (control), which is no socket of uccsrun; %s",
                kJobVariable, fd, kRemedy);
}

void check_lifeline(int fd) {
  struct stat status;
  if (fstat(fd, &status) != 0 || !S_ISFIFO(status.st_mode))
    base::fatal("%s names file descriptor %d (lifeline), which is no pipe of uccsrun; %s",
                kJobVariable, fd, kRemedy);
}

/// An EC is one process: whoever comes second, after it or beside it, cannot be the same EC.
void claim(int ec) {
  uint32_t nobody = 0;
  const auto me = static_cast<uint32_t>(getpid());
  if (my_line->pid.compare_exchange_strong(nobody, me, std::memory_order_acq_rel)) return;
  const char* state = kill(static_cast<pid_t>(nobody), 0) == 0 ? "is running" : "has ended";
  base::fatal(
      "EC %d was already taken by process %u, which %s: each EC that uccsrun starts can run one "
      "UCCS program; use one `oshrun` per program, or UCCS_RTE=single for a program of its own",
      ec, nobody, state);
}

/// Nothing ever arrives at the lifeline but its hang-up: the kernel then kills this process, so
/// that nothing outlives a killed launcher, whatever stands in between. (The control socket would
/// not do, even when its last answer has been read: who looks all the time may have that before the
/// kernel has told of it, and would be killed for it.)
void die_with_launcher(int lifeline) {
  fcntl(lifeline, F_SETOWN, getpid());
  fcntl(lifeline, F_SETSIG, SIGKILL);
  fcntl(lifeline, F_SETFL, fcntl(lifeline, F_GETFL) | O_ASYNC);
  pollfd hang_up = {lifeline, 0, 0};
  if (poll(&hang_up, 1, 0) > 0 && (hang_up.revents & POLLHUP) != 0) _exit(1);
}

bool adopt(Identity* identity) {
  const char* text = getenv(kJobVariable);
  if (text == nullptr) return false;
  HandOver hand_over;
  if (!parse_hand_over(text, &hand_over))
    base::fatal("%s=%s is not what uccsrun of this version hands over; %s", kJobVariable, text,
                kRemedy);
  map_board(hand_over);
  check_control(hand_over.control_fd);
  check_lifeline(hand_over.lifeline_fd);
  identity->segment_bytes = check_memfd(hand_over.segment_fd, "segment");
  claim(hand_over.ec);
  // Programs that this EC starts are no ECs.
  for (const int fd :
       {hand_over.segment_fd, hand_over.board_fd, hand_over.control_fd, hand_over.lifeline_fd})
    fcntl(fd, F_SETFD, FD_CLOEXEC);
  unsetenv(kJobVariable);

  identity->ec = hand_over.ec;
  identity->num_ecs = identity->node_size = hand_over.num_ecs;
  identity->node_cpus = static_cast<int>(board->cpus);
  identity->segment_fd = hand_over.segment_fd;
  identity->backend = kLocalBackend.name;
  control = hand_over.control_fd;
  num_ecs = hand_over.num_ecs;
  die_with_launcher(hand_over.lifeline_fd);
  return true;
}

void set_phase(Phase phase) {
  my_line->phase.store(static_cast<uint32_t>(phase), std::memory_order_relaxed);
}

void set_activity(const char* what) {
  // Relaxed throughout: the launcher's report is a snapshot and says so.
  if (what == nullptr) {
    my_line->activity_since_ns.store(0, std::memory_order_relaxed);
    return;
  }
  write_activity(my_line, what);
  my_line->activity_since_ns.store(base::now_ns(), std::memory_order_relaxed);
  my_line->activity_count.fetch_add(1, std::memory_order_relaxed);
}

bool is_ending() { return is_end_announced(*board); }

EndAnswer tell_end(int status, const char* message) {
  if (!claim_end(board)) return EndAnswer::kAlreadyEnding;
  Packet packet;
  packet.header.kind = PacketKind::kEnd;
  packet.header.status = status;
  packet.header.key_bytes =
      message != nullptr ? static_cast<uint32_t>(strnlen(message, kMessageMax)) : 0;
  packet.key = message;
  char buffer[sizeof(PacketHeader) + kMessageMax];
  const size_t bytes = encode_packet(packet, buffer);
  const uint64_t give_up_ns = base::now_ns() + 1000000000u;
  base::Backoff backoff;
  ssize_t sent;
  do {
    sent = send(control, buffer, bytes, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (sent < 0) backoff.pause();
  } while (sent < 0 && (errno == EAGAIN || errno == EINTR) && base::now_ns() < give_up_ns);
  announce_end(board);
  return sent >= 0 ? EndAnswer::kTold : EndAnswer::kCannot;
}

pid_t ec_pid(int ec) {
  return static_cast<pid_t>(board_ec(board, ec)->pid.load(std::memory_order_relaxed));
}

uccs_status_t open() {
  packet_buffer = static_cast<char*>(malloc(kPacketMax));
  if (packet_buffer == nullptr) return UCCS_ERR_NO_MEMORY;
  return UCCS_OK;
}

int fd() { return control; }

[[noreturn]] void launcher_is_gone() {
  base::log_fatal_line("uccsrun has ended: this process ends, too");
  kill(getpid(), SIGKILL);
  _exit(1);
}

bool send_packet(const Packet& packet) {
  const size_t bytes = encode_packet(packet, packet_buffer);
  while (true) {
    if (send(control, packet_buffer, bytes, MSG_DONTWAIT | MSG_NOSIGNAL) >= 0) return true;
    if (errno == EAGAIN || errno == ENOBUFS) return false;
    if (errno != EINTR) launcher_is_gone();
  }
}

bool post(const Command& command) { return send_packet(command_packet(command)); }

bool cancel(const Command& command) {
  Packet packet;
  packet.header.kind = PacketKind::kCancel;
  packet.header.id = command.id;
  return send_packet(packet);
}

void progress() {
  while (true) {
    const ssize_t bytes = recv(control, packet_buffer, kPacketMax, MSG_DONTWAIT | MSG_TRUNC);
    if (bytes == 0) launcher_is_gone();
    if (bytes < 0) {
      if (errno == EINTR) continue;
      if (errno == EAGAIN) return;
      launcher_is_gone();
    }
    Packet packet;
    if (static_cast<size_t>(bytes) > kPacketMax ||
        !decode_packet(packet_buffer, static_cast<size_t>(bytes), num_ecs, &packet) ||
        packet.header.kind != PacketKind::kReply)
      base::fatal(
          "uccsrun sent a packet of %zd bytes that is not understood: are the launcher and "
          "libuccs of the same version?",
          bytes);
    delegate_reply(packet);
  }
}

void close() {
  free(packet_buffer);
  packet_buffer = nullptr;
}

constexpr Backend kTable = {"local",  adopt,    set_phase, set_activity, is_ending,
                            tell_end, ec_pid,   open,      fd,           post,
                            cancel,   progress, close,     nullptr,      nullptr};

}  // namespace
}  // namespace uccs::rte::local

namespace uccs::rte {
constinit const Backend kLocalBackend = local::kTable;
}
