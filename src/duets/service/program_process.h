// A running process of the user's program: its pipes, its process group and its end.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

#include "duets/service/clock.h"
#include "duets/service/program_exec.h"
#include "duets/service/program_log.h"
#include "duets/storage/files.h"

namespace duets::service {

struct Pipe {
  storage::Descriptor read, write;
};

/// Both ends fit ProgramStreams. kIo when there are too many files.
Pipe make_pipe();

/// Leader of its own process group, with pipes for its standard streams, default signal handlers
/// and none of our other files. The system kills it whenever this process dies. That kills only
/// the program: its own child processes just find their pipes closed, so a shell script should
/// `exec` its long-running command.
class ProgramProcess {
 public:
  /// Starts the program. kInvalid when it can never be run; kIo when it cannot be run now (too many
  /// processes or files).
  ProgramProcess(const ProgramCall& call, ProgramLog& relay);
  ~ProgramProcess();
  ProgramProcess(const ProgramProcess&) = delete;
  ProgramProcess& operator=(const ProgramProcess&) = delete;

  /// Our ends of its standard input and output; they do not block.
  int input() const { return input_.get(); }
  int output() const { return output_.get(); }
  void close_input() { input_.close(); }
  /// Number of bytes that it has not read yet.
  std::size_t num_unread() const;

  /// True when the program itself has ended; others in its group may live on.
  bool has_ended() const;
  bool wait(Clock::duration limit) const;

  /// Closes its input, waits up to `patience` for it to exit, sends SIGTERM to the group and
  /// SIGKILL after `kill_after`. When this returns, the group is gone and all its standard error
  /// has been passed on. Only output() remains, with the bytes left in the pipe.
  void end(Clock::duration patience, Clock::duration kill_after);

  /// "exit code 3", "signal 9 (Killed)". After end().
  std::string how_it_ended() const;

 private:
  struct Start;
  void keep(Start& start);
  void pass_on_errors();
  enum class Read : std::uint8_t { kSome, kNothingNow, kEnd };
  Read read_errors();

  ProgramLog& relay_;
  storage::Descriptor input_, output_, errors_, over_;
  pid_t pid_ = -1;  // -1: not started, or ended and reaped
  int status_ = 0;
  std::thread keeper_;
};

}  // namespace duets::service
