// SPDX-License-Identifier: BSD-3-Clause
#include "rte/delegate.hpp"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "base/backoff.hpp"
#include "base/clock.hpp"
#include "base/log.hpp"
#include "base/signals.hpp"

namespace uccs::rte {
namespace {

constexpr uint64_t kRetryNs = 1000000;
constexpr uint64_t kStopNs = 1000000000;
constexpr size_t kStackBytes = 256 * 1024;

/// What callers and the delegate share. Never destroyed: threads may outlive static destructors.
struct Inbox {
  std::mutex mutex;
  std::deque<Command*> commands;  // by mutex
  bool is_running = false;        // by mutex
  bool must_stop = false;         // by mutex
  int wake_fd = -1;               // set before the thread starts
  pthread_t thread{};             // by mutex
};

Inbox& inbox() {
  static Inbox* const the_inbox = new Inbox;
  return *the_inbox;
}

/// The delegate thread's own.
struct Delegate {
  std::deque<Command*> queued;   // in the order of the callers
  std::deque<Command*> refused;  // were posted, are to be queued again, before the others
  std::unordered_map<uint64_t, Command*> posted;
  bool is_stopping = false;
};

Delegate* delegate = nullptr;
uint64_t last_id = 0;  // never reused, also by a second delegate: late answers must find nobody

void finish(Command* command, uccs_status_t status) {
  command->status = status;
  // Pairs with the load in delegate_wait and rte_test. After the store the caller may free the
  // command; the wake-up then only names an address.
  command->is_done.store(1, std::memory_order_release);
  base::wake_all(&command->is_done);
}

bool is_send_to(const Command& command, int ec) {
  return command.kind == PacketKind::kSend && command.ec == ec;
}

/// Messages to one EC go one after the other, or one that was refused for lack of room would be
/// overtaken. `position`: that of `command` in the queue.
bool is_behind_a_send(const Command& command, size_t position) {
  if (command.kind != PacketKind::kSend) return false;
  for (const auto& [id, other] : delegate->posted)
    if (is_send_to(*other, command.ec)) return true;
  for (const Command* other : delegate->refused)
    if (is_send_to(*other, command.ec)) return true;
  for (size_t i = 0; i < position; ++i)
    if (is_send_to(*delegate->queued[i], command.ec)) return true;
  return false;
}

/// Posts what can be posted; when to try again, UINT64_MAX if nothing waits for its time.
uint64_t post_queued(uint64_t now) {
  std::deque<Command*>& queued = delegate->queued;
  std::deque<Command*>& refused = delegate->refused;
  queued.insert(queued.begin(), refused.begin(), refused.end());
  refused.clear();
  uint64_t next = UINT64_MAX;
  for (size_t i = 0; i < queued.size();) {
    Command* command = queued[i];
    if (command->not_before_ns > now || is_behind_a_send(*command, i)) {
      if (command->not_before_ns > now) next = std::min(next, command->not_before_ns);
      ++i;
      continue;
    }
    // Before the post: the backend may answer in it.
    command->id = ++last_id;
    delegate->posted.emplace(command->id, command);
    queued.erase(queued.begin() + static_cast<ptrdiff_t>(i));
    if (backend().post(*command)) continue;
    delegate->posted.erase(command->id);
    queued.insert(queued.begin() + static_cast<ptrdiff_t>(i), command);
    return now + kRetryNs;
  }
  for (const Command* command : refused) next = std::min(next, command->not_before_ns);
  return next;
}

/// Cancels what has passed its deadline; when the next deadline is.
uint64_t expire(uint64_t now) {
  uint64_t next = UINT64_MAX;
  std::vector<Command*> late;  // the backend may answer in the call: `posted` changes then
  for (auto& [id, command] : delegate->posted) {
    if (command->is_canceled) continue;
    if (command->deadline_ns <= now)
      late.push_back(command);
    else
      next = std::min(next, command->deadline_ns);
  }
  for (Command* command : late) {
    command->is_canceled = true;
    if (backend().cancel(*command)) continue;
    command->is_canceled = false;
    next = now + kRetryNs;
  }
  return next;
}

void sleep_until(uint64_t next, uint64_t now) {
  const uint64_t left_ns = next > now ? next - now : 0;
  const timespec limit = {static_cast<time_t>(left_ns / 1000000000u),
                          static_cast<long>(left_ns % 1000000000u)};
  pollfd fds[2] = {{inbox().wake_fd, POLLIN, 0}, {backend().fd(), POLLIN, 0}};
  ppoll(fds, 2, next == UINT64_MAX ? nullptr : &limit, nullptr);
  uint64_t rings;
  // Non-blocking; how often it was rung does not matter.
  if ((fds[0].revents & POLLIN) != 0 && read(fds[0].fd, &rings, sizeof rings) < 0 &&
      errno != EAGAIN)
    base::fatal("the delegate cannot read its wake-up counter: %s", strerror(errno));
}

/// Takes back what the backend still has: a receive that nobody waits for any more would swallow a
/// message. Bounded, because the launcher may be gone.
void cancel_posted() {
  delegate->is_stopping = true;
  for (auto& [id, command] : delegate->posted) command->deadline_ns = 0;
  const uint64_t give_up_ns = base::now_ns() + kStopNs;
  while (!delegate->posted.empty()) {
    const uint64_t now = base::now_ns();
    if (now > give_up_ns) return;
    expire(now);
    backend().progress();
    if (!delegate->posted.empty()) sleep_until(now + kRetryNs, now);
  }
}

/// Moves the callers' commands over; false when the thread is to end.
bool take_commands() {
  Inbox& in = inbox();
  const std::lock_guard<std::mutex> lock(in.mutex);
  for (Command* command : in.commands) delegate->queued.push_back(command);
  in.commands.clear();
  return !in.must_stop;
}

void* run(void*) {
  delegate = new Delegate;
  const uccs_status_t opened = backend().open();
  while (take_commands()) {
    uint64_t next = UINT64_MAX;
    if (opened == UCCS_OK) {
      backend().progress();  // first: an answer may let a message go that waits behind another
      next = post_queued(base::now_ns());
      next = std::min(next, expire(base::now_ns()));
    } else {
      for (Command* command : delegate->queued) finish(command, opened);
      delegate->queued.clear();
    }
    sleep_until(next, base::now_ns());
  }
  if (opened == UCCS_OK) {
    cancel_posted();
    backend().close();
  }
  for (auto& [id, command] : delegate->posted) finish(command, UCCS_ERR_CANCELED);
  for (const auto* left : {&delegate->queued, &delegate->refused})
    for (Command* command : *left) finish(command, UCCS_ERR_CANCELED);
  delete delegate;
  delegate = nullptr;
  return nullptr;
}

/// With the inbox locked.
/// Returns 0 or the error.
int start_thread(Inbox* in) {
  if (in->wake_fd < 0) in->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (in->wake_fd < 0) return errno;
  pthread_attr_t attributes;
  if (const int rc = pthread_attr_init(&attributes); rc != 0) return rc;
  pthread_attr_setstacksize(&attributes, kStackBytes);
  const base::BlockedSignals inherited;
  int rc = pthread_create(&in->thread, &attributes, run, nullptr);
  // Programs with much thread-local data need larger stacks, because it lives there.
  if (rc == EINVAL) rc = pthread_create(&in->thread, nullptr, run, nullptr);
  pthread_attr_destroy(&attributes);
  if (rc == 0) pthread_setname_np(in->thread, "uccs-rte");
  in->is_running = rc == 0;
  return rc;
}

void wake(const Inbox& in) {
  const uint64_t one = 1;
  // Fails only when the counter is full, and then the delegate is awake.
  [[maybe_unused]] const ssize_t written = write(in.wake_fd, &one, sizeof one);
}

}  // namespace

Packet command_packet(const Command& command) {
  Packet packet;
  packet.header.id = command.id;
  packet.header.kind = command.kind;
  packet.header.ec = command.ec;
  packet.header.tag = command.tag;
  if (command.key != nullptr) packet.header.key_bytes = static_cast<uint32_t>(strlen(command.key));
  packet.header.data_bytes = static_cast<uint32_t>(command.bytes);
  packet.key = command.key;
  packet.data = static_cast<const char*>(command.data);
  return packet;
}

uccs_status_t delegate_post(Command* command) {
  Inbox& in = inbox();
  const std::lock_guard<std::mutex> lock(in.mutex);
  if (in.must_stop) return UCCS_ERR_STATE;
  if (const int rc = in.is_running ? 0 : start_thread(&in); rc != 0) {
    base::log_line(base::LogLevel::kError,
                   "cannot start the delegate thread: %s; raise `ulimit -u`", strerror(rc));
    return UCCS_ERR_SYSTEM;
  }
  in.commands.push_back(command);
  wake(in);
  return UCCS_OK;
}

void delegate_start() {
  Inbox& in = inbox();
  const std::lock_guard<std::mutex> lock(in.mutex);
  if (!in.must_stop && !in.is_running) start_thread(&in);
}

void delegate_wait(Command* command) { base::block_while(&command->is_done, 0); }

void delegate_stop() {
  Inbox& in = inbox();
  pthread_t thread;
  {
    const std::lock_guard<std::mutex> lock(in.mutex);
    if (!in.is_running || in.must_stop) return;
    in.must_stop = true;
    thread = in.thread;
    wake(in);
  }
  pthread_join(thread, nullptr);
  const std::lock_guard<std::mutex> lock(in.mutex);
  for (Command* command : in.commands) finish(command, UCCS_ERR_CANCELED);
  in.commands.clear();
  in.is_running = false;
  in.must_stop = false;
}

void delegate_reply(const Packet& reply) {
  const auto found = delegate->posted.find(reply.header.id);
  if (found == delegate->posted.end()) return;
  Command* command = found->second;
  delegate->posted.erase(found);
  auto status = static_cast<uccs_status_t>(reply.header.status);
  if (status == UCCS_ERR_TIMEOUT && delegate->is_stopping) status = UCCS_ERR_CANCELED;
  if (status == UCCS_AGAIN) {
    command->not_before_ns = base::now_ns() + kRetryNs;
    delegate->refused.push_back(command);
    return;
  }
  command->ec_out = reply.header.ec;
  command->tag_out = reply.header.tag;
  command->bytes_out = reply.header.data_bytes;
  const size_t copied =
      command->bytes_out < command->capacity ? command->bytes_out : command->capacity;
  if (copied != 0) memcpy(command->buffer, reply.data, copied);
  const bool is_cut = copied < command->bytes_out;
  finish(command, status == UCCS_OK && is_cut ? UCCS_ERR_TRUNCATED : status);
}

}  // namespace uccs::rte
