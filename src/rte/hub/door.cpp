// SPDX-License-Identifier: BSD-3-Clause
#include "rte/hub/door.hpp"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "rte/hub/sockets.hpp"

namespace uccs::rte::hub {
namespace {

constexpr uint64_t kPatienceNs = 5'000'000'000;
constexpr size_t kCallersMax = 512;

}  // namespace

Door::~Door() { close(); }

void Door::close() {
  for (const Listener& listener : listeners_) ::close(listener.fd);
  for (const Caller& caller : callers_) ::close(caller.fd);
  listeners_.clear();
  callers_.clear();
}

bool Door::open_local(const std::string& name) {
  const int fd = listen_local(name);
  if (fd >= 0) listeners_.push_back({fd, true});
  return fd >= 0;
}

bool Door::open_tcp(const std::string& address, uint64_t silence_ns, int* port_out) {
  const int fd = listen_tcp(address, silence_ns, port_out);
  if (fd >= 0) listeners_.push_back({fd, false});
  return fd >= 0;
}

void Door::add_to(std::vector<pollfd>* polled) {
  for (const Listener& listener : listeners_) polled->push_back({listener.fd, POLLIN, 0});
  for (const Caller& caller : callers_) polled->push_back({caller.fd, POLLIN, 0});
}

void Door::handle(const pollfd* polled, std::vector<Guest>* guests) {
  const uint64_t now = base::now_ns();
  const pollfd* of_callers = polled + listeners_.size();
  size_t kept = 0;
  for (size_t i = 0; i < callers_.size(); ++i) {
    Caller& caller = callers_[i];
    bool stays = now < caller.until_ns;
    if (!stays) ::close(caller.fd);
    if (stays && of_callers[i].revents != 0) stays = listen_to(&caller, guests);
    if (stays) callers_[kept++] = caller;
  }
  callers_.resize(kept);
  for (size_t i = 0; i < listeners_.size(); ++i)
    if (polled[i].revents != 0) accept_all(listeners_[i]);
}

void Door::accept_all(const Listener& listener) {
  int fd;
  while ((fd = accept4(listener.fd, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK)) >= 0) {
    if (listener.is_local && !is_same_user(fd)) {
      ::close(fd);
      continue;
    }
    if (callers_.size() == kCallersMax) {  // the one that has dawdled longest goes
      ::close(callers_.front().fd);
      callers_.erase(callers_.begin());
    }
    Caller caller{};
    caller.fd = fd;
    caller.until_ns = base::now_ns() + kPatienceNs;
    memcpy(caller.challenge.service, kService, sizeof kService);
    fill_random(caller.challenge.nonce.data(), caller.challenge.nonce.size());
    // A fresh socket has room for it.
    if (send(fd, &caller.challenge, sizeof caller.challenge, MSG_NOSIGNAL | MSG_DONTWAIT) ==
        static_cast<ssize_t>(sizeof caller.challenge))
      callers_.push_back(caller);
    else
      ::close(fd);
  }
}

bool Door::listen_to(Caller* caller, std::vector<Guest>* guests) {
  char* at = reinterpret_cast<char*>(&caller->proof) + caller->have;
  const ssize_t got = recv(caller->fd, at, sizeof caller->proof - caller->have, MSG_DONTWAIT);
  if (got < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (got > 0) caller->have += static_cast<size_t>(got);
  if (got > 0 && caller->have < sizeof caller->proof) return true;
  if (got > 0 && is_proof(secret_, caller->challenge, caller->proof)) {
    const base::Digest answer = make_answer(secret_, caller->challenge, caller->proof);
    if (send(caller->fd, answer.data(), answer.size(), MSG_NOSIGNAL | MSG_DONTWAIT) ==
        static_cast<ssize_t>(answer.size())) {
      guests->push_back({caller->fd, caller->proof.number});
      return false;
    }
  }
  ::close(caller->fd);
  return false;
}

}  // namespace uccs::rte::hub
