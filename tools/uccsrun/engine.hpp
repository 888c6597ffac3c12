// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <string>
#include <vector>

#include "options.hpp"

namespace uccs::run {

/// Launchers across hosts that a job can be handed to. The order is that of the search.
enum class Engine : uint8_t { kLocal, kSrun, kPrterun, kMpirun, kHydra };

/// Who is to run the job: what --launcher or the environment says, else an engine when there are
/// hosts or a Slurm allocation, else this program. Prints errors and ends the process.
Engine choose_engine(const Options& options, std::string* path_out);

/// The engine's command line for the job.
std::vector<std::string> translate(const Options& options, Engine engine, const std::string& path,
                                   const std::string& mpi_of_srun);

/// Hands the job over, under the time limit if there is one. Returns the exit status.
int hand_over(const Options& options, Engine engine, const std::string& path);

/// Executes `line`; with a time limit as a child that is ended then, without in our place.
int supervise(const std::vector<std::string>& line, uint64_t timeout_ns);

}  // namespace uccs::run
