// SPDX-License-Identifier: BSD-3-Clause
#include "rte/foreign.hpp"

#include <errno.h>
#include <stdlib.h>

#include <initializer_list>

#include "base/log.hpp"

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

struct Foreign {
  const char* name = nullptr;
  long processes = 0;  // 0: it does not say
};

Foreign find_foreign() {
  if (getenv("OMPI_COMM_WORLD_SIZE") != nullptr)
    return {"Open MPI's mpirun", number("OMPI_COMM_WORLD_SIZE", 0)};
  if (is_srun_task()) return {"srun", number("SLURM_STEP_NUM_TASKS", number("SLURM_NTASKS", 1))};
  if (getenv("PMIX_NAMESPACE") != nullptr || getenv("PMIX_RANK") != nullptr)
    return {"a PMIx launcher (prterun, mpirun)", 0};
  for (const char* variable : {"PMI_RANK", "PMI_FD", "PMI_PORT"})
    if (getenv(variable) != nullptr)
      return {"a PMI launcher (mpiexec, mpirun)", number("PMI_SIZE", 0)};
  return {};
}

}  // namespace

void reject_foreign_launcher() {
  const Foreign foreign = find_foreign();
  if (foreign.name == nullptr || foreign.processes == 1) return;
  const char* program = program_invocation_short_name;
  if (foreign.processes > 1)
    base::fatal(
        "started by %s, which this build cannot use: start it with `oshrun -n %ld %s` (or set "
        "UCCS_RTE=single if each of the %ld processes is to be a job of its own)",
        foreign.name, foreign.processes, program, foreign.processes);
  base::fatal(
      "started by %s, which this build cannot use: start it with `oshrun -n N %s` (or set "
      "UCCS_RTE=single if each process is to be a job of its own)",
      foreign.name, program);
}

}  // namespace uccs::rte
