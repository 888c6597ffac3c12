// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "base/atomic_op.hpp"
#include "uccs/status.h"

/// The contract between core and what moves bytes. docs/net.md tells it as a story,
/// docs/add-a-transport.md how to write one. A transport is a class that fits the concept
/// `TransportClass`; `make_transport` (transport_class.hpp) turns it into one table of functions
/// without null slots.
namespace uccs::net {

struct Instance;  ///< one transport opened by one context
struct Channel;   ///< one injection path of an instance
struct Transport;

/// Credit classes. Each has inbox space of its own, so that one that is full never holds up
/// another.
enum class Traffic : uint8_t {
  kReply = 0,    ///< always consumable: handling one needs nothing that can be exhausted
  kRequest = 1,  ///< handling one may send one reply
  kSend = 2      ///< two-sided messages, delivered in order per source and lane
};
constexpr int kTrafficClasses = 3;
constexpr uint32_t kAllTraffic = 7;
constexpr uint32_t traffic_bit(Traffic traffic) { return 1u << static_cast<int>(traffic); }

/// Remote memory: every EC has one heap and one static area; the rest was registered by its owner.
enum class Area : uint8_t { kHeap, kStatic, kRegistered };
struct Remote {
  Area area;
  uint64_t offset;  ///< from the start of the area; kRegistered: the owner's address
  uint64_t key;     ///< kRegistered: what register_memory gave the owner
  /// A put without completion that only its reader over there waits for: no flush has to.
  bool is_flag = false;
};

/// Networks register the heap in chunks, each when it is first used: one of 16 MiB, then each as
/// long as all before it. A put or get that reaches into two answers UCCS_ERR_UNSUPPORTED.
constexpr uint64_t kFirstChunk = 16 << 20;
constexpr int kChunksMax = 26;  ///< of a heap of 512 TiB
constexpr int chunk_of(uint64_t offset) { return std::bit_width(offset / kFirstChunk); }
constexpr uint64_t chunk_begin(int chunk) { return chunk == 0 ? 0 : kFirstChunk << (chunk - 1); }
constexpr uint64_t chunk_end(int chunk) { return kFirstChunk << chunk; }
/// How many of the bytes are in one.
constexpr uint64_t bytes_in_chunk(const Remote& at, uint64_t bytes) {
  if (at.area != Area::kHeap) return bytes;
  const uint64_t left = chunk_end(chunk_of(at.offset)) - at.offset;
  return bytes < left ? bytes : left;
}

struct AtomicArguments {
  base::AtomicOp op;
  base::AtomicType type;
  uint64_t operand;   ///< in the low bytes
  uint64_t expected;  ///< kCompareSwap
};

/// How many inboxes and injection paths an instance is to have.
struct Shape {
  int lanes = 1;
  int channels = 1;
};

struct Capabilities {
  const char* description;
  bool has_put_get;      ///< on heap and static areas; kRegistered may answer UNSUPPORTED
  bool has_atomics;      ///< likewise
  bool is_same_node;     ///< reaches only peers whose memory is mapped
  bool short_is_shared;  ///< a message without payload may be posted without owning the channel
  uint32_t head_max;     ///< bytes of head in a message without payload
  uint32_t head_with_payload_max;
  uint32_t medium_max;  ///< bytes of payload
  size_t inject_max;    ///< a put of up to this many bytes leaves its source before it returns
  size_t inbox_bytes;   ///< memory shared with the node that `open` wants
  /// A put of up to inject_max bytes may come without completion: UCCS_OK then says that its source
  /// is free, and `flush` of any channel when it is visible.
  bool has_flushed_puts = false;
  size_t batch_bytes = 0;  ///< longest batch; 0: none
};

struct Extent {
  std::byte* base = nullptr;
  size_t bytes = 0;
};

struct OpenParameters {
  int me = 0;
  int num_ecs = 1;
  Shape shape;
  /// Networks: ECs may have different numbers of lanes. A message to one that the target has not,
  /// or this EC, goes to another.
  bool may_differ_in_lanes = false;
  /// describe().inbox_bytes of memory that ECs of the node map, 64-byte aligned; zero, or as a
  /// closed instance of the same shape left it.
  std::byte* inbox = nullptr;
  Extent heap;  ///< this EC's areas
  Extent statics;
  const char* provider = nullptr;  ///< networks: the library's name of it, nullptr: the best
  bool is_one_host = false;        ///< networks: all ECs run on one machine
  bool has_spare_cpus = false;     ///< networks: the node has more CPUs than ECs
  /// Networks: writes what `address` gave on EC `ec`, when that has published it; returns its
  /// length, 0 if it cannot be had. Any thread; may wait for the launcher.
  size_t (*find_address)(void* user, int ec, void* buffer, size_t capacity) = nullptr;
  /// Networks: does what a batch of EC `ec` says. Any thread, with the channel's lock held: takes
  /// none and posts nothing.
  void (*apply_batch)(void* user, int ec, const std::byte* batch, size_t bytes) = nullptr;
  /// Networks: EC `ec` cannot be reached any more; `what` says how that shows. Ends the job, unless
  /// it ends anyway. Any thread, with no lock held.
  void (*peer_lost)(void* user, int ec, const char* what) = nullptr;
  void* user = nullptr;  ///< for the three of them
  /// Networks: others wait for the CPU of the calling thread, as far as it knows.
  bool (*is_crowded)() = [] { return false; };
  /// For decorators: the table to wrap, and what it is to wrap in turn.
  const Transport* const* inner = nullptr;
};

/// What an instance is told about an EC, itself included, before it may talk to it.
struct Peer {
  int ec = 0;
  std::byte* inbox = nullptr;  ///< where its inbox, heap and statics are mapped; nullptr: not
  std::byte* heap = nullptr;
  std::byte* statics = nullptr;
  const void* address = nullptr;  ///< what `address` wrote over there; none: ask find_address
  size_t address_bytes = 0;
};

/// What follows a put: done to `target` when the bytes are there.
struct Signal {
  Remote target;
  AtomicArguments arguments;
};

/// Called inside `progress` of the channel that the operation was posted on, by any thread. Takes
/// no lock and posts nothing.
struct Completion {
  void (*done)(Completion* self, uccs_status_t status) = nullptr;
};

/// A word that other ECs write numbers into that only grow.
struct Flag {
  const std::atomic<uint64_t>* word = nullptr;  ///< nullptr: none
  uint64_t least = 0;

  /// Acquire: what was visible before it was written is seen.
  bool is_set() const { return word && word->load(std::memory_order_acquire) >= least; }
};

/// A flush of the caller's: begun by the first call that names it, and looked at by others.
struct Flush {
  uint64_t number = 0;              ///< the transport's; 0: has not begun
  bool leaves_completions = false;  ///< those are somebody else's to wait for
};

/// What travels with every message, in one register. Transports look at traffic and lane; kind and
/// id are core's.
///
///     bits 0-7    8-12  16-23  32-39  56-63
///          traffic kind  id     lane   source lane
class Envelope {
 public:
  Envelope() = default;
  constexpr Envelope(Traffic traffic, int lane, int source_lane, int kind, int id)
      : bits_(static_cast<uint64_t>(traffic) | static_cast<uint64_t>(kind) << 8 |
              static_cast<uint64_t>(id) << 16 | static_cast<uint64_t>(lane) << 32 |
              static_cast<uint64_t>(source_lane) << 56) {}

  constexpr Traffic traffic() const { return static_cast<Traffic>(bits_ & 255); }
  constexpr int kind() const { return static_cast<int>(bits_ >> 8 & 31); }
  constexpr int id() const { return static_cast<int>(bits_ >> 16 & 255); }
  constexpr int lane() const { return static_cast<int>(bits_ >> 32 & 255); }  ///< of the target
  constexpr int source_lane() const { return static_cast<int>(bits_ >> 56); }

  /// What is the same on both sides: kind, id and source lane, where they are.
  static constexpr uint64_t kCarriedBits = 0xff00000000ff1f00;
  constexpr uint64_t carried() const { return bits_ & kCarriedBits; }
  static constexpr Envelope arrived(uint64_t carried, Traffic traffic, int lane) {
    Envelope envelope(traffic, lane, 0, 0, 0);
    envelope.bits_ |= carried & kCarriedBits;
    return envelope;
  }
  /// To another lane of the target.
  constexpr Envelope to(int other) const {
    Envelope envelope = *this;
    envelope.bits_ = (bits_ & ~(uint64_t{255} << 32)) | static_cast<uint64_t>(other) << 32;
    return envelope;
  }

 private:
  uint64_t bits_;
};

struct Piece {
  const void* base;
  size_t bytes;
};
/// Bytes that do not fit the head; packed in order.
struct Payload {
  const Piece* pieces;
  size_t count;
  size_t bytes;  ///< sum of the pieces, at most medium_max
};

/// Bytes that may be read at Arrival::head whatever head_bytes says, so that it can be copied
/// blindly.
constexpr size_t kHeadReadable = 56;

struct Arrival {
  Envelope envelope;
  int source;
  uint32_t head_bytes;
  uint32_t payload_bytes;
  const std::byte* head;     ///< valid during `arrive` only
  const std::byte* payload;  ///< 8-byte aligned; with a token: until it is released, else as head
                             ///< and within its kHeadReadable bytes
  void* token;               ///< not null: `release` it when the payload has been read
};

/// Who takes messages. Called with the inbox locked: one thread at a time per lane and traffic.
struct Sink {
  /// True: taken. False: stays in the inbox, and so does what is behind it; ask again later.
  bool (*arrive)(void* user, const Arrival& arrival);
  void* user;
};

/// One function per operation. `uccs_status_t` results, unless an operation says otherwise:
///   UCCS_OK            done
///   UCCS_IN_PROGRESS   started; the completion will be called (put, get, atomic)
///   UCCS_AGAIN         nothing happened: make progress and retry
///   UCCS_ERR_UNSUPPORTED  nothing happened: do it over messages
///   UCCS_ERR_PEER_FAILED, UCCS_ERR_ADDRESS  nothing happened
/// A channel is used by one thread at a time, but for `progress` and, with short_is_shared,
/// messages without payload. All other operations are thread safe.
struct Transport {
  static constexpr int kMemory = -1;  ///< see arm; networks only
  const char* name;

  /// What an instance of this shape can do. At any time.
  Capabilities (*describe)(const Shape& shape, const Transport* const* inner);
  /// Local; waits for nobody.
  uccs_status_t (*open)(const OpenParameters& parameters, Instance** instance_out);
  /// No operation is under way, and nobody sends any more.
  void (*close)(Instance* instance);
  /// Bytes that other ECs need to connect, 0 when mapping the inbox is enough; at most `capacity`.
  size_t (*address)(Instance* instance, void* buffer, size_t capacity);
  /// Makes an EC reachable; UCCS_ERR_UNSUPPORTED when it is not by this transport. Once per EC.
  uccs_status_t (*connect)(Instance* instance, const Peer& peer);
  /// Makes private memory reachable for peers that learn `*key_out`.
  uccs_status_t (*register_memory)(Instance* instance, void* base, size_t bytes, uint64_t* key_out);
  void (*release_memory)(Instance* instance, uint64_t key);
  /// Injection path number `index` (0..shape.channels-1); closed with the instance.
  uccs_status_t (*open_channel)(Instance* instance, int index, Channel** channel_out);

  /// Complete: visible at the target. The same completion may stand for several operations and is
  /// called once for each that answered UCCS_IN_PROGRESS. nullptr: see has_flushed_puts.
  uccs_status_t (*put)(Channel* channel, int ec, const Remote& dest, const void* source,
                       size_t bytes, Completion* completion);
  uccs_status_t (*get)(Channel* channel, int ec, const Remote& source, void* dest, size_t bytes,
                       Completion* completion);
  /// A put and what follows it, complete when both are. UCCS_ERR_UNSUPPORTED: do one after the
  /// other.
  uccs_status_t (*put_signal)(Channel* channel, int ec, const Remote& dest, const void* source,
                              size_t bytes, const Signal& signal, Completion* completion);
  /// Operations without result in one message, in terms that the transport does not know: complete
  /// when the target has applied them. `*batch`: a buffer of batch_bytes from `new std::byte[]`,
  /// of which `bytes` count. It is the caller's again at once, or the transport has put another one
  /// there. With batch_bytes only.
  uccs_status_t (*batch)(Channel* channel, int ec, std::byte** batch, size_t bytes,
                         Completion* completion);
  /// `result_out` receives the old value in its low bytes, may be nullptr.
  uccs_status_t (*atomic)(Channel* channel, int ec, const Remote& target,
                          const AtomicArguments& arguments, uint64_t* result_out,
                          Completion* completion);
  /// Head and payload are copied: UCCS_OK or UCCS_AGAIN. `payload` may be nullptr.
  uccs_status_t (*message)(Channel* channel, int ec, Envelope envelope, const void* head,
                           size_t head_bytes, const Payload* payload);
  /// Gives back the payload of an arrival.
  void (*release)(Instance* instance, void* token);
  /// UCCS_OK when all that was posted on the channel to `ec` (-1: to all), and without completion
  /// on any channel, before the first call for `flush` is visible there, else UCCS_IN_PROGRESS.
  /// With `leaves_completions` only what was posted without.
  uccs_status_t (*flush)(Channel* channel, int ec, Flush* flush);
  /// Completions of the channel, then at most `budget` messages for `lane` of the classes in
  /// `traffic`. Returns how many of both.
  int (*progress)(Channel* channel, int lane, uint32_t traffic, int budget, const Sink& sink);
  /// For who waits for nothing but what comes by the channel itself, such as answers, or `flag`:
  /// looks there until something has come, at most `looks` times. True: something has. Of what
  /// others write into memory only the flag tells; messages wait for `progress`.
  bool (*await)(Channel* channel, const Flag& flag, int looks);
  /// Announces (or withdraws) that a thread is about to sleep until a message arrives at `lane` or
  /// an operation ends; kMemory: until anything may have happened to the memory here, too.
  /// Returns the word that changes and wakes (base::Backoff::pause_on), nullptr if there is none.
  /// After announcing, look once more before sleeping. Wake-ups may be missed: sleeps stay bounded.
  std::atomic<uint32_t>* (*arm)(Instance* instance, int lane, bool is_waiting);
};

}  // namespace uccs::net
