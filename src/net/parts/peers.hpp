// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <memory>
#include <mutex>
#include <new>

#include "base/log.hpp"
#include "base/sparse.hpp"
#include "net/transport.hpp"

namespace uccs::net {

/// What every network's state of an EC begins with.
struct PeerBase {
  std::atomic<bool> is_known = false;  ///< the address was read
  bool is_lost = false;                ///< it cannot be had
};

/// The other ECs as a network knows them: a State, made when something is first to be noted, with
/// what their addresses say, which core is asked for when they are first reached. And the way to
/// tell core that one is lost. State is derived from PeerBase. By any thread.
template <typename State>
class Peers {
 public:
  /// How the network reads addresses, which are at most `address_max` long.
  struct Reader {
    void* user = nullptr;
    size_t address_max = 0;
    /// False: those bytes are none. One call at a time.
    bool (*read)(void* user, State& state, const std::byte* bytes, size_t length) = nullptr;
  };

  Peers() = default;
  ~Peers() {
    for_each([](int, State& state) { delete &state; });
  }
  Peers(const Peers&) = delete;
  Peers& operator=(const Peers&) = delete;

  /// False: no memory.
  bool start(const OpenParameters& parameters, const Reader& reader) {
    num_ecs_ = parameters.num_ecs;
    find_address_ = parameters.find_address;
    peer_lost_ = parameters.peer_lost;
    user_ = parameters.user;
    reader_ = reader;
    states_ = base::make_sparse<std::atomic<State*>>(static_cast<size_t>(num_ecs_));
    return states_ != nullptr;
  }

  /// nullptr: nothing was noted of the EC.
  State* find(int ec) const {
    return states_[ec].load(std::memory_order_acquire);  // pairs with the release of make
  }
  State& state_of(int ec) {
    if (State* found = find(ec)) [[likely]]
      return *found;
    return make(ec);
  }
  /// The EC with its address known; nullptr when it cannot be had. May wait for the launcher.
  State* reach(int ec) {
    State& state = state_of(ec);
    // Acquire: pairs with the releases below; the address is there.
    if (!state.is_known.load(std::memory_order_acquire)) [[unlikely]]
      ask_for(ec, state);
    return state.is_lost ? nullptr : &state;
  }
  /// Transport::connect.
  uccs_status_t connect(const Peer& peer) {
    if (peer.address_bytes == 0) return UCCS_OK;  // asked for at first use
    State& state = state_of(peer.ec);
    const std::lock_guard guard(lock_);
    const auto* bytes = static_cast<const std::byte*>(peer.address);
    if (!reader_.read(reader_.user, state, bytes, peer.address_bytes)) return UCCS_ERR_INVALID;
    state.is_known.store(true, std::memory_order_release);
    return UCCS_OK;
  }

  /// Calls `act(ec, state)` for each EC of which something was noted.
  template <typename Act>
  void for_each(const Act& act) const {
    for (int ec = 0; states_ && ec < num_ecs_; ++ec)
      if (State* state = find(ec)) act(ec, *state);
  }

  /// Whether core wants to hear of those that are lost.
  bool can_lose() const { return peer_lost_ != nullptr; }
  /// Ends the job, unless it ends anyway; with no lock held.
  void lose(int ec, const char* what) const { peer_lost_(user_, ec, what); }

 private:
  [[gnu::noinline]] State& make(int ec) {
    const std::lock_guard guard(lock_);
    if (State* found = find(ec)) return *found;
    auto* made = new (std::nothrow) State;
    if (!made) base::fatal("no memory to talk to EC %d", ec);
    states_[ec].store(made, std::memory_order_release);
    return *made;
  }
  [[gnu::noinline]] void ask_for(int ec, State& state) {
    const std::lock_guard guard(lock_);
    if (state.is_known.load(std::memory_order_acquire)) return;
    // Not on the stack: threads of programs may have a small one.
    const std::unique_ptr<std::byte[]> bytes(new (std::nothrow) std::byte[reader_.address_max]);
    const size_t length =
        bytes && find_address_ ? find_address_(user_, ec, bytes.get(), reader_.address_max) : 0;
    state.is_lost = !reader_.read(reader_.user, state, bytes.get(), length);
    state.is_known.store(true, std::memory_order_release);
  }

  int num_ecs_ = 0;
  base::SparseArray<std::atomic<State*>> states_;
  std::mutex lock_;  // guards making States and reading addresses
  Reader reader_;
  size_t (*find_address_)(void*, int, void*, size_t) = nullptr;
  void (*peer_lost_)(void*, int, const char*) = nullptr;
  void* user_ = nullptr;
};

}  // namespace uccs::net
