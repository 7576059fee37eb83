#include "duets/service/program_process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <future>

#include "duets/base/error.h"

namespace duets::service {
namespace {

using storage::Descriptor;

constexpr const char* kNoPipe = "cannot create a pipe to the program";
constexpr int kMaxReadsAtEnd = 16;

[[noreturn]] void fail_process(const std::string& what, int error) {
  throw base::Error(base::ErrorKind::kIo, fmt::format("{}: {}", what, std::strerror(error)));
}

Descriptor checked(int fd) {
  if (fd < 0) fail_process(kNoPipe, errno);
  return Descriptor(fd);
}

void set_nonblocking(const Descriptor& descriptor) {
  ::fcntl(descriptor.get(), F_SETFL, ::fcntl(descriptor.get(), F_GETFL) | O_NONBLOCK);
}

// Some errors the user must fix; others may disappear by the next attempt.
[[noreturn]] void fail_exec(const std::string& file, int error) {
  std::string advice;
  switch (error) {
    case ENOEXEC:
      advice = ": a script needs a first line such as #!/bin/sh";
      break;
    case ENOENT:
      advice = ": the program, or the interpreter in its first line, does not exist";
      break;
    case EACCES:
    case ENOTDIR:
    case ELOOP:
    case EINVAL:
      break;
    default:
      fail_process(fmt::format("cannot start {}", file), error);
  }
  throw base::Error(base::ErrorKind::kInvalid,
                    fmt::format("cannot run {}: {}{}", file, std::strerror(error), advice));
}

}  // namespace

// The child moves its ends to 0..3, so they must not be there already, as they could be in a
// process that was started with closed standard streams.
Pipe make_pipe() {
  std::array<int, 2> fds{};
  if (::pipe2(fds.data(), O_CLOEXEC) != 0) fail_process(kNoPipe, errno);
  const Descriptor low_read(fds[0]);
  const Descriptor low_write(fds[1]);
  Pipe result;
  result.read = checked(::fcntl(fds[0], F_DUPFD_CLOEXEC, kFirstFree));
  result.write = checked(::fcntl(fds[1], F_DUPFD_CLOEXEC, kFirstFree));
  return result;
}

/// The keeper's input for starting the program, and the result.
struct ProgramProcess::Start {
  const ProgramCall& call;
  Pipe input, output, errors;
  std::promise<int> error;  // 0: it runs
};

// A separate thread starts the program, passes its standard error on at any time, and lives as long
// as the program: PR_SET_PDEATHSIG refers to the death of the thread that forked, not of the
// process. Signals are blocked in it: the host's handlers run in the host's threads.
ProgramProcess::ProgramProcess(const ProgramCall& call, ProgramLog& relay) : relay_(relay) {
  Start start{call, make_pipe(), make_pipe(), make_pipe(), {}};
  over_ = checked(::eventfd(0, EFD_CLOEXEC));
  std::future<int> error = start.error.get_future();
  try {
    const BlockedSignals blocked;
    keeper_ = std::thread([this, &start] { keep(start); });
  } catch (const std::system_error& failure) {
    fail_process(fmt::format("cannot start {}", call.file), failure.code().value());
  }
  const int failed = error.get();
  if (failed == 0) return;
  keeper_.join();
  fail_exec(call.file, failed);
}

ProgramProcess::~ProgramProcess() {
  if (keeper_.joinable()) end(Clock::duration::zero(), Clock::duration::zero());
}

void ProgramProcess::keep(Start& start) {
  const ProgramStreams streams{start.input.read.get(), start.output.write.get(),
                               start.errors.write.get()};
  const ProgramStart started = start_program(start.call, streams);
  if (started.error == 0) {
    pid_ = started.pid;
    input_ = std::move(start.input.write);
    output_ = std::move(start.output.read);
    errors_ = std::move(start.errors.read);
    set_nonblocking(input_);
    set_nonblocking(output_);
    set_nonblocking(errors_);
    // The program's ends must be open only in the program, or their end is never seen.
    start.input.read.close();
    start.output.write.close();
    start.errors.write.close();
  }
  // `start` is gone as soon as the promise is fulfilled: it must be moved out first.
  std::promise<int> error = std::move(start.error);
  error.set_value(started.error);
  if (started.error == 0) pass_on_errors();
}

void ProgramProcess::pass_on_errors() {
  std::array<pollfd, 2> waited{pollfd{over_.get(), POLLIN, 0}, pollfd{errors_.get(), POLLIN, 0}};
  while (waited[0].revents == 0) {
    if (::poll(waited.data(), waited.size(), -1) < 0) continue;
    // poll() ignores a negative number: the thread stays, but has nothing more to read.
    if (waited[1].revents != 0 && read_errors() == Read::kEnd) waited[1].fd = -1;
  }
  // All writers are dead except those that left the group; do not wait for them.
  for (int left = kMaxReadsAtEnd; left > 0 && read_errors() == Read::kSome; --left) {
  }
  relay_.finish_line();
}

ProgramProcess::Read ProgramProcess::read_errors() {
  std::array<char, 65536> bytes;
  const ssize_t count = ::read(errors_.get(), bytes.data(), bytes.size());
  if (count < 0 && (errno == EAGAIN || errno == EINTR)) return Read::kNothingNow;
  if (count <= 0) return Read::kEnd;
  relay_.take({bytes.data(), static_cast<std::size_t>(count)});
  return Read::kSome;
}

std::size_t ProgramProcess::num_unread() const {
  int count = 0;
  if (::ioctl(input_.get(), FIONREAD, &count) < 0) return 0;
  return static_cast<std::size_t>(count);
}

// The program stays in the process table until end(): its number, which is also the group's, must
// not be reused while signals may still be sent to it.
bool ProgramProcess::has_ended() const {
  if (pid_ < 0) return true;
  siginfo_t info{};
  const int found = ::waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED | WNOHANG | WNOWAIT);
  return found < 0 || info.si_pid == pid_;
}

bool ProgramProcess::wait(Clock::duration limit) const {
  const auto deadline = Clock::now() + limit;
  for (int pause_ms = 1; !has_ended(); pause_ms = std::min(2 * pause_ms, 20)) {
    if (Clock::now() >= deadline) return false;
    ::poll(nullptr, 0, pause_ms);
  }
  return true;
}

void ProgramProcess::end(Clock::duration patience, Clock::duration kill_after) {
  if (pid_ < 0) return;
  close_input();
  if (!wait(patience)) {
    ::kill(-pid_, SIGTERM);
    wait(kill_after);
  }
  // Also kills processes that the program left behind.
  ::kill(-pid_, SIGKILL);
  while (::waitpid(pid_, &status_, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  const std::uint64_t one = 1;
  while (::write(over_.get(), &one, sizeof(one)) < 0 && errno == EINTR) {
  }
  keeper_.join();
}

std::string ProgramProcess::how_it_ended() const {
  if (WIFEXITED(status_)) return fmt::format("exit code {}", WEXITSTATUS(status_));
  const int signal = WTERMSIG(status_);
  return fmt::format("signal {} ({})", signal, ::strsignal(signal));
}

}  // namespace duets::service
