// SPDX-License-Identifier: BSD-3-Clause
#include "rte/foreign.hpp"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <initializer_list>
#include <string>

#include "base/log.hpp"
#include "rte/hub/launcher.hpp"

namespace uccs::rte {
namespace {

long number(const char* variable, long otherwise) {
  const char* text = getenv(variable);
  if (text == nullptr || *text == '\0') return otherwise;
  char* end;
  const long value = strtol(text, &end, 10);
  return *end == '\0' ? value : otherwise;
}

/// srun numbers its steps from 0; shells of sbatch, salloc and the like have reserved numbers at
/// the top of 32 bits, or none, with the variables of a task all the same.
bool is_srun_task() {
  constexpr long kReservedSteps = 0xfffffff0;
  const long step = number("SLURM_STEP_ID", number("SLURM_STEPID", kReservedSteps));
  return getenv("SLURM_PROCID") != nullptr && step < kReservedSteps;
}

/// What an EC has started has its launcher's variables, but is no EC of that job.
bool is_child_of(const hub::Launcher& launcher) {
  const char* parent = getenv("UCCS_EC_OF");
  return parent != nullptr && launcher.id() == parent;
}

bool is_wanted(const char* name) {
  const char* wish = getenv("UCCS_RTE");
  return wish == nullptr || *wish == '\0' || strcasecmp(wish, "auto") == 0 ||
         strcasecmp(wish, name) == 0;
}

}  // namespace

namespace hub {

const Launcher* find_launcher() {
  // PMIx first: mpirun within a step of srun leaves the variables of both.
  for (const Launcher* launcher : {&kPmixLauncher, &kPmiLauncher})
    if (launcher->is_visible() && is_wanted(launcher->name))
      return is_child_of(*launcher) ? nullptr : launcher;
  return nullptr;
}

}  // namespace hub

void reject_foreign_launcher() {
  const char* program = program_invocation_short_name;
  for (const hub::Launcher* launcher : {&hub::kPmixLauncher, &hub::kPmiLauncher})
    if (launcher->is_visible()) return;  // of the EC that started this process
  if (is_srun_task()) {
    const long tasks = number("SLURM_STEP_NUM_TASKS", number("SLURM_NTASKS", 1));
    if (tasks <= 1) return;
    base::fatal(
        "started by srun without PMI, so that its %ld processes cannot find each other: start it "
        "with `srun --mpi=pmix -n %ld %s` or `srun --mpi=pmi2 -n %ld %s` (`srun --mpi=list` shows "
        "what there is; UCCS_RTE=single if each is to be a job of its own)",
        tasks, tasks, program, tasks, program);
  }
  const char* shown = nullptr;
  for (const char* variable :
       {"OMPI_COMM_WORLD_SIZE", "PMIX_NAMESPACE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK"})
    if (shown == nullptr && getenv(variable) != nullptr) shown = variable;
  const long size = number("OMPI_COMM_WORLD_SIZE", number("PMI_SIZE", 0));  // 0: it does not say
  if (shown == nullptr || size == 1) return;
  const std::string count = size > 1 ? std::to_string(size) : "N";
  base::fatal(
      "started by a launcher (%s is set) whose connection has not come through (PMIX_NAMESPACE and "
      "PMIX_RANK, or PMI_FD): let nothing between launcher and program clear variables, or start "
      "it with `oshrun -n %s %s` (UCCS_RTE=single if each process is to be a job of its own)",
      shown, count.c_str(), program);
}

}  // namespace uccs::rte
