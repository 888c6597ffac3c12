// SPDX-License-Identifier: BSD-3-Clause
/// PMIx: Open MPI's mpirun, prterun, srun --mpi=pmix. Its library is loaded when such a launcher is
/// there; an MPI library in the same process shares it, and PMIx counts who has begun and ended.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <vector>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "rte/hub/launcher.hpp"

#if defined(UCCS_HAVE_PMIX)
#include <pmix.h>
#endif

namespace uccs::rte::pmix {
namespace {

const char* variable(const char* name) {
  const char* text = getenv(name);
  return text != nullptr ? text : "";
}

bool is_visible() { return *variable("PMIX_NAMESPACE") != '\0' && *variable("PMIX_RANK") != '\0'; }

std::string id() {
  return std::string("pmix:") + variable("PMIX_NAMESPACE") + ":" + variable("PMIX_RANK");
}

int watch_fd() { return -1; }  // the library notices by itself, see on_lost

#if defined(UCCS_HAVE_PMIX)

struct Library {
  decltype(&PMIx_Init) init;
  decltype(&PMIx_Finalize) finalize;
  decltype(&PMIx_Get_nb) get_nb;
  decltype(&PMIx_Put) put;
  decltype(&PMIx_Commit) commit;
  decltype(&PMIx_Abort) abort;
  decltype(&PMIx_Error_string) error_string;
  decltype(&PMIx_Register_event_handler) register_handler;
};

Library library{};
pmix_proc_t myself{};
std::atomic<bool> is_open{false};

template <typename Function>
bool find(void* handle, const char* name, Function* out) {
  *out = reinterpret_cast<Function>(dlsym(handle, name));
  return *out != nullptr;
}

void load() {
  constexpr const char* name = "libpmix.so.2";  // with its number: structures are the header's
  void* handle = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
  if (handle == nullptr)
    base::fatal(
        "started by a PMIx launcher (mpirun, prterun, srun --mpi=pmix), but its library cannot be "
        "loaded: %s; install libpmix2 or add its folder to LD_LIBRARY_PATH, or start with "
        "`oshrun`, mpiexec.hydra or `srun --mpi=pmi2`",
        dlerror());
  if (!find(handle, "PMIx_Init", &library.init) ||
      !find(handle, "PMIx_Finalize", &library.finalize) ||
      !find(handle, "PMIx_Get_nb", &library.get_nb) || !find(handle, "PMIx_Put", &library.put) ||
      !find(handle, "PMIx_Commit", &library.commit) ||
      !find(handle, "PMIx_Abort", &library.abort) ||
      !find(handle, "PMIx_Error_string", &library.error_string) ||
      !find(handle, "PMIx_Register_event_handler", &library.register_handler))
    base::fatal("%s is no PMIx library that UCCS can use: %s", name, dlerror());
}

/// A question on its way. Leaked when its answer does not come in time: it may come later.
struct Question {
  std::atomic<bool> is_done{false};
  pmix_status_t status = PMIX_SUCCESS;
  std::string text;
  uint32_t number = 0;
};

void on_answer(pmix_status_t status, pmix_value_t* value, void* user) {
  auto* question = static_cast<Question*>(user);
  question->status = status;
  if (status == PMIX_SUCCESS && value != nullptr) {
    if (value->type == PMIX_STRING && value->data.string != nullptr)
      question->text = value->data.string;
    if (value->type == PMIX_UINT32) question->number = value->data.uint32;
  }
  question->is_done.store(true, std::memory_order_release);
}

/// What the launcher answers.
pmix_status_t ask(pmix_rank_t rank, const char* key, bool must_wait, uint64_t deadline_ns,
                  Question** out) {
  pmix_proc_t whom = myself;
  whom.rank = rank;
  pmix_info_t optional{};
  strncpy(optional.key, PMIX_OPTIONAL, PMIX_MAX_KEYLEN);
  optional.value.type = PMIX_BOOL;
  optional.value.data.flag = true;
  auto* question = new Question;
  pmix_status_t status = library.get_nb(&whom, key, must_wait ? nullptr : &optional,
                                        must_wait ? 0 : 1, on_answer, question);
  const timespec pause = {0, 200'000};
  while (status == PMIX_SUCCESS && !question->is_done.load(std::memory_order_acquire)) {
    if (base::now_ns() >= deadline_ns)
      base::fatal(
          "rank %u did not tell the launcher how to reach it in time: every process that the "
          "launcher started must run a program that uses UCCS; UCCS_START_TIMEOUT says how long to "
          "wait",
          rank);
    nanosleep(&pause, nullptr);
  }
  if (status == PMIX_SUCCESS) status = question->status;
  *out = question;
  return status;
}

uint32_t job_number(const char* key, uint32_t otherwise, uint64_t deadline_ns) {
  Question* question;
  const uint32_t number =
      ask(PMIX_RANK_WILDCARD, key, false, deadline_ns, &question) == PMIX_SUCCESS &&
              question->number > 0
          ? question->number
          : otherwise;
  delete question;
  return number;
}

/// "...;tcp4://10.0.0.1:1234": where this node's daemon of Open MPI is reached by the others.
std::string daemon_address() {
  const std::string uri = variable("OMPI_MCA_orte_local_daemon_uri");
  const size_t from = uri.find("tcp://");
  if (from == std::string::npos) return "";
  const size_t to = uri.find_first_of(",:", from + 6);
  return uri.substr(from + 6, to == std::string::npos ? to : to - from - 6);
}

/// The launcher's daemon on this node has gone: whoever would end this process has, too.
void on_lost(size_t, pmix_status_t, const pmix_proc_t*, pmix_info_t*, size_t, pmix_info_t*, size_t,
             pmix_event_notification_cbfunc_fn_t, void*) {
  constexpr char kText[] = "uccs: the launcher has ended: this process ends, too\n";
  [[maybe_unused]] const ssize_t done = write(2, kText, sizeof kText - 1);
  _exit(1);
}

void open(hub::Launched* launched, uint64_t deadline_ns) {
  load();
  const pmix_status_t status = library.init(&myself, nullptr, 0);
  if (status != PMIX_SUCCESS)
    base::fatal(
        "started by a PMIx launcher, which does not answer: %s; is libpmix of the launcher's kind? "
        "`oshrun` and mpiexec.hydra do without it",
        library.error_string(status));
  is_open.store(true);
  pmix_status_t lost[] = {PMIX_ERR_LOST_CONNECTION};
  library.register_handler(lost, 1, nullptr, 0, on_lost, nullptr, nullptr);
  const uint32_t size = job_number(PMIX_JOB_SIZE, 0, deadline_ns);
  if (size == 0 || myself.rank >= size)
    base::fatal(
        "the launcher does not say how many processes the job has: another program used this "
        "place in the job before; each process it starts can run one program that uses UCCS (or "
        "start it with `oshrun`)");
  launched->rank = static_cast<int>(myself.rank);
  launched->size = static_cast<int>(size);
  launched->id = id();
  launched->is_one_node = job_number(PMIX_LOCAL_SIZE, 0, deadline_ns) == size;
  launched->address = daemon_address();
}

void share(std::string* card, uint64_t deadline_ns) {
  constexpr char kKey[] = "uccs-card";
  if (myself.rank == 0) {
    pmix_value_t value{};
    value.type = PMIX_STRING;
    value.data.string = card->data();
    pmix_status_t status = library.put(PMIX_GLOBAL, kKey, &value);
    if (status == PMIX_SUCCESS) status = library.commit();
    if (status != PMIX_SUCCESS)
      base::fatal("the launcher does not store data: %s", library.error_string(status));
    return;
  }
  timespec pause = {0, 1'000'000};
  while (true) {
    Question* question;
    const pmix_status_t status = ask(0, kKey, true, deadline_ns, &question);
    *card = question->text;
    delete question;
    if (status == PMIX_SUCCESS) return;
    // Some servers wait until rank 0 has told them, some for a while, some say at once that it has
    // not.
    const bool is_early = status == PMIX_ERR_NOT_FOUND || status == PMIX_ERR_TIMEOUT;
    if (!is_early || base::now_ns() >= deadline_ns)
      base::fatal(
          "the launcher cannot say how to reach rank 0: %s; every process that it started "
          "must run a program that uses UCCS",
          library.error_string(status));
    nanosleep(&pause, nullptr);
    if (pause.tv_nsec < 50'000'000) pause.tv_nsec *= 2;
  }
}

int note_component(dl_phdr_info* info, size_t, void* names) {
  if (strstr(info->dlpi_name, "/mca_pmix_") != nullptr)
    static_cast<std::vector<std::string>*>(names)->emplace_back(info->dlpi_name);
  return 0;
}

/// MPI_Finalize of Open MPI unloads its component for PMIx as soon as PMIx_Finalize has returned.
/// That waits for calls into the component that are under way for its last user only, and we are
/// one more: the component must stay in memory.
void attend() {
  using Initialized = int (*)(int*);
  static const auto is_initialized =
      reinterpret_cast<Initialized>(dlsym(RTLD_DEFAULT, "MPI_Initialized"));
  static std::atomic<bool> is_done{false};
  int is_mpi_there = 0;
  if (is_initialized == nullptr || is_done.load(std::memory_order_relaxed)) return;
  is_initialized(&is_mpi_there);
  if (is_mpi_there == 0 || is_done.exchange(true)) return;
  std::vector<std::string> names;
  dl_iterate_phdr(note_component, &names);
  for (const std::string& name : names)
    (void)dlopen(name.c_str(), RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
}

struct End {
  int status;
  const char* message;
};

/// The library wants its own locks, which whoever is stuck may hold: not in the caller's thread.
void* run_abort(void* user) {
  const End* end = static_cast<End*>(user);
  library.abort(end->status, end->message, nullptr, 0);
  return nullptr;
}

bool abort_job(int status, const char*) {
  if (!is_open.load()) return false;
  static End end;  // outlives a thread that is stuck
  end = {status, "UCCS ended the job"};
  pthread_t thread;
  if (pthread_create(&thread, nullptr, run_abort, &end) != 0) return false;
  const timespec pause = {0, 1'000'000};
  for (int i = 0; i < 2000; ++i) {
    if (pthread_tryjoin_np(thread, nullptr) == 0) return true;
    nanosleep(&pause, nullptr);
  }
  return true;
}

void finish() {
  if (is_open.exchange(false)) library.finalize(nullptr, 0);
}

#else

void open(hub::Launched*, uint64_t) {
  base::fatal(
      "started by a PMIx launcher (mpirun, prterun, srun --mpi=pmix), but this UCCS was built "
      "without it: build with libpmix-dev installed, or start with `oshrun`, mpiexec.hydra or "
      "`srun --mpi=pmi2`");
}
void share(std::string*, uint64_t) {}
void attend() {}
bool abort_job(int, const char*) { return false; }
void finish() {}

#endif

constexpr hub::Launcher kTable = {"pmix", is_visible, id,     open,    share,
                                  attend, abort_job,  finish, watch_fd};

}  // namespace
}  // namespace uccs::rte::pmix

namespace uccs::rte::hub {
constinit const Launcher kPmixLauncher = pmix::kTable;
}
