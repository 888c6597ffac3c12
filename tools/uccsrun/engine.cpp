// SPDX-License-Identifier: BSD-3-Clause
/// Which launcher runs the job, and its command line.
#include "engine.hpp"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

extern char** environ;

namespace uccs::run {
namespace {

struct EngineName {
  const char* name;  ///< of --launcher, and of the program
  Engine engine;
};
constexpr EngineName kEngines[] = {{"srun", Engine::kSrun},
                                   {"prterun", Engine::kPrterun},
                                   {"mpirun", Engine::kMpirun},
                                   {"mpiexec.hydra", Engine::kHydra}};

bool is_set(const char* name) {
  const char* text = getenv(name);
  return text != nullptr && *text != '\0';
}

/// The file of that name in PATH, "" if none.
std::string in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return access(name.c_str(), X_OK) == 0 ? name : "";
  const char* path = getenv("PATH");
  for (const char* rest = path != nullptr ? path : ""; *rest != '\0';) {
    const size_t length = strcspn(rest, ":");
    const std::string file = std::string(rest, length) + "/" + name;
    if (access(file.c_str(), X_OK) == 0) return file;
    rest += length + (rest[length] == ':' ? 1 : 0);
  }
  return "";
}

/// What `command`, a file and an option without blanks, prints.
std::string output_of(const std::string& file, const char* option) {
  const std::string command = "'" + file + "' " + option + " 2>&1 </dev/null";
  FILE* pipe = popen(command.c_str(), "re");
  if (pipe == nullptr) return "";
  std::string text;
  char part[512];
  while (fgets(part, sizeof part, pipe) != nullptr) text += part;
  pclose(pipe);
  return text;
}

/// Several projects call their launcher mpirun.
Engine kind_of_mpirun(const std::string& path) {
  const std::string text = output_of(path, "--version");
  if (text.find("HYDRA") != std::string::npos || text.find("Intel") != std::string::npos)
    return Engine::kHydra;
  if (text.find("PRRTE") != std::string::npos || text.find("prte") != std::string::npos)
    return Engine::kPrterun;
  return Engine::kMpirun;
}

[[noreturn]] void give_up(const std::string& text) {
  fprintf(stderr, "uccsrun: %s\n", text.c_str());
  exit(kExitUsage);
}

std::string wish_of(const Options& options, std::string* origin_out) {
  *origin_out = "--launcher";
  if (!options.launcher.empty()) return options.launcher;
  for (const char* name : {"OSHRUN_LAUNCHER", "SHMEM_LAUNCHER"}) {
    *origin_out = std::string(name) + "=";
    if (is_set(name)) return getenv(name);
  }
  return "auto";
}

/// A name of an engine, or a path that ends in one.
bool parse_engine(const std::string& wish, Engine* engine_out) {
  const size_t slash = wish.rfind('/');
  const std::string base = slash == std::string::npos ? wish : wish.substr(slash + 1);
  for (const EngineName& known : kEngines) {
    if (base != known.name) continue;
    *engine_out = known.engine;
    return true;
  }
  *engine_out = Engine::kHydra;
  return base == "mpiexec" || base == "mpiexec.mpich";
}

void add(std::vector<std::string>* line, std::initializer_list<std::string> words) {
  line->insert(line->end(), words);
}

/// Variables that must reach other hosts with engines that do not pass on all.
std::vector<std::string> variables_to_pass(const Options& options) {
  std::vector<std::string> passed;
  for (char** variable = environ; *variable != nullptr; ++variable)
    for (const char* prefix : {"UCCS_", "SHMEM_", "SMA_"})
      if (strncmp(*variable, prefix, strlen(prefix)) == 0) passed.emplace_back(*variable);
  passed.insert(passed.end(), options.environment.begin(), options.environment.end());
  return passed;
}

const char* binding_name(Binding binding) {
  if (binding == Binding::kNone) return "none";
  return binding == Binding::kCore ? "core" : "socket";
}

void add_srun(const Options& options, const std::string& mpi, std::vector<std::string>* line) {
  add(line, {"--ntasks=" + std::to_string(options.num_ecs)});
  if (!mpi.empty()) add(line, {"--mpi=" + mpi});
  // Inside a step (`srun --pty bash`) there is nothing left to allocate.
  if (is_set("SLURM_STEP_ID") || is_set("SLURM_STEPID")) add(line, {"--overlap"});
  if (!options.hosts.empty()) add(line, {"--nodelist=" + options.hosts});
  if (!options.hostfile.empty()) add(line, {"--nodefile=" + options.hostfile});
  if (options.is_binding_given)
    add(line, {std::string("--cpu-bind=") + binding_name(options.binding) +
               (options.binding == Binding::kNone ? "" : "s")});
  if (options.is_tagged) add(line, {"--label"});
  if (!options.directory.empty()) add(line, {"--chdir=" + options.directory});
  for (const std::string& variable : options.environment) {
    const size_t equal = variable.find('=');
    setenv(variable.substr(0, equal).c_str(), variable.c_str() + equal + 1, 1);
  }
}

void add_mpirun(const Options& options, Engine engine, std::vector<std::string>* line) {
  add(line, {"-n", std::to_string(options.num_ecs)});
  if (!options.hosts.empty()) add(line, {"--host", options.hosts});
  if (!options.hostfile.empty()) add(line, {"--hostfile", options.hostfile});
  if (engine == Engine::kPrterun)
    add(line, {"--map-by", ":OVERSUBSCRIBE"});
  else
    add(line, {"--oversubscribe"});
  if (options.is_binding_given) add(line, {"--bind-to", binding_name(options.binding)});
  if (options.is_tagged) add(line, {"--tag-output"});
  if (!options.directory.empty()) add(line, {"--wdir", options.directory});
  for (const std::string& variable : variables_to_pass(options)) add(line, {"-x", variable});
}

void add_hydra(const Options& options, std::vector<std::string>* line) {
  add(line, {"-n", std::to_string(options.num_ecs)});
  if (!options.hosts.empty()) add(line, {"-hosts", options.hosts});
  if (!options.hostfile.empty()) add(line, {"-f", options.hostfile});
  if (options.is_binding_given) add(line, {"-bind-to", binding_name(options.binding)});
  if (options.is_tagged) add(line, {"-prepend-rank"});
  if (!options.directory.empty()) add(line, {"-wdir", options.directory});
  for (const std::string& variable : options.environment) {
    const size_t equal = variable.find('=');
    add(line, {"-env", variable.substr(0, equal), variable.substr(equal + 1)});
  }
}

}  // namespace

Engine choose_engine(const Options& options, std::string* path_out) {
  std::string origin;
  const std::string wish = wish_of(options, &origin);
  const bool has_hosts = !options.hosts.empty() || !options.hostfile.empty();
  if (wish == "local") {
    if (has_hosts)
      give_up("--hosts and --hostfile need a launcher across hosts, but " + origin +
              "local was asked for: leave one of the two out");
    return Engine::kLocal;
  }
  if (wish != "auto") {
    Engine engine;
    if (!parse_engine(wish, &engine))
      give_up(origin + (origin.back() == '=' ? "" : " ") + wish +
              ": the choices are auto, local, srun, prterun, mpirun and mpiexec.hydra, or a path "
              "to one of the latter four");
    *path_out = in_path(wish);
    if (path_out->empty()) give_up(wish + " (" + origin + ") is not installed or not in PATH");
    return engine == Engine::kMpirun ? kind_of_mpirun(*path_out) : engine;
  }
  const bool is_allocated = is_set("SLURM_JOB_ID") || is_set("SLURM_JOBID");
  if (!has_hosts && !is_allocated) return Engine::kLocal;
  for (const EngineName& known : kEngines) {
    if (known.engine == Engine::kSrun && !is_allocated) continue;
    *path_out = in_path(known.name);
    if (path_out->empty()) continue;
    return known.engine == Engine::kMpirun ? kind_of_mpirun(*path_out) : known.engine;
  }
  if (!has_hosts)
    give_up(
        "inside a Slurm allocation, but neither srun nor prterun, mpirun or mpiexec.hydra is in "
        "PATH; --launcher local runs the job on this machine alone");
  give_up(
      "--hosts and --hostfile need a launcher across hosts, and none of prterun, mpirun and "
      "mpiexec.hydra is in PATH: install prrte, Open MPI or MPICH (srun serves inside an "
      "allocation)");
}

std::vector<std::string> translate(const Options& options, Engine engine, const std::string& path,
                                   const std::string& mpi_of_srun) {
  std::vector<std::string> line = {path};
  if (engine == Engine::kSrun)
    add_srun(options, mpi_of_srun, &line);
  else if (engine == Engine::kHydra)
    add_hydra(options, &line);
  else
    add_mpirun(options, engine, &line);
  for (char** word = options.command; *word != nullptr; ++word) line.emplace_back(*word);
  return line;
}

int hand_over(const Options& options, Engine engine, const std::string& path) {
  std::string mpi;
  if (engine == Engine::kSrun && !is_set("SLURM_MPI_TYPE")) {
    const std::string list = output_of(path, "--mpi=list");
    mpi = list.find("pmix") != std::string::npos ? "pmix" : "pmi2";
  }
  const std::vector<std::string> line = translate(options, engine, path, mpi);
  if (options.is_verbose) {
    std::string text;
    for (const std::string& word : line) text += " " + word;
    fprintf(stderr, "uccsrun: handing over to:%s\n", text.c_str());
  }
  return supervise(line, options.timeout_ns);
}

}  // namespace uccs::run
