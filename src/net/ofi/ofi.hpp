// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <pthread.h>

#include <memory>
#include <mutex>
#include <vector>

#include "net/ofi/fabric.hpp"
#include "net/ofi/wire.hpp"
#include "net/transport.hpp"

namespace uccs::net::ofi {

class Ofi;
struct Inlet;

/// What a completion of the provider's belongs to. First member: the provider's own scratch.
struct Tracked {
  enum class Kind : uint8_t {
    kReceived,  ///< Node: a message has arrived
    kControl,   ///< Node: a credit has left
    kMessage,   ///< Buffer: a message has left
    kTransfer,  ///< Work or Buffer: a put or get is complete
  };
  fi_context2 context;
  Kind kind;
};

/// An operation under way on a channel.
struct Work : Tracked {
  Work* next;
  Completion* completion;
  uccs_status_t status;
  bool is_buffer;     ///< a Buffer, else from the pool of plain Works
  fid_mr* temporary;  ///< registration of the local side, closed when it is complete
};
/// One that carries its bytes.
struct Buffer : Work {
  alignas(8) std::byte data[kMessageMax];
};

/// A message that has arrived, or a place for one.
struct alignas(8) Node : Tracked {
  Node* next;
  Inlet* home;
  void* descriptor;  ///< of the memory, where the provider asks for one
  bool is_full;      ///< kMessageMax bytes, else kShortMax

  std::byte* data() { return reinterpret_cast<std::byte*>(this + 1); }
  Header& header() { return *reinterpret_cast<Header*>(data()); }
};

/// Messages of one class that wait for their reader.
struct alignas(64) Inbox {
  base::SpinLock reader;  ///< held by who delivers
  base::SpinLock lock;    ///< guards the list
  Node* first = nullptr;
  Node* last = nullptr;
  std::atomic<uint32_t> count = 0;
};

/// A port with the addresses of peers that it has sent to.
struct Outlet {
  Port* port = nullptr;
  std::unique_ptr<fi_addr_t[]> addresses;  ///< [ec * lanes + lane], FI_ADDR_UNSPEC: not yet
};

/// Where messages for one lane, and other ECs' puts and gets, come in.
struct Inlet : Outlet {
  Ofi* owner = nullptr;
  int lane = 0;
  Inbox inboxes[kTrafficClasses];
  int to_post = 0;  ///< receives; guarded by the domain's lock

  base::SpinLock pool_lock;  // guards what follows
  Node* free_full = nullptr;
  Node* free_short = nullptr;
  std::vector<std::unique_ptr<std::byte[]>> slabs;
  std::vector<fid_mr*> registrations;
};

/// What is known of, and agreed with, another EC.
struct PeerLane {
  std::atomic<int> credits[kCreditKinds];  ///< messages that may be sent to its lane
  std::atomic<int> owed[kCreditKinds];     ///< messages of its that were read at ours
  base::SpinLock send_lock;                ///< guards next_to_send, and the order of sends
  uint32_t next_to_send = 0;
  uint32_t next_to_read = 0;  ///< guarded by the lock of our inlet's domain, and so is `early`
  Node* early = nullptr;      ///< sends that overtook others, in no order
  Key heap = {}, statics = {};
  char name[kNameMax] = {};
};
struct PeerState {
  std::atomic<bool> is_known = false;  ///< the address was read
  bool is_lost = false;
  int lanes = 1;  ///< inlets over there
  uint64_t cookie = 0;
  uint64_t heap_bytes = 0, static_bytes = 0;
  std::unique_ptr<PeerLane[]> by_lane;
};

/// libfabric: reliable datagram endpoints. Each channel has an outlet, each lane an inlet, all with
/// domains of their own, so that threads share nothing. Puts and gets are the provider's; messages
/// are sends, with credits so that memory is bounded. One thread per instance sees to it that ECs
/// which compute hold up nobody (engine.cpp).
class Ofi {
 public:
  class Channel : public Outlet {
   public:
    uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes, Completion*);
    uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes, Completion*);
    uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                         uint64_t* result_out, Completion*);
    uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                          const Payload* payload);
    uccs_status_t flush(int ec);
    int progress(int lane, uint32_t traffic, int budget, const Sink& sink);

   private:
    friend class Ofi;
    bool start(Ofi* owner, int index);
    Work* take_work();
    Buffer* take_buffer();
    void give_back(Work* work);
    uccs_status_t finish_post(ssize_t posted, Work* work);
    void* describe_local(const void* memory, size_t bytes, Work* work);
    uccs_status_t transfer(bool is_put, int ec, const Remote& remote, void* local, size_t bytes,
                           Completion* completion);
    /// Reads the completion queue; with the domain's lock held.
    int poll();
    int complete_finished();
    /// Without a buffer: `data` is free on return, and nothing tells when it has left.
    ssize_t send(const std::byte* data, size_t bytes, fi_addr_t address, Buffer* buffer);
    bool connect_first(int lane, fi_addr_t address, const std::byte* data, size_t bytes,
                       Buffer* buffer, ssize_t* posted);
    /// Asks the targets of puts that nothing follows to answer, with the domain's lock held.
    void prove();

    Ofi* owner_ = nullptr;
    int index_ = 0;
    int next_inlet_ = 0;
    int looked_ = 0;  ///< messages' looks that need not look at completions: others do
    std::unique_ptr<bool[]> is_connected_;  ///< as addresses
    std::unique_ptr<Buffer[]> buffers_;
    std::unique_ptr<Work[]> works_;
    fid_mr* buffers_mr_ = nullptr;
    // Guarded by the domain's lock.
    Work* free_buffers_ = nullptr;
    Work* free_works_ = nullptr;
    Work* finished_ = nullptr;
    std::vector<int> unproved_;            ///< targets of puts that nothing follows
    std::unique_ptr<bool[]> is_unproved_;  ///< by EC
    uint32_t puts_since_flush_ = 0;        ///< of those whose end only a flush tells
    bool expects_flush_ = false;           ///< after the next one, as after the last
    uint64_t scratch_ = 0;                 ///< what is read to prove
    std::atomic<uint32_t> under_way_ = 0;  ///< operations whose end is still to be told
    std::atomic<uint32_t> finished_count_ = 0;
    std::atomic<uint32_t> polls_ = 0;
  };

  static Capabilities describe(const Shape& shape, const Transport* const* inner);
  static uccs_status_t open(const OpenParameters& parameters, Ofi** instance_out);
  void close();
  size_t address(void* buffer, size_t capacity);
  uccs_status_t connect(const Peer& peer);
  uccs_status_t register_memory(void* base, size_t bytes, uint64_t* key_out);
  void release_memory(uint64_t key);
  uccs_status_t open_channel(int index, Channel** channel_out);
  void release(void* token);
  std::atomic<uint32_t>* arm(int lane, bool is_waiting);

 private:
  ~Ofi();
  bool start_inlets();
  bool start_engine();
  static void* run_engine(void* self);
  struct Turn {
    uint32_t polls;  ///< of all channels
    uint64_t ns;
  };
  bool is_attended(Turn* last) const;
  void engine_turn(Turn* last);

  // open.cpp
  PeerState& state_of(int ec);
  /// The EC with its address known; nullptr when it cannot be had. May wait for the launcher.
  PeerState* reach(int ec);
  bool read_address(PeerState& peer, const std::byte* bytes, size_t length);
  /// The provider's address of the peer's inlet; with the domain's lock held.
  fi_addr_t address_of(Outlet& outlet, const PeerState& peer, int ec, int lane);

  // message.cpp
  bool take_credit(PeerState& peer, int lane, int kind);
  uccs_status_t message_to_self(Envelope envelope, const void* head, size_t head_bytes,
                                const Payload* payload);
  Node* take_node(Inlet& inlet, bool is_full);
  void give_back(Node* node);
  void post_receives(Inlet& inlet);
  /// Returns how many messages it has put into the inboxes.
  int poll_inlet(Inlet& inlet);
  int take_in(Inlet& inlet, Node* node, size_t length);
  int take_in_order(Inlet& inlet, Node* node);
  void push(Inlet& inlet, Node* node);
  int deliver(Inlet& inlet, Traffic traffic, int budget, const Sink& sink);
  void owe(int ec, int lane, int kind);
  void return_credits(int ec, int lane);
  void return_all_credits();
  void ring();

  int me_ = 0;
  int num_ecs_ = 1;
  Shape shape_;
  uint64_t cookie_ = 0;
  int credits_plain_ = 0, credits_payload_ = 0;
  size_t (*find_address_)(void*, int, void*, size_t) = nullptr;
  void* user_ = nullptr;
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<Inlet[]> inlets_;
  std::unique_ptr<Channel[]> channels_;
  std::unique_ptr<std::atomic<PeerState*>[]> peers_;
  std::mutex peers_lock_;               // guards making PeerStates and reading addresses
  std::mutex ports_lock_;               // guards the fabric's lists and open_channels_
  std::atomic<int> open_channels_ = 0;  ///< channels_[index] with is_open, highest + 1
  std::atomic<int> owing_ = 0;          ///< credits that could not be returned at once
  alignas(64) std::atomic<uint32_t> doorbell_ = 0;
  std::atomic<int> sleepers_ = 0;
  std::atomic<bool> is_ending_ = false;
  int wake_fd_ = -1;
  pthread_t engine_ = {};
  bool has_engine_ = false;
};

}  // namespace uccs::net::ofi
