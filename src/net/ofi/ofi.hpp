// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <deque>
#include <memory>
#include <mutex>
#include <vector>

#include "base/sparse.hpp"
#include "net/ofi/fabric.hpp"
#include "net/ofi/finished.hpp"
#include "net/ofi/wire.hpp"
#include "net/parts/engine.hpp"
#include "net/parts/exchange.hpp"
#include "net/parts/habit.hpp"
#include "net/parts/mail.hpp"
#include "net/parts/peers.hpp"
#include "net/parts/proofs.hpp"
#include "net/parts/silence.hpp"
#include "net/transport.hpp"

namespace uccs::net::ofi {

class Ofi;
struct Inlet;

/// What a completion of the provider's belongs to. First member: the provider's own scratch.
struct Tracked {
  enum class Kind : uint8_t {
    kReceived,  ///< Node: a message has arrived
    kBatch,     ///< Landing: a batch has arrived
    kControl,   ///< Node: a credit has left
    kMessage,   ///< Buffer or Carrier: a message has left
    kPiece,     ///< Work: a part of a put or get has left or come, not its last
    kTransfer,  ///< Work or Buffer: a put or get is complete
  };
  fi_context2 context;
  Kind kind;
};

/// An operation under way on a channel.
struct Work : Tracked, Pending {
  Work** home = nullptr;        ///< the list that it goes back to
  fid_mr* temporary = nullptr;  ///< registration of the local side, closed when it is complete
  uint64_t posted_ns = 0;  ///< by Ofi::silence_, 0: not under way; guarded by the domain's lock
  uint64_t bytes = 0;
  int ec = 0;                  ///< target
  bool is_asked = false;       ///< waits for a Result
  uint64_t* result = nullptr;  ///< for what it brings; may be nullptr
  Proof proof;                 ///< of puts without completion that its end tells of
};
/// One that carries its bytes.
template <size_t kBytes>
struct Carrying : Work {
  void* descriptor = nullptr;  ///< what a provider that wants it registered calls its memory
  alignas(8) std::byte data[kBytes];
};
using Buffer = Carrying<kMessageMax>;
using Carrier = Carrying<kBatchMax>;

/// What is still to be posted of a put or get that goes in pieces.
struct Rest {
  Work* work;  ///< for the last of them
  bool is_put;
  std::byte* local;
  uint64_t there, key;
  size_t bytes;
};
/// Pieces under way per channel: what is short does not have to wait for more.
constexpr int kPiecesMax = 16;

constexpr size_t kBuffers = 64;  ///< per channel
constexpr size_t kCarriers = 8;  ///< per channel that sends batches
constexpr size_t kWorks = 256;
/// Exchanges under way per channel: the target has room for them without credits.
constexpr uint32_t kAskedMax = 64;

/// In front of every Node.
static_assert(sizeof(Tracked) % 8 == 0);
inline Tracked* tracked_of(Node* node) {
  return reinterpret_cast<Tracked*>(reinterpret_cast<std::byte*>(node) - sizeof(Tracked));
}
inline Node* node_of(Tracked* tracked) { return reinterpret_cast<Node*>(tracked + 1); }

/// A place for a batch that comes.
struct Landing : Tracked {
  Landing* next;
  size_t length;  ///< of what has come
  alignas(8) std::byte data[kBatchMax];
};
constexpr int kReceives = 32;    ///< posted per inlet
constexpr size_t kLandings = 4;  ///< per inlet: a connection whose batch finds none waits

/// Where messages for one lane, and other ECs' puts and gets, come in.
struct alignas(64) Inlet {
  Port* port = nullptr;
  int lane = 0;
  std::unique_ptr<Landing[]> landings;
  void* landings_descriptor = nullptr;
  // Guarded by the domain's lock.
  bool is_shared = false;      ///< the channel of its number sends from it
  int to_post = 0;             ///< receives
  Landing* to_land = nullptr;  ///< those whose receive is to be posted
  // What is to be done without the lock: questions, oldest first, and batches.
  Node* asked = nullptr;
  Node** asked_end = &asked;
  Landing* landed = nullptr;
  // Answers that could not leave, oldest first.
  Node* owed = nullptr;
  Node** owed_end = &owed;
};

/// What is known of another EC.
struct ChunkKeys {
  std::atomic<bool> is_known[kChunksMax] = {};
  std::atomic<bool> is_asked[kChunksMax] = {};
  Key keys[kChunksMax] = {};
};
struct PeerLane {
  ~PeerLane() { delete chunks.load(std::memory_order_relaxed); }
  Key heap = {}, statics = {};               ///< the first chunk, and the globals
  std::atomic<ChunkKeys*> chunks = nullptr;  ///< the others, made when the first is asked for
  char name[kNameMax] = {};
};
struct PeerState : PeerBase {
  int lanes = 1;  ///< inlets over there that this EC has, too
  uint64_t cookie = 0;
  uint64_t heap_bytes = 0, static_bytes = 0;
  std::unique_ptr<PeerLane[]> by_lane;
  Trouble trouble;
};

/// libfabric: reliable datagram endpoints. Each lane has an inlet, from which the channel of its
/// number sends as well, so that one connection takes what goes both ways; other channels have
/// outlets. All have domains of their own, so that threads share nothing. Puts and gets are the
/// provider's; messages are sends, with credits so that memory is bounded. The engine sees to it
/// that ECs which compute hold up nobody (engine.cpp).
class Ofi {
 public:
  class alignas(64) Channel {
   public:
    uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes, Completion*);
    uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes, Completion*);
    uccs_status_t batch(int ec, std::byte** batch, size_t bytes, Completion*);
    uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                         uint64_t* result_out, Completion*);
    uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                          const Payload* payload);
    uccs_status_t flush(int ec, Flush* flush);
    int progress(int lane, uint32_t traffic, int budget, const Sink& sink);
    bool await(const Flag& flag, int looks);

   private:
    friend class Ofi;
    /// Calls `look` for every Work of the channel; with the domain's lock held.
    template <typename Look>
    void visit(const Look& look);
    bool start(Ofi* owner, int index);
    /// Of a pool, nullptr: all are under way.
    static Work* take(Work*& pool);
    Work* take_work() { return take(free_works_); }
    Buffer* take_buffer() { return static_cast<Buffer*>(take(free_buffers_)); }
    static void give_back(Work* work);
    template <typename T>
    std::unique_ptr<T[]> make_pool(Port* of, size_t count, Work*& pool);
    /// `work` is nullptr for what was injected.
    uccs_status_t finish_post(ssize_t posted, Work* work, PeerState& peer, int ec, size_t bytes);
    void* describe_local(const void* memory, size_t bytes, Work* work);
    uccs_status_t transfer(bool is_put, int ec, const Remote& remote, void* local, size_t bytes,
                           Completion* completion);
    ssize_t write(const void* source, void* descriptor, fi_addr_t address, const fi_rma_iov& target,
                  Work* work);
    /// `when`: FI_INJECT_COMPLETE, ...: when it is told that this is over.
    ssize_t write_until(uint64_t when, const void* source, void* descriptor, fi_addr_t address,
                        const fi_rma_iov& target, Work* work);
    void post_rests();
    ssize_t post_piece(const Rest& rest, size_t bytes, Work* work);
    /// Of a put or get: told by `complete_finished`.
    void end(Work* work, int error);
    /// Reads the completion queue; with the domain's lock held. Of an inlet's, `poll_inlet` has to
    /// follow: questions wait for it.
    int poll();
    void take(Work* work, int error);
    int complete_finished();
    /// Without a buffer: `data` is free on return, and nothing tells when it has left.
    ssize_t send(const std::byte* data, size_t bytes, fi_addr_t address, Buffer* buffer);
    ssize_t connect_first(PeerState& peer, int lane, fi_addr_t address, const std::byte* data,
                          size_t bytes, Buffer* buffer);
    // chunks.cpp
    bool find_key(PeerState& peer, int ec, int lane, const Remote& remote, Key* key_out);
    void ask_for_chunk(PeerState& peer, int ec, int lane, int chunk);
    // exchange.cpp
    uccs_status_t ask(PeerState& peer, int ec, const Remote& target,
                      const AtomicArguments& arguments, uint64_t* result_out, Completion*);
    Work* take_to_ask(uint64_t* result_out, Completion* completion);
    uint32_t ticket_of(const Work* work) const;
    Header question_header(const PeerState& peer, MessageKind kind, size_t bytes) const;
    uccs_status_t finish_ask(ssize_t posted, Work* work, Work* carrier, PeerState& peer, int ec,
                             size_t bytes);
    bool end_asked(const Result& result, int source);
    // batch.cpp
    Carrier* take_carrier();
    // flush.cpp
    uccs_status_t put_unproved(PeerState& peer, int ec, const void* source, size_t bytes,
                               fi_addr_t address, uint64_t there, uint64_t key, bool is_flag);
    /// Asks the targets of puts that nothing follows to answer; with the domain's lock held.
    void prove();
    bool is_proved(uint64_t flush);
    bool is_attended(int lane);
    void look_at_foreign(int lane, uint32_t turn);
    uint32_t note_polls(int more);
    /// Is anything under way but exchanges whose answers have not come?
    bool has_unsent() const {
      return under_way_.load(std::memory_order_acquire) > asked_.load(std::memory_order_acquire);
    }

    Ofi* owner_ = nullptr;
    Port* port_ = nullptr;
    Inlet* inlet_ = nullptr;  ///< that the port belongs to, nullptr: to the channel alone
    int index_ = 0;
    std::atomic<int> looked_ = 0;  ///< looks for messages that need not look for completions
    base::SparseArray<bool> is_connected_;  ///< as addresses
    std::unique_ptr<Buffer[]> buffers_;
    std::unique_ptr<Work[]> works_;
    // Guarded by the domain's lock.
    std::unique_ptr<Carrier[]> carriers_;  ///< made for the first batch
    Work* free_carriers_ = nullptr;
    Work* free_buffers_ = nullptr;
    Work* free_works_ = nullptr;
    std::deque<Rest> rests_;  ///< oldest first
    int pieces_ = 0;          ///< under way, the last ones aside
    Finished finished_;
    std::vector<int> to_prove_;          ///< targets of puts that nothing follows
    base::SparseArray<Proof> unproved_;  ///< these puts, by EC
    PutHabit habit_;
    Proofs proofs_;
    uint64_t scratch_ = 0;                 ///< what is read to prove
    std::atomic<uint32_t> under_way_ = 0;  ///< operations whose end is still to be told
    std::atomic<uint32_t> asked_ = 0;      ///< of these exchanges that wait for their answer
    std::atomic<int> lane_ = 0;            ///< where the thread looks for messages
    std::atomic<uint32_t> polls_ = 0;
    std::atomic<uint32_t> home_turn_ = 0;  ///< the last of those at the inlet of its own
    std::atomic<uint32_t> turns_seen_[kLanesMax] = {};  ///< the same of others, when last asked
    std::atomic<uint32_t> long_posts_ = 0;
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
  // engine.cpp
  Engine::Counts count(const Engine::Share& share);
  void collect(Engine::Watch& watch);
  int look(const Engine::Look& look);

  // watch.cpp
  bool is_watching() const { return peers_.can_lose() && !is_closing(); }
  void tick();
  int find_overdue();
  void judge_peers();
  void probe_peers();

  // open.cpp
  size_t table_size() const {
    return static_cast<size_t>(num_ecs_) * static_cast<size_t>(shape_.lanes);
  }
  bool read_address(PeerState& peer, const std::byte* bytes, size_t length);
  /// The provider's address of the peer's inlet; with the domain's lock held.
  fi_addr_t address_of(Port& port, const PeerState& peer, int ec, int lane);

  // send.cpp
  /// From memory that is kept until the completion, which tells that it is free: that it has been
  /// delivered, which the endpoint's attributes ask of puts, would cost a message back. No flag
  /// says so: cxi refuses those that it does not know.
  static ssize_t send_from(const Port& port, const void* data, size_t bytes, void* descriptor,
                           fi_addr_t address, Tracked* tracked);
  // receive.cpp
  void* describe_nodes(int lane, std::byte* memory, size_t bytes);
  void post_receives(Inlet& inlet);
  /// Returns how many messages it has put into the inboxes: see Mail::take_in.
  /// Operations that ended are told by `looker`; those of other channels are rung for. `messages`:
  /// counts what came and went.
  int poll_inlet(Inlet& inlet, const Channel* looker = nullptr, int* messages = nullptr);
  struct Seen {  ///< by a look at a queue
    int entries = 0;
    int pushed = 0;  ///< messages, into inboxes
    int ended = 0;   ///< operations of the channel's
  };
  /// With the domain's lock held; one of the two may be nullptr.
  Seen read(Port& port, Inlet* inlet, Channel* channel);
  void take(Inlet* inlet, Channel* channel, const fi_cq_err_entry& entry, Seen* seen);
  void defer(Inlet& inlet, Node* node, size_t length);
  // chunks.cpp
  static ChunkKeys& chunk_keys(PeerLane& lane);
  bool answer_chunk(Inlet& inlet, ChunkBody* body);
  void take_key(int source, const ChunkBody& body);
  // exchange.cpp
  Areas areas() const { return {fabric_->heap(), fabric_->statics()}; }
  bool is_closing() const { return is_closing_.load(std::memory_order_relaxed); }
  struct Reply {
    MessageKind kind;
    uint64_t cookie;  ///< of whom it is for
    const void* body;
    size_t bytes;
  };
  /// Does what is asked for, and takes results. Returns the channel whose operation has ended.
  const Channel* take_asked(Inlet& inlet, Node* node);
  void answer(Inlet& inlet, Node* node);
  void send_reply(Inlet& inlet, Node* node, const Header& asked_by, const Reply& reply);
  bool is_of_job(const Header& header) const;
  static void note_dropped(size_t length);
  const Channel* take_result(int source, const Result& result);
  // batch.cpp
  bool start_landings(Inlet& inlet);
  void post_landings(Inlet& inlet);
  void take_batch(Inlet& inlet, Landing* landing);
  /// With the domain's lock held; false: not now.
  bool send_answer(Inlet& inlet, Node* node);
  void send_owed(Inlet& inlet);
  bool send_credits(int ec, int lane, const Returned& returned);

  int me_ = 0;
  int num_ecs_ = 1;
  Shape shape_;
  bool may_differ_in_lanes_ = false;
  std::unique_ptr<Fabric> fabric_;
  std::unique_ptr<Inlet[]> inlets_;
  std::unique_ptr<Channel[]> channels_;
  Peers<PeerState> peers_;
  std::mutex ports_lock_;               // guards the fabric's lists and open_channels_
  std::atomic<int> open_channels_ = 0;  ///< channels_[index] with is_open, highest + 1
  FlushCount flushes_;
  Mail mail_;
  Engine engine_;
  std::atomic<bool> is_closing_ = false;
  Silence silence_;
  bool (*is_crowded_)() = nullptr;
  void (*apply_batch_)(void* user, int ec, const std::byte* batch, size_t bytes) = nullptr;
  void* user_ = nullptr;
};

}  // namespace uccs::net::ofi
