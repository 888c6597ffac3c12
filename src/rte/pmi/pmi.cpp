// SPDX-License-Identifier: BSD-3-Clause
/// The PMI-1 wire protocol over PMI_FD: mpiexec.hydra of MPICH and its kin, srun --mpi=pmi2. All
/// that is said here is said before main, but for abort and finalize: an MPI library in the same
/// process may then use the connection as if it were alone.
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.hpp"
#include "base/log.hpp"
#include "rte/hub/launcher.hpp"
#include "rte/hub/sockets.hpp"
#include "rte/pmi/wire.hpp"

namespace uccs::rte::pmi {
namespace {

int wire = -1;         // our own descriptor of the connection
int wire_number = -1;  // the one that the launcher named
std::string* store_name = nullptr;
int rank = 0;

const char* variable(const char* name) {
  const char* text = getenv(name);
  return text != nullptr ? text : "";
}

bool is_number(const char* name, int* out) { return read_number(variable(name), out); }

bool is_visible() { return *variable("PMI_FD") != '\0' || *variable("PMI_PORT") != '\0'; }

/// The connection itself tells jobs of one user apart.
std::string id() {
  struct stat info;
  int fd;
  const bool is_open = is_number("PMI_FD", &fd) && fstat(fd, &info) == 0;
  return std::string("pmi:") + variable("PMI_RANK") + ":" +
         (is_open ? std::to_string(info.st_ino) : "?");
}

void write_line(const std::string& line) {
  size_t done = 0;
  while (done < line.size()) {
    const ssize_t sent = send(wire, line.data() + done, line.size() - done, MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0)
      base::fatal(
          "the launcher's PMI connection is closed (%s): it has ended, or another program used the "
          "connection before this one; each process it starts can run one program that uses UCCS",
          strerror(errno));
    done += static_cast<size_t>(sent);
  }
}

/// One byte at a time: not one more may be taken from a connection that is not ours alone.
std::string read_line(const char* awaited, uint64_t deadline_ns) {
  std::string line;
  while (line.size() < kLineMax) {
    pollfd input = {wire, POLLIN, 0};
    const int ready = poll(&input, 1, hub::milliseconds_left(deadline_ns));
    if (ready == 0 && base::now_ns() >= deadline_ns)
      base::fatal(
          "the launcher did not answer in time (%s): every process it started must run a program "
          "that uses UCCS; UCCS_START_TIMEOUT says how long to wait",
          awaited);
    if (ready <= 0) continue;
    char byte;
    const ssize_t got = recv(wire, &byte, 1, MSG_DONTWAIT);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got <= 0)
      base::fatal("the launcher hung up its PMI connection (%s): another process of the job ended",
                  awaited);
    if (byte == '\n') return line;
    line += byte;
  }
  base::fatal("the launcher answers more than PMI-1 allows (%s)", awaited);
}

/// Sends a request, and reads the answer `awaited`; anything else ends the process.
Fields ask(const std::string& request, const char* awaited, uint64_t deadline_ns) {
  write_line(request + "\n");
  const std::string line = read_line(awaited, deadline_ns);
  Fields fields;
  if (!decode_line(line, &fields) || field(fields, "cmd") != awaited)
    base::fatal(
        "the launcher answered `%.80s` where PMI-1 has %s: start the job with mpiexec.hydra "
        "or `srun --mpi=pmi2`",
        line.c_str(), awaited);
  const std::string& rc = field(fields, "rc");
  if (!rc.empty() && rc != "0")
    base::fatal("the launcher refused `%.40s`: %.200s", request.c_str(), line.c_str());
  return fields;
}

/// The PMI-2 plug-in of Slurm greets one client per process, with one version of the protocol; the
/// second is left waiting for ever.
void refuse_mpi_beside_us() {
  const bool is_slurm = *variable("PMI_JOBID") != '\0' && *variable("SLURM_STEP_ID") != '\0' &&
                        *variable("MPI_LOCALNRANKS") == '\0';
  if (is_slurm && dlsym(RTLD_DEFAULT, "MPI_Init") != nullptr)
    base::fatal(
        "this program uses MPI, too, and `srun --mpi=pmi2` serves only one of the two: start it "
        "with `srun --mpi=pmix` (Open MPI) or, inside the allocation, with mpiexec.hydra (MPICH)");
}

void open(hub::Launched* launched, uint64_t deadline_ns) {
  constexpr const char* kRemedy =
      "start the job with mpiexec.hydra or `srun --mpi=pmi2`, and let nothing between launcher and "
      "program close descriptors or clear variables";
  if (*variable("PMI_FD") == '\0')
    base::fatal(
        "started with PMI_PORT=%s, which UCCS does not use: start mpiexec without -pmi-port",
        variable("PMI_PORT"));
  int size;
  if (!is_number("PMI_FD", &wire_number) || !is_number("PMI_RANK", &rank) ||
      !is_number("PMI_SIZE", &size) || rank >= size)
    base::fatal("PMI_FD=%s PMI_RANK=%s PMI_SIZE=%s is no place in a job: %s", variable("PMI_FD"),
                variable("PMI_RANK"), variable("PMI_SIZE"), kRemedy);
  base::log_set_identity(rank, size);
  refuse_mpi_beside_us();
  wire = fcntl(wire_number, F_DUPFD_CLOEXEC, 3);
  struct stat info;
  if (wire < 0 || fstat(wire, &info) != 0 || !S_ISSOCK(info.st_mode))
    base::fatal("PMI_FD=%d is not the launcher's socket (%s): %s", wire_number,
                wire < 0 ? strerror(errno) : "it is another file", kRemedy);
  const Fields init =
      ask("cmd=init pmi_version=1 pmi_subversion=1", "response_to_init", deadline_ns);
  if (field(init, "pmi_version") != "1")
    base::fatal("the launcher speaks PMI %.20s, not 1: %s", field(init, "pmi_version").c_str(),
                kRemedy);
  const Fields maxima = ask("cmd=get_maxes", "maxes", deadline_ns);
  int longest = 0;
  if (!read_number(field(maxima, "vallen_max"), &longest) ||
      longest <= static_cast<int>(hub::kCardMax))
    base::fatal("the launcher's store takes values of %d bytes, UCCS needs %zu", longest,
                hub::kCardMax);
  store_name =
      new std::string(field(ask("cmd=get_my_kvsname", "my_kvsname", deadline_ns), "kvsname"));

  launched->rank = rank;
  launched->size = size;
  launched->id = id();
  int local_size = 0, nodes = 0;
  launched->is_one_node = (is_number("MPI_LOCALNRANKS", &local_size) && local_size == size) ||
                          (is_number("SLURM_STEP_NUM_NODES", &nodes) && nodes == 1);
}

void share(std::string* card, uint64_t deadline_ns) {
  const std::string place = " kvsname=" + *store_name + " key=uccs-card";
  if (rank == 0) ask("cmd=put" + place + " value=" + *card, "put_result", deadline_ns);
  ask("cmd=barrier_in", "barrier_out", deadline_ns);
  if (rank != 0) *card = field(ask("cmd=get" + place, "get_result", deadline_ns), "value");
}

void attend() {}  // an MPI library finds the connection idle

bool abort_job(int status, const char*) {
  if (wire < 0) return false;
  const std::string line = "cmd=abort exitcode=" + std::to_string(status) + "\n";
  if (send(wire, line.data(), line.size(), MSG_NOSIGNAL) < 0) return false;
  // The launcher ends this process, too; if it does not hear us it hangs up at our exit.
  pollfd hang_up = {wire, POLLRDHUP, 0};
  poll(&hang_up, 1, 1000);
  return true;
}

/// An MPI library that has used the connection has said so itself, and closed it.
bool is_left_to_us() {
  struct stat mine;
  struct stat named;
  return fstat(wire, &mine) == 0 && fstat(wire_number, &named) == 0 &&
         mine.st_ino == named.st_ino && mine.st_dev == named.st_dev;
}

void finish() {
  if (wire < 0 || !is_left_to_us()) return;
  constexpr char kLine[] = "cmd=finalize\n";
  if (send(wire, kLine, sizeof kLine - 1, MSG_NOSIGNAL) < 0) return;
  // The launcher's acknowledgement, so that our exit cannot overtake it: mpiexec.hydra ends the job
  // as failed if its answer meets a closed connection. It hangs up should it die.
  constexpr int kBusyLauncherMs = 60'000;
  pollfd input = {wire, POLLIN, 0};
  poll(&input, 1, kBusyLauncherMs);
}

int watch_fd() { return wire; }

constexpr hub::Launcher kTable = {"pmi",  is_visible, id,     open,    share,
                                  attend, abort_job,  finish, watch_fd};

}  // namespace
}  // namespace uccs::rte::pmi

namespace uccs::rte::hub {
constinit const Launcher kPmiLauncher = pmi::kTable;
}
