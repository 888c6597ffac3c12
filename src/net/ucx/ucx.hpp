// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <memory>
#include <mutex>

#include "base/sparse.hpp"
#include "mem/copy.hpp"
#include "net/parts/engine.hpp"
#include "net/parts/exchange.hpp"
#include "net/parts/habit.hpp"
#include "net/parts/mail.hpp"
#include "net/parts/peers.hpp"
#include "net/parts/proofs.hpp"
#include "net/parts/silence.hpp"
#include "net/transport.hpp"
#include "net/ucx/address.hpp"
#include "net/ucx/library.hpp"
#include "net/ucx/link.hpp"

namespace uccs::net::ucx {

class Ucx;
struct Answer;
struct DeliveryBody;

constexpr size_t kBuffers = 64;  ///< per channel
constexpr size_t kOperations = 512;
/// Long ones are sent in pieces: that long, and nearly alike.
inline size_t piece_of(size_t bytes, const Library& library) {
  const size_t pieces = (bytes + library.piece_max() - 1) / library.piece_max();
  return (bytes + pieces - 1) / pieces;
}
/// From where UCX has received a piece to its place. That buffer is in the caches and is the next
/// one's, too; the place is not, and its lines would have to be read first: puts of a megabyte both
/// ways take a tenth less past the caches, of 256 KiB one way a fifth.
inline void bring(void* there, const void* data, size_t bytes) {
  constexpr size_t kPastCaches = 64 << 10;
  (bytes < kPastCaches ? mem::copy : mem::copy_nontemporal)(there, data, bytes);
}
/// How often at most who posts one of these looks, at 64 KiB at a time: what it posts comes from
/// others as well.
constexpr int kLooksPerLong = 8, kLooksPerBatch = 4;
constexpr unsigned kMessageId = 0;  ///< of UCX's active messages: there is one handler

/// A path of its own: a worker, and what it takes to follow its operations.
class alignas(64) Channel {
 public:
  uccs_status_t put(int ec, const Remote& dest, const void* source, size_t bytes, Completion*);
  uccs_status_t get(int ec, const Remote& source, void* dest, size_t bytes, Completion*);
  uccs_status_t put_signal(int ec, const Remote& dest, const void* source, size_t bytes,
                           const Signal& signal, Completion*);
  uccs_status_t batch(int ec, std::byte** batch, size_t bytes, Completion*);
  uccs_status_t atomic(int ec, const Remote& target, const AtomicArguments& arguments,
                       uint64_t* result_out, Completion*);
  uccs_status_t message(int ec, Envelope envelope, const void* head, size_t head_bytes,
                        const Payload* payload);
  uccs_status_t flush(int ec, Flush* flush);
  int progress(int lane, uint32_t traffic, int budget, const Sink& sink);
  bool await(const Flag& flag, int looks);

 private:
  friend class Ucx;
  /// `number`: of the inlet over there that it prefers.
  bool start(Ucx* owner, int number);
  void stop();

  // link.cpp; with the lock held
  Link* link_to(int ec, PeerState& peer, int worker);
  uccs_status_t status_of(Link& link, ucs_status_t status);
  /// False: not now.
  bool send_control(int ec, PeerState& peer, int lane, MessageKind kind, const void* body,
                    size_t body_bytes);
  static ucp_request_param_t message_parameters(uint32_t flags);
  ucs_status_ptr_t send_short(ucp_ep_h ep, std::byte* data, size_t bytes, ucp_dt_iov_t* piece,
                              ucp_request_param_t* parameters) const;
  uccs_status_t send(Link& link, Buffer* buffer, size_t bytes,
                     uint32_t flags = UCP_AM_SEND_FLAG_EAGER);
  bool take(const Header& header, const std::byte* front, size_t front_bytes, void* data,
            size_t data_bytes, const ucp_am_recv_param_t* parameters);

  // aim.cpp
  uccs_status_t prepare(int ec, const Remote& remote, size_t bytes, PeerState** peer_out,
                        uint64_t* address_out);
  // with the lock held
  uccs_status_t aim(int ec, PeerState& peer, Link** link_out);
  uccs_status_t aim_at(int ec, PeerState& peer, const Remote& remote, uint64_t there);
  void note_aim(Link& link, const Remote& remote, uint64_t there, ucp_rkey_h key);
  /// `aim_`, if it is of that memory: what `prepare` and `aim` would come to. Else nullptr.
  const Aim* aim_again(int ec, const Remote& remote, size_t bytes) const {
    const bool is_there = ec == aim_.ec && remote.area == aim_.area &&
                          remote.offset >= aim_.begin && remote.offset < aim_.end &&
                          bytes <= aim_.end - remote.offset;
    return is_there && aim_.link->error == UCS_OK ? &aim_ : nullptr;
  }
  /// The same with a key.
  const Aim* aim_at_again(int ec, const Remote& remote, size_t bytes) const {
    const Aim* again = aim_again(ec, remote, bytes);
    return again && again->key ? again : nullptr;
  }

  // operation.cpp: takes the lock
  uccs_status_t transfer(bool is_put, int ec, PeerState& peer, const Remote& remote, uint64_t there,
                         void* local, size_t bytes, Completion* completion);
  // with the lock held
  uccs_status_t transfer_to(const Aim& aim, bool is_put, const Remote& remote, void* local,
                            size_t bytes, Completion* completion);
  Operation* take_operation(Link& link, size_t bytes, Completion* completion);
  void give_back(Operation* operation);
  uccs_status_t post_over(Operation* operation, ucs_status_ptr_t posted);
  uccs_status_t go_on(Operation* operation);
  static void end_request(void* request, ucs_status_t status, void* operation);
  void end_one(Operation* operation, ucs_status_t status);

  // channel.cpp: takes the lock
  uccs_status_t put_by_message(int ec, PeerState& peer, const Remote& dest, uint64_t there,
                               const void* source, size_t bytes, Completion* completion);
  Channel& road_for(size_t bytes);
  bool is_idle(int ec);
  bool is_all_proved() const;
  bool prove_all(uint64_t flush);
  int look();
  void look_at_foreign(int own, uint32_t polls);
  void help(int looks);
  void help_on(Channel& road);
  uint32_t note_polls(int more);
  // with the lock held
  Buffer* take_buffer(Link& link);
  void give_back(Buffer* buffer);
  int poll();

  // flush.cpp; with the lock held
  void mark_dirty(Link& link);
  void start_flushes();
  void flush_link(Link& link);
  void flush_worker();
  void end_flush(Link& link, ucs_status_t status);
  void end_worker_flush(ucs_status_t status);
  void flush_again(Link& link);

  // atomic.cpp: takes the lock
  uccs_status_t fetch_op(int ec, PeerState& peer, const Remote& target, uint64_t there,
                         const AtomicArguments& arguments, uint64_t* result_out,
                         Completion* completion);
  // with the lock held
  uccs_status_t fetch_op_at(const Aim& aim, const Remote& target, const AtomicArguments& arguments,
                            uint64_t* result_out, Completion* completion);

  // exchange.cpp: takes the lock
  uccs_status_t exchange(int ec, PeerState& peer, const Remote& target,
                         const AtomicArguments& arguments, uint64_t* result_out,
                         Completion* completion);
  // with the lock held
  uccs_status_t ask(int ec, PeerState& peer, const Remote& target, const AtomicArguments& arguments,
                    uint64_t* result_out, Completion* completion);
  uccs_status_t ask_for_a_word(int ec, PeerState& peer, Completion* completion);
  bool take_exchange(const Header& header, const std::byte* body, ucp_ep_h asker);

  // chunks.cpp; with the lock held
  ucp_rkey_h key_of(Link& link, const Remote& remote, uccs_status_t* why_not);

  // delivery.cpp: takes the lock
  uccs_status_t deliver(int ec, PeerState& peer, const Remote& dest, const void* source,
                        size_t bytes, const Signal* signal, Completion* completion);
  // with the lock held
  uccs_status_t deliver_in_pieces(Operation* operation, const DeliveryBody& body,
                                  const Remote& dest, const std::byte* source);
  bool take_delivery(const Header& header, const std::byte* body, const void* data, size_t bytes,
                     const ucp_am_recv_param_t* parameters);

  // batch.cpp; with the lock held
  bool take_batch(const Header& header, const std::byte* body, const void* data, size_t bytes,
                  const ucp_am_recv_param_t* parameters);
  std::byte* take_batch_buffer();
  void give_back_batch(std::byte* batch);

  // fetch.cpp: takes the lock
  uccs_status_t fetch(int ec, PeerState& peer, const Remote& source, void* dest, size_t bytes,
                      Completion* completion);
  // with the lock held
  bool take_fetch(const Header& header, const std::byte* body, ucp_ep_h asker);
  bool take_fetched(const Header& header, const std::byte* body, const void* data, size_t bytes,
                    const ucp_am_recv_param_t* parameters);

  // answer.cpp; with the lock held
  uccs_status_t take_to_ask(int ec, PeerState& peer, size_t bytes, Completion* completion,
                            Operation** operation_out);
  size_t fill_question(const Operation* operation, MessageKind kind, const void* body,
                       size_t body_bytes);
  uccs_status_t send_with_data(Operation* operation, const void* data, size_t bytes);
  uccs_status_t send_question(Operation* operation, MessageKind kind, const void* body,
                              size_t body_bytes);
  Question question_of(const Operation* operation, const Remote& about) const;
  Answer* take_answer(ucp_ep_h asker, const Question& asked);
  void send_answer(Answer* answer, MessageKind kind, uint64_t value, const void* data = nullptr,
                   size_t data_bytes = 0);
  Operation* find_asked(const Header& header, const std::byte* body, uint64_t* value_out);
  void end_answered(Operation* operation);
  bool take_result(const Header& header, const std::byte* body);
  void end_asked(const Link& link, ucs_status_t status);
  void give_back(Answer* answer);
  void free_answers();
  void free_batches();

  // unasked.cpp
  bool may_go_unasked(const Remote& dest, size_t bytes) const;
  uccs_status_t put_unasked(int ec, PeerState& peer, const Remote& dest, uint64_t there,
                            const void* source, size_t bytes);
  bool is_proved(uint64_t flush);
  // with the lock held
  uccs_status_t put_unasked_to(Link& link, const Remote& dest, const void* source, size_t bytes);
  void prove();
  void note_asked(Operation* operation);
  bool take_put(const Header& header, const std::byte* body);

  // flush.cpp
  /// Waits until what was sent has left. Takes the lock.
  void drain(uint64_t deadline_ns);
  void wait(ucs_status_ptr_t request, uint64_t deadline_ns);

  static ucs_status_t on_message(void* self, const void* header, size_t header_bytes, void* data,
                                 size_t bytes, const ucp_am_recv_param_t* parameters);

  Ucx* owner_ = nullptr;
  int index_ = 0;
  /// For long operations where this channel is an inlet, made with the first one: what is short
  /// would queue behind them.
  std::atomic<Channel*> bulk_ = nullptr;
  std::atomic<bool> is_open_ = false;
  ucp_worker_h worker_ = nullptr;
  int fd_ = -1;
  bool is_armed_ = false;  ///< whatever comes from now on is told by fd_; for its engine thread
  base::SpinLock own_lock_;
  base::SpinLock* lock_ = &own_lock_;
  Aim aim_;                         ///< the last one
  base::SparseArray<Link*> links_;  ///< [ec * inlets_max + worker over there]
  std::unique_ptr<Buffer[]> buffers_;
  std::unique_ptr<Operation[]> operations_;
  Buffer* free_buffers_ = nullptr;
  Pending* free_operations_ = nullptr;
  Answer* free_answers_ = nullptr;
  std::byte* free_batches_ = nullptr;  ///< each begins with the next one's address
  Link* dirty_ = nullptr;
  int dirty_count_ = 0;
  Link* worker_flush_ = nullptr;  ///< links that it covers; nullptr: none is under way
  bool is_flushed_singly_ = false;
  Link* to_prove_ = nullptr;
  PutHabit habit_;
  Proofs proofs_;
  uint32_t ended_ = 0;          ///< operations, ever
  uint32_t messages_ = 0;       ///< short ones that came, ever
  uint32_t long_messages_ = 0;  ///< the others
  std::atomic<uint32_t> long_posts_ = 0;
  UnderWay under_way_;
  std::atomic<uint32_t> polls_ = 0;
  std::atomic<uint32_t> looks_ = 0;                     ///< by whichever thread but the engine's
  std::atomic<uint32_t> looks_seen_[kWorkersMax] = {};  ///< at inlets of others
};

/// UCX: one worker per channel, which is also the inlet of the lanes that have its number modulo
/// the number of inlets. Puts and gets are UCX's, messages its active messages, with credits so
/// that memory is bounded. Atomics are active messages, too. What the target's CPU has to do, over
/// tcp puts and gets as well, the engine's threads do, so that ECs which compute hold up nobody.
class Ucx {
 public:
  using Channel = ucx::Channel;

  static Capabilities describe(const Shape& shape, const Transport* const* inner);
  static uccs_status_t open(const OpenParameters& parameters, Ucx** instance_out);
  void close();
  size_t address(void* buffer, size_t capacity);
  uccs_status_t connect(const Peer& peer);
  uccs_status_t register_memory(void* base, size_t bytes, uint64_t* key_out);
  void release_memory(uint64_t key);
  uccs_status_t open_channel(int index, Channel** channel_out);
  void release(void* token) { mail_.release(token); }
  std::atomic<uint32_t>* arm(int lane, bool is_waiting) { return mail_.arm(lane, is_waiting); }

 private:
  friend class ucx::Channel;
  ~Ucx();
  bool start(const OpenParameters& parameters);
  bool start_inlets();
  ucx::Channel* open_bulk(int inlet);
  /// Of channels with a worker each: first those of the shape, then those for bulk.
  int workers_max() const { return shape_.channels + inlets_max_; }
  size_t write_address(void* buffer, size_t capacity, int inlets);

  Areas areas() const { return {heap_, statics_.memory}; }
  bool is_closing() const { return is_closing_.load(std::memory_order_relaxed); }

  // chunks.cpp
  const Mapped* map_chunk(int chunk);
  bool take_chunk(int source, const std::byte* body, size_t bytes);
  bool take_key(int source, const std::byte* body, size_t bytes);
  bool send_keys(int ec, PeerState& peer);

  // open.cpp
  bool read_address(PeerState& peer, const std::byte* bytes, size_t length) const;

  // engine.cpp
  Engine::Counts count(const Engine::Share& share);
  void collect(Engine::Watch& watch);
  int look(const Engine::Look& look);
  void take_control(int source, MessageKind kind);
  bool send_credits(int ec, int lane, const Returned& returned);
  /// What is due from time to time: greetings, and answers to farewells.
  void attend() {
    if (has_duties_.load(std::memory_order_relaxed)) attend_now();
  }
  void attend_now();
  bool send_owed(int ec, PeerState& peer, MessageKind kind, std::atomic<bool>& is_owed);
  struct Found {
    bool is_any = false;
    bool has_ended = false;  ///< operations
    int messages = 0;        ///< short ones
  };
  Found poll_those(const Engine::Look& look);
  void say_farewell(uint64_t deadline_ns);

  // watch.cpp
  /// A connection with the EC broke; and: an operation came to nothing by that.
  void note_failure(PeerState& peer, ucs_status_t status);
  uccs_status_t fail_operation(PeerState& peer, ucs_status_t status);
  bool is_watching() const { return peers_.can_lose() && !is_closing(); }
  void tick();
  int find_overdue();
  void probe_peers();
  void judge_peers();

  int me_ = 0;
  int num_ecs_ = 1;
  Shape shape_;
  bool may_differ_in_lanes_ = false;
  int inlets_max_ = 0;
  int inlets_ = 0;  ///< channels_[0..inlets_) have addresses
  bool is_one_host_ = false;
  Silence silence_;
  Library library_;
  Extent heap_;
  std::mutex chunks_lock_;  // guards chunks_
  Mapped chunks_[kChunksMax];
  Mapped statics_;
  Mail mail_;
  std::unique_ptr<Channel[]> channels_;  ///< [workers_max()]
  Peers<PeerState> peers_;
  std::mutex channels_lock_;     // guards opening them
  std::atomic<int> opened_ = 0;  ///< none behind these is open
  FlushCount flushes_;
  std::atomic<bool> has_duties_ = false;
  std::atomic<bool> is_closing_ = false;
  bool (*is_crowded_)() = nullptr;
  void (*apply_batch_)(void* user, int ec, const std::byte* batch, size_t bytes) = nullptr;
  void* user_ = nullptr;
  Engine engine_;
};

}  // namespace uccs::net::ucx
