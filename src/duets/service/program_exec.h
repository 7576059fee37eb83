// Finds the user's program, forks and executes it.
#pragma once

#include <sys/types.h>

#include <string>
#include <vector>

namespace duets::service {

/// The absolute path of a program: as it is when it has a slash, searched in PATH otherwise.
/// kInvalid when there is none, or when it cannot be executed.
std::string find_program(const std::string& name);

/// The child's first free descriptor: below lie the standard streams and the way back for errors.
inline constexpr int kFirstFree = 4;

/// The child's ends of its pipes, all >= kFirstFree and closed on exec.
struct ProgramStreams {
  int input, output, errors;
};

struct ProgramStart {
  pid_t pid = -1;
  int error = 0;  ///< errno of what failed; 0: the program runs
};

/// What is run, and how.
struct ProgramCall {
  std::string file;                      ///< absolute
  std::vector<std::string> arguments;    ///< the first is the name it is called by
  std::vector<std::string> environment;  ///< "NAME=value", beside what this process has
};

/// Starts the program as leader of a process group of its own, to be killed when the calling thread
/// ends. The caller has blocked all signals in this thread.
ProgramStart start_program(const ProgramCall& call, const ProgramStreams& streams);

}  // namespace duets::service
