// Where the work of a command is done: on the threads of this process, or in the processes of a
// job.
#pragma once

#include <CLI/CLI.hpp>
#include <cstddef>
#include <functional>
#include <string>

#include "duets/base/executor.h"

namespace duets::cli {

/// --engine: "local" or "mpi"; empty, which is local, when it is not said.
void add_engine(CLI::App& command, std::string& name);

struct Engine {
  const base::Executor& executor;
  unsigned threads = 1;       ///< of this process
  std::size_t processes = 1;  ///< that share the work
  std::size_t machines = 1;
  bool first = true;  ///< whether this is the process that prints and writes results
};

/// "4 processes on 2 machines, 8 threads each".
std::string text_of(const Engine& engine);

/// Calls `body` once; with "mpi" in every process of the job. When it throws in one of them, the
/// first process prints why, naming rank and machine of another one, and all throw a CodedError
/// without text whose code says what it was. `threads` are of each process; 0: as many as it has
/// processors for itself. kInvalid when mpirun started several processes and `name` does not say
/// what they are for.
void with_engine(const std::string& name, unsigned threads,
                 const std::function<void(const Engine&)>& body);

}  // namespace duets::cli
