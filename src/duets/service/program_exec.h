// Finds a program, forks and executes it.
#pragma once

#include <signal.h>
#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

namespace duets::service {

/// The absolute path of a program: unchanged when it has a slash, otherwise searched in PATH.
/// Nothing when it does not exist or cannot be executed.
std::optional<std::string> find_executable(const std::string& name);
/// The same for the user's program: kInvalid, with the reason, instead of nothing.
std::string find_program(const std::string& name);

/// The child's first free descriptor: below are the standard streams and the pipe for exec errors.
inline constexpr int kFirstFree = 4;

/// The child's ends of its pipes, all >= kFirstFree and closed on exec.
struct ProgramStreams {
  int input, output, errors;
};

struct ProgramStart {
  pid_t pid = -1;
  int error = 0;  ///< errno of the failed call; 0: the program runs
};

/// The program to run, its arguments and environment.
struct ProgramCall {
  std::string file;                      ///< absolute
  std::vector<std::string> arguments;    ///< the first is the program's name
  std::vector<std::string> environment;  ///< "NAME=value", in addition to those of this process
};

/// Blocks all signals in this thread, and in the threads it starts, for as long as it lives.
class BlockedSignals {
 public:
  BlockedSignals();
  ~BlockedSignals();
  BlockedSignals(const BlockedSignals&) = delete;
  BlockedSignals& operator=(const BlockedSignals&) = delete;

 private:
  sigset_t before_{};
};

/// Starts the program as leader of its own process group, to be killed when the calling thread
/// ends.
ProgramStart start_program(const ProgramCall& call, const ProgramStreams& streams);

}  // namespace duets::service
