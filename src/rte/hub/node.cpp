// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/node.hpp"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "rte/hub/door.hpp"
#include "rte/hub/sockets.hpp"
#include "rte/local/memory.hpp"

namespace uccs::rte::hub {
namespace {

std::string first_line(const char* path) {
  char line[128] = "";
  FILE* file = fopen(path, "re");
  if (file == nullptr) return "";
  if (fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
  fclose(file);
  line[strcspn(line, "\n")] = '\0';
  return line;
}

std::string name_space(const char* kind) {
  struct stat info;
  const std::string path = std::string("/proc/self/ns/") + kind;
  return stat(path.c_str(), &info) == 0 ? std::to_string(info.st_ino) : "?";
}

std::string socket_name(const Secret& secret, int node) {
  return secret_name(secret, "node " + std::to_string(node));
}

void hand_out(Door* door, const NodeFiles& files, int first, int count, uint64_t deadline_ns) {
  std::vector<bool> has(static_cast<size_t>(count));
  int missing = count - 1;
  std::vector<pollfd> polled;
  std::vector<Door::Guest> guests;
  while (missing > 0) {
    if (base::now_ns() >= deadline_ns) {
      int ec = 1;
      while (has[static_cast<size_t>(ec)]) ++ec;
      base::fatal("%d ECs of this node did not come for its shared memory in time; EC %d is one",
                  missing, first + ec);
    }
    polled.clear();
    door->add_to(&polled);
    if (poll(polled.data(), polled.size(), milliseconds_left(deadline_ns)) <= 0)
      for (pollfd& one : polled) one.revents = 0;
    guests.clear();
    door->handle(polled.data(), &guests);
    for (const Door::Guest& guest : guests) {
      const int fds[2] = {files.segment_fd, files.board_fd};
      const uint32_t index = guest.number - static_cast<uint32_t>(first);
      if (index > 0 && index < has.size() && !has[index] &&
          send_files(guest.fd, fds, deadline_ns)) {
        has[index] = true;
        --missing;
      }
      close(guest.fd);
    }
  }
}

NodeFiles fetch(const Secret& secret, int node, int ec, int first, uint64_t deadline_ns) {
  const std::string name = socket_name(secret, node);
  timespec pause = {0, 200'000};
  int fd;
  while ((fd = connect_local(name)) < 0) {
    const bool is_early = errno == ECONNREFUSED || errno == EAGAIN;
    if (!is_early || base::now_ns() >= deadline_ns)
      base::fatal(
          "cannot reach EC %d on this node for its shared memory: %s; if the two cannot share "
          "memory, give their environments different UCCS_NODE",
          first, strerror(errno));
    nanosleep(&pause, nullptr);
    if (pause.tv_nsec < 10'000'000) pause.tv_nsec *= 2;
  }
  int files[2];
  if (!is_same_user(fd)) {
    errno = EPERM;
  } else if (prove(fd, secret, static_cast<uint32_t>(ec), deadline_ns) &&
             receive_files(fd, files, deadline_ns)) {
    close(fd);
    return {files[0], files[1]};
  }
  base::fatal("EC %d did not hand over the shared memory of this node: %s", first, strerror(errno));
}

}  // namespace

uint64_t machine_identity(const std::string& node) {
  const std::string boot = first_line("/proc/sys/kernel/random/boot_id");
  const std::string& facts = boot.empty() ? node : boot;
  base::Sha256 digest;
  digest.add(facts.data(), facts.size());
  uint64_t number;
  memcpy(&number, digest.finish().data(), sizeof number);
  return number;
}

std::string node_identity(const std::string& host, const std::string& wanted_name) {
  const std::string facts = first_line("/proc/sys/kernel/random/boot_id") + "|" +
                            name_space("net") + "|" + name_space("pid") + "|" + name_space("user") +
                            "|" + std::to_string(geteuid()) + "|" +
                            (wanted_name.empty() ? host : wanted_name);
  base::Sha256 digest;
  digest.add(facts.data(), facts.size());
  return to_hex(digest.finish().data(), 16);
}

NodeFiles share_node(const Secret& secret, int node, int first, int index, int count, int cpus,
                     uint64_t deadline_ns) {
  if (index > 0) return fetch(secret, node, first + index, first, deadline_ns);
  Door door(secret);
  if (count > 1 && !door.open_local(socket_name(secret, node)))
    base::fatal("cannot listen for the other ECs of this node: %s", strerror(errno));
  NodeFiles files;
  files.segment_fd = local::make_segment();
  if (files.segment_fd < 0)
    base::fatal(
        "cannot make the node's shared memory (memfd of 1 GiB or more, see `ulimit -f`): %s",
        strerror(errno));
  local::BoardJob* board;
  files.board_fd = local::make_board(count, static_cast<uint32_t>(cpus), &board);
  if (files.board_fd < 0) base::fatal("cannot make the node's board (memfd): %s", strerror(errno));
  munmap(board, local::board_bytes(count));  // mapped again like everybody's
  hand_out(&door, files, first, count, deadline_ns);
  return files;
}

}  // namespace uccs::rte::hub
