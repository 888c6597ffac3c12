// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "net/transport.hpp"

/// One opened transport (with or without decorators) in an SPMD program, and what the cases share.
namespace conformance {

using namespace uccs;
using namespace uccs::net;

#define CHECK(condition)                                                                       \
  do {                                                                                         \
    if (!(condition)) {                                                                        \
      std::fprintf(stderr, "%s, EC %d of %d: %s:%d: %s does not hold\n", fixture.name.c_str(), \
                   fixture.me, fixture.size, __FILE__, __LINE__, #condition);                  \
      std::exit(1);                                                                            \
    }                                                                                          \
  } while (0)

constexpr size_t kHeapBytes = 256 * 1024;
constexpr size_t kStaticBytes = 4096;

struct Fixture {
  std::string name;
  int me = 0;
  int size = 1;
  Shape shape;
  const Transport* table = nullptr;
  Instance* instance = nullptr;
  std::vector<Channel*> channels;
  Capabilities can = {};
  std::byte* heap = nullptr;  ///< kHeapBytes for the case to use, at the same offset everywhere
  uint64_t heap_offset = 0;
  std::byte* statics = nullptr;
  uint64_t static_offset = 0;

  int next() const { return (me + 1) % size; }
  int previous() const { return (me + size - 1) % size; }
  Remote in_heap(uint64_t offset) const { return {Area::kHeap, heap_offset + offset, 0}; }
  Remote in_statics(uint64_t offset) const { return {Area::kStatic, static_offset + offset, 0}; }

  /// All ECs have arrived; looks after nothing in between.
  void barrier() const;
  /// `bytes` of everybody, in the order of ECs.
  std::vector<std::byte> gather(const void* mine, size_t bytes) const;
  /// Looks into the inbox of `lane`, with a sink that refuses everything.
  void nudge() const;
};

/// OpenParameters::apply_batch of all instances.
void apply_batch(void* user, int ec, const std::byte* batch, size_t bytes);

/// Opens `layers` (outermost first, the transport last) with `shape`; closes it again.
Fixture open(const std::vector<const Transport*>& layers, Shape shape);
void close(Fixture& fixture);

/// Posts until it is taken, making progress, and completes by calls of `look`.
template <typename Post, typename Look>
uccs_status_t complete(const Fixture& fixture, Post post, Look look) {
  struct Done : Completion {
    bool is_done = false;
    uccs_status_t status = UCCS_OK;
  } completion;
  completion.done = [](Completion* self, uccs_status_t status) {
    static_cast<Done*>(self)->is_done = true;
    static_cast<Done*>(self)->status = status;
  };
  uccs_status_t status;
  while ((status = post(&completion)) == UCCS_AGAIN) fixture.nudge();
  if (status != UCCS_IN_PROGRESS) return status;
  while (!completion.is_done) look();
  return completion.status;
}
/// The same, making progress all the time.
template <typename Post>
uccs_status_t complete(const Fixture& fixture, Post post) {
  return complete(fixture, post, [&] { fixture.nudge(); });
}

struct Message {
  int source, source_lane, lane, kind, id;
  Traffic traffic;
  std::string head, payload;
};

/// A sink that keeps everything, up to `limit` messages.
class Collector {
 public:
  explicit Collector(const Fixture& fixture, size_t limit = SIZE_MAX)
      : fixture_(fixture), limit_(limit) {}
  int poll(int lane, uint32_t traffic = kAllTraffic, int budget = 16, int channel = 0);
  std::vector<Message> messages;

 private:
  static bool arrive(void* self, const Arrival& arrival);
  const Fixture& fixture_;
  size_t limit_;
};

struct Case {
  const char* name;
  void (*run)(Fixture&);
};
extern const Case memory_cases[], message_cases[];

}  // namespace conformance
