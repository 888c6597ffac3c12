// SPDX-License-Identifier: BSD-3-Clause
/// The job: ECs 0 and 1 are the pair of processes with t threads each, ECs 2..t+1 and t+2..2t+1 the
/// pairs of processes. All is set up once, then bursts of one layout alternate with bursts of the
/// other, so that both see the same machine.
#include <fcntl.h>
#include <pthread.h>
#include <shmem.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <memory>
#include <new>

#include "board.hpp"
#include "comparison.hpp"
#include "job.hpp"
#include "parity.hpp"
#include "uccs/rte.h"
#include "worker.hpp"

namespace uccs::perf {
namespace {

constexpr size_t kRoom = 16384;  // of a worker in one place
/// Bursts of both layouts go through the same places in the same order, so that the luck of none
/// counts much. They differ within a page, too: a load is held up by an earlier store whose address
/// has the same low twelve bits, and what a thread keeps for itself lies at one place in a page for
/// started threads, at another for the first one.
constexpr size_t kPlaces = 8;
constexpr size_t kPlaceStep = 4096 / kPlaces;

uint64_t cpu_ns() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<uint64_t>(t.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(t.tv_nsec);
}

/// What the workers of one process share.
struct Process {
  Board* board = nullptr;
  Layout layout = Layout::kThreads;
  bool is_sender = false;
  bool is_bound = true;
  int threads = 1;
  uccs_context_t context = nullptr;  ///< of the layout
  Arrivals arrivals[kLanesMax];
};

struct Seat {
  Process* process = nullptr;
  Worker worker;
  int pair = 0;                                   ///< index of the pair in its layout
  std::byte *remote = nullptr, *local = nullptr;  ///< kPlaces rooms each
  shmem_ctx_t shmem_context = SHMEM_CTX_DEFAULT;
  pthread_t thread = {};
};

template <typename Window>
uint64_t repeat_until(uint64_t deadline_ns, Window window) {
  uint64_t count = 0;
  do {
    window();
    count += kWindow;
  } while (now_ns() < deadline_ns);
  return count;
}

/// The same calls for the default context and for a private one: only the argument differs.
template <typename Call>
void shmem_window(shmem_ctx_t context, Call call) {
  for (int i = 0; i < kWindow; ++i) call();
  shmem_ctx_quiet(context);
}

constexpr std::byte kData{0}, kLast{1};  // the first byte of a two-sided message

/// Windows of two-sided messages, each after the receiver has asked for it but the first; the last
/// says so.
uint64_t send_windows(Worker& worker, size_t bytes, uint64_t deadline_ns) {
  worker.local[0] = kData;
  const uint64_t count = repeat_until(deadline_ns, [&] {
    exchange(worker, bytes, kWindow, true, false);
    receive_token(worker);
  });
  worker.local[0] = kLast;
  exchange(worker, bytes, kWindow, true, false);
  return count + kWindow;
}

void receive_windows(Worker& worker, size_t bytes) {
  for (;;) {
    exchange(worker, bytes, kWindow, false, true);
    if (worker.remote[0] == kLast) return;
    send_token(worker);
  }
}

uint64_t send_until(Seat& seat, const Burst& burst, uint64_t deadline_ns) {
  Worker& worker = seat.worker;
  auto* word = reinterpret_cast<int64_t*>(worker.remote);
  const int peer = worker.peer_ec;
  const bool is_default = burst.kind == Kind::kShmemPut || burst.kind == Kind::kShmemAdd;
  const shmem_ctx_t context = is_default ? SHMEM_CTX_DEFAULT : seat.shmem_context;
  switch (burst.kind) {
    case Kind::kShmemPut:
    case Kind::kContextPut:
      return repeat_until(deadline_ns, [&] {
        shmem_window(context, [&] { shmem_ctx_int64_p(context, word, 1, peer); });
      });
    case Kind::kShmemAdd:
    case Kind::kContextAdd:
      return repeat_until(deadline_ns, [&] {
        shmem_window(context, [&] {
          *worker.fetched = shmem_ctx_int64_atomic_fetch_add(context, word, 1, peer);
        });
      });
    case Kind::kSend:
      return send_windows(worker, burst.bytes, deadline_ns);
    default:
      const auto operation = static_cast<Operation>(burst.kind);
      return repeat_until(deadline_ns, [&] { issue(worker, operation, burst.bytes, kWindow); });
  }
}
static_assert(static_cast<int>(Kind::kAm) == static_cast<int>(Operation::kAm));

void receive(Seat& seat, Board& board, const Burst& burst, uint32_t key) {
  Worker& worker = seat.worker;
  if (burst.kind == Kind::kSend) return receive_windows(worker, burst.bytes);
  const std::atomic<uint64_t>& requests = worker.arrivals[worker.lane].requests;
  uint64_t sent;
  while (!board.is_told(seat.pair, key, &sent)) look(worker);
  worker.expected += sent;
  while (requests.load(std::memory_order_relaxed) < worker.expected) look(worker);
}

void place(Seat& seat, const Burst& burst) {
  Worker& worker = seat.worker;
  worker.remote = seat.remote + (kRoom + kPlaceStep) * burst.place;
  worker.local = seat.local + (kRoom + kPlaceStep) * burst.place + kLocalOffset;
  worker.fetched = reinterpret_cast<int64_t*>(worker.local);
  if (!seat.process->is_bound) return;
  const int apart = seat.process->is_sender || burst.shares_cpu ? 0 : 1;
  bind_to_cpu(seat.pair + apart);
}

/// A worker's life: bursts of its layout until there are no more.
void* serve(void* argument) {
  Seat& seat = *static_cast<Seat*>(argument);
  Process& process = *seat.process;
  Board& board = *process.board;
  if (process.threads > 1) UCCS_PERF_CHECK(uccs_lane_bind(process.context, seat.worker.lane));
  if (shmem_ctx_create(SHMEM_CTX_PRIVATE, &seat.shmem_context) != 0)
    rte_abort(1, "uccs-perf: shmem_ctx_create failed");
  uint32_t turn = 0;
  for (;;) {
    const Burst burst = board.await(process.layout, &turn);
    if (burst.is_over) break;
    if (seat.pair >= burst.workers || (!process.is_sender && !has_receivers(burst))) {
      board.end(0);
      continue;
    }
    place(seat, burst);
    // Both layouts use the same places of the board and count their turns alike.
    const uint32_t key = turn << 1 | static_cast<uint32_t>(process.layout);
    const uint64_t deadline_ns = board.begin(burst);
    const uint64_t cpu_before = cpu_ns();
    if (process.is_sender) {
      board.tell(seat.pair, key, send_until(seat, burst, deadline_ns));
    } else {
      receive(seat, board, burst, key);
    }
    board.end(cpu_ns() - cpu_before);
  }
  shmem_ctx_destroy(seat.shmem_context);
  return nullptr;
}

/// Measures one comparison: bursts A B B A A B ... until the ratio is known well or time is up.
/// Writes a line per pair of bursts.
void compare(Board& board, const Comparison& what, size_t index, const Options& options,
             double seconds) {
  const double scale = static_cast<double>(what.burst_factor);
  const double burst_ms = options.burst_ms > 0 ? options.burst_ms : 2.5 * scale;
  Samples samples;
  samples.begin_job();
  const uint64_t begin_ns = now_ns();
  const auto time_used = [&] { return static_cast<double>(now_ns() - begin_ns) / (seconds * 1e9); };
  for (int i = 0; i < kWarmUpBursts || !samples.are_enough(time_used(), options.repetitions); ++i) {
    Outcome outcomes[2];
    for (int j = 0; j < 2; ++j) {
      const int side = (i + j) % 2;
      const Layout layout = what.sides[side].layout;
      Burst burst = what.sides[side].burst;
      burst.duration_ns = static_cast<uint64_t>(burst_ms * 1e6);
      burst.place = static_cast<uint32_t>(i) % kPlaces;
      const uint64_t cpu_before = board.cpu_ns_of(layout), own_before = cpu_ns();
      outcomes[side] = board.run(layout, burst);
      if (options.net.empty()) continue;
      // This thread's own is that of a process of the first layout.
      const uint64_t own = layout == Layout::kThreads ? cpu_ns() - own_before : 0;
      const uint64_t used = board.cpu_ns_of(layout) - cpu_before - own;
      outcomes[side].per_cpu_second = outcomes[side].operations * 1e9 / static_cast<double>(used);
    }
    if (i < kWarmUpBursts) continue;
    samples.add(outcomes[0], outcomes[1]);
    write_cells(cells_of(index, outcomes[0], outcomes[1]));
  }
}

struct Conductor {
  Board* board;
  const Options* options;
};

/// Starts the bursts. A thread of its own that calls nothing of UCCS, so that it is no poller.
void* conduct(void* argument) {
  const auto& conductor = *static_cast<Conductor*>(argument);
  const Options& options = *conductor.options;
  const std::vector<Comparison> all =
      comparisons(options.threads[0], cpu_count(), options.only, !options.net.empty());
  for (size_t i = 0; i < all.size(); ++i)
    compare(*conductor.board, all[i], i, options,
            options.seconds / static_cast<double>(all.size()));
  conductor.board->finish();
  return nullptr;
}

uccs_context_t make_context(int lanes) {
  uccs_context_attributes_t attributes = {};
  attributes.lanes = lanes;
  uccs_context_t context;
  UCCS_PERF_CHECK(uccs_context_create(&attributes, &context));
  return context;
}

/// The board of EC 0, as this process sees it.
Board* map_board(uccs_context_t context, void* address) {
  uccs_endpoint_t first;
  UCCS_PERF_CHECK(uccs_endpoint_create(context, 0, UCCS_LANE_ANY, &first));
  void* mapped = uccs_region_pointer(first, UCCS_REGION_SYMMETRIC, address);
  if (!mapped) rte_abort(1, "uccs-perf: parity needs all its processes on one node");
  UCCS_PERF_CHECK(uccs_endpoint_destroy(first));
  return static_cast<Board*>(mapped);
}

/// That of a job over a network, whose processes share nothing else.
Board* map_board_file(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CLOEXEC);
  void* mapped = file < 0
                     ? MAP_FAILED
                     : mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (mapped == MAP_FAILED) {
    perror(path.c_str());
    rte_abort(1, "uccs-perf: the board of this job cannot be mapped");
  }
  close(file);
  return static_cast<Board*>(mapped);
}

void run_seats(Process& process, std::byte* area, int threads, int peer, int first_pair) {
  std::unique_ptr<Seat[]> seats(new Seat[static_cast<size_t>(process.threads)]);
  const size_t bytes = kPlaces * kRoom * static_cast<size_t>(threads);
  auto* local = static_cast<std::byte*>(aligned_alloc(4096, bytes));
  if (!local) check(UCCS_ERR_NO_MEMORY, "memory of the workers");
  memset(local, 1, bytes);
  for (int k = 0; k < process.threads; ++k) {
    Seat& seat = seats[static_cast<size_t>(k)];
    seat.process = &process;
    seat.pair = first_pair + k;
    Worker& worker = seat.worker;
    worker.index = worker.lane = k;
    worker.context = process.context;
    worker.peer_ec = peer;
    // Pair k uses the same place in both layouts: caches see the same addresses.
    const size_t offset = kPlaces * kRoom * static_cast<size_t>(seat.pair);
    seat.remote = area + offset;
    seat.local = local + offset;
    worker.arrivals = process.arrivals;
    UCCS_PERF_CHECK(uccs_endpoint_create(process.context, peer, k, &worker.peer));
    if (k > 0 && pthread_create(&seat.thread, nullptr, serve, &seat) != 0)
      rte_abort(1, "uccs-perf: a thread could not be started: ask for fewer with --threads");
  }
  serve(&seats[0]);
  for (int k = 1; k < process.threads; ++k)
    pthread_join(seats[static_cast<size_t>(k)].thread, nullptr);
  free(local);
}

}  // namespace

void parity_job(const Options& options) {
  const int threads = options.threads[0];
  int provided;
  if (shmem_init_thread(SHMEM_THREAD_MULTIPLE, &provided) != 0 || provided < SHMEM_THREAD_MULTIPLE)
    rte_abort(1, "uccs-perf: SHMEM_THREAD_MULTIPLE is not to be had");
  const uccs_context_t wide = make_context(threads), narrow = make_context(1);
  auto process = std::make_unique<Process>();
  uccs_region_t region;
  const size_t board_room = (sizeof(Board) + kRoom - 1) / kRoom * kRoom;
  const size_t rooms = kPlaces * static_cast<size_t>(threads);
  UCCS_PERF_CHECK(uccs_region_alloc(narrow, board_room + kRoom * rooms, 4096, &region));
  uccs_region_info_t memory;
  UCCS_PERF_CHECK(uccs_region_query(region, &memory));
  memset(memory.base, 0, memory.bytes);
  const int me = shmem_my_pe();
  process->board =
      options.board.empty() ? map_board(narrow, memory.base) : map_board_file(options.board);
  if (me == 0) new (process->board) Board(2 * threads);
  process->layout = me < 2 ? Layout::kThreads : Layout::kProcesses;
  process->is_sender = me < 2 ? me == 0 : me < 2 + threads;
  process->is_bound = options.is_bound;
  process->threads = me < 2 ? threads : 1;
  process->context = me < 2 ? wide : narrow;
  register_handlers(process->context, process->arrivals);
  cpu_count();  // before anybody is bound
  shmem_barrier_all();
  process->board->enlist(me, getpid());
  shmem_barrier_all();

  Conductor conductor = {process->board, &options};
  pthread_t thread;
  if (me == 0 && pthread_create(&thread, nullptr, conduct, &conductor) != 0)
    rte_abort(1, "uccs-perf: a thread could not be started");
  const int pair = me < 2 ? 0 : (me - 2) % threads;
  const int peer = me < 2 ? 1 - me : process->is_sender ? me + threads : me - threads;
  run_seats(*process, static_cast<std::byte*>(memory.base) + board_room, threads, peer, pair);
  if (me == 0) pthread_join(thread, nullptr);

  shmem_barrier_all();
  uccs_region_release(region);
  uccs_context_destroy(narrow);
  uccs_context_destroy(wide);
  shmem_finalize();
}

}  // namespace uccs::perf
