// Runs the work of a command on the threads of this process, or in the processes of a job.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "duets/base/executor.h"

namespace duets::cli {

/// --engine: "local" or "mpi"; empty, which means local, without the option.
void add_engine(CLI::App& command, std::string& name);

struct Engine {
  const base::Executor& executor;
  unsigned threads = 1;       ///< of this process
  std::size_t processes = 1;  ///< that share the work
  std::size_t machines = 1;
  bool first = true;  ///< this process prints and writes the results
};

/// "4 processes on 2 machines, 8 threads each".
std::string text_of(const Engine& engine);

/// Calls `body` once; with "mpi" in every process of the job. When it throws in one of them, the
/// first process prints why, naming rank and machine if it was another one, and all throw a
/// CodedError without text and with the exit code of the error. `threads` is per process; 0: as
/// many as it has processors. kInvalid when mpirun started several processes and `name` does not
/// say how to use them.
void with_engine(const std::string& name, unsigned threads,
                 const std::function<void(const Engine&)>& body);

}  // namespace duets::cli
