#include "duets/service/program_exec.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include "duets/base/error.h"
#include "duets/storage/files.h"

namespace duets::service {
namespace {

namespace fs = std::filesystem;

constexpr int kErrorWay = kFirstFree - 1;
constexpr int kBusyAttempts = 20;
constexpr int kBusyPauseMs = 25;

/// Prepared before the fork: between fork and exec nothing may be allocated.
struct Exec {
  const char* file;
  char* const* arguments;
  char* const* environment;
  ProgramStreams streams;
  int error_way;
  pid_t parent;
};

// Only async-signal-safe calls from here to exec: another thread may have held any lock when this
// one forked.
void reset_signals() {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int signal = 1; signal < NSIG; ++signal) ::sigaction(signal, &standard, nullptr);
}

void close_others() {
  if (::close_range(kFirstFree, ~0U, 0) == 0) return;
  // For an old kernel. Our descriptors are closed on exec anyway; this is for other libraries.
  rlimit limit{};
  ::getrlimit(RLIMIT_NOFILE, &limit);
  const int end = static_cast<int>(std::min<rlim_t>(limit.rlim_cur, 65536));
  for (int fd = kFirstFree; fd < end; ++fd) ::close(fd);
}

bool prepare_child(const Exec& exec) {
  if (::setpgid(0, 0) != 0) return false;
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return false;
  // The parent may have died before the line above.
  if (::getppid() != exec.parent) ::_exit(127);
  if (::dup2(exec.streams.input, 0) < 0 || ::dup2(exec.streams.output, 1) < 0 ||
      ::dup2(exec.streams.errors, 2) < 0 || ::dup3(exec.error_way, kErrorWay, O_CLOEXEC) < 0) {
    return false;
  }
  close_others();
  reset_signals();
  sigset_t none;
  sigemptyset(&none);
  return ::sigprocmask(SIG_SETMASK, &none, nullptr) == 0;
}

[[noreturn]] void run_child(const Exec& exec) {
  int way = exec.error_way;
  if (prepare_child(exec)) {
    way = kErrorWay;
    ::execve(exec.file, exec.arguments, exec.environment);
  }
  const int error = errno;
  // If this fails, nobody is left to be told.
  [[maybe_unused]] const ssize_t written = ::write(way, &error, sizeof(error));
  ::_exit(127);
}

// 0 when a successful exec has closed the pipe.
int read_error(int way) {
  int error = 0;
  ssize_t count = 0;
  while ((count = ::read(way, &error, sizeof(error))) < 0 && errno == EINTR) {
  }
  return count == static_cast<ssize_t>(sizeof(error)) ? error : 0;
}

ProgramStart start_once(Exec exec) {
  std::array<int, 2> way{};
  if (::pipe2(way.data(), O_CLOEXEC) != 0) return {-1, errno};
  const storage::Descriptor read_end(way[0]);
  storage::Descriptor write_end(::fcntl(way[1], F_DUPFD_CLOEXEC, kFirstFree));
  ::close(way[1]);
  if (write_end.get() < 0) return {-1, errno};
  exec.error_way = write_end.get();
  const pid_t pid = ::fork();
  if (pid < 0) return {-1, errno};
  if (pid == 0) run_child(exec);
  write_end.close();
  // Both sides do it, so that the group exists whichever runs first.
  ::setpgid(pid, pid);
  const int error = read_error(read_end.get());
  if (error == 0) return {pid, 0};
  while (::waitpid(pid, nullptr, 0) < 0 && errno == EINTR) {
  }
  return {-1, error};
}

// Our environment, in which `more` replaces variables of the same name.
std::vector<std::string> full_environment(const std::vector<std::string>& more) {
  std::vector<std::string> variables = more;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable(*entry);
    const std::string_view name = variable.substr(0, variable.find('=') + 1);
    const bool replaced = std::any_of(more.begin(), more.end(), [&](const std::string& other) {
      return other.starts_with(name);
    });
    if (!replaced) variables.emplace_back(variable);
  }
  return variables;
}

// As exec expects them, with a null at the end.
std::vector<char*> pointers_to(std::vector<std::string>& words) {
  std::vector<char*> pointers;
  pointers.reserve(words.size() + 1);
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  return pointers;
}

std::vector<std::string> search_path() {
  const char* text = std::getenv("PATH");
  std::vector<std::string> directories;
  std::string rest = text == nullptr ? "/bin:/usr/bin" : text;
  for (std::size_t begin = 0; begin <= rest.size();) {
    const std::size_t end = std::min(rest.find(':', begin), rest.size());
    directories.push_back(end == begin ? "." : rest.substr(begin, end - begin));
    begin = end + 1;
  }
  return directories;
}

bool is_file(const fs::path& path) {
  struct stat info {};
  return ::stat(path.c_str(), &info) == 0 && S_ISREG(info.st_mode);
}

std::vector<fs::path> program_places(const std::string& name) {
  if (name.find('/') != std::string::npos) return {name};
  std::vector<fs::path> places;
  for (const std::string& directory : search_path()) places.push_back(fs::path(directory) / name);
  return places;
}

[[noreturn]] void refuse_program(const std::string& what) {
  throw base::Error(base::ErrorKind::kInvalid, what);
}

}  // namespace

BlockedSignals::BlockedSignals() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before_);
}

BlockedSignals::~BlockedSignals() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

// A program that is still being written, or that another thread's child holds open for a moment
// between its fork and its exec, is busy for a short time.
ProgramStart start_program(const ProgramCall& call, const ProgramStreams& streams) {
  std::vector<std::string> arguments = call.arguments;
  std::vector<std::string> environment = full_environment(call.environment);
  const std::vector<char*> argument_pointers = pointers_to(arguments);
  const std::vector<char*> environment_pointers = pointers_to(environment);
  const Exec exec{
      call.file.c_str(), argument_pointers.data(), environment_pointers.data(), streams, -1,
      ::getpid()};
  const BlockedSignals blocked;  // none of our handlers may run in the child
  ProgramStart started;
  for (int attempt = 0; attempt < kBusyAttempts; ++attempt) {
    started = start_once(exec);
    if (started.error != ETXTBSY) break;
    ::poll(nullptr, 0, kBusyPauseMs);
  }
  return started;
}

std::optional<std::string> find_executable(const std::string& name) {
  for (const fs::path& place : program_places(name)) {
    if (is_file(place) && ::access(place.c_str(), X_OK) == 0) return fs::absolute(place).string();
  }
  return std::nullopt;
}

std::string find_program(const std::string& name) {
  if (name.empty()) refuse_program("the command of the objective is empty: specify a program");
  if (const auto found = find_executable(name)) return *found;
  const std::vector<fs::path> places = program_places(name);
  const auto forbidden = std::find_if(places.begin(), places.end(), is_file);
  if (forbidden != places.end()) {
    refuse_program(fmt::format("{0} is not executable: chmod +x {0}", forbidden->string()));
  }
  std::error_code ignored;
  if (places.size() == 1 && fs::is_directory(places.front(), ignored)) {
    refuse_program(fmt::format("{} is a directory, not a program", name));
  }
  const std::string advice = is_file(name) ? fmt::format("; did you mean ./{}?", name) : "";
  refuse_program(fmt::format("there is no program {}{}{}", name,
                             name.find('/') == std::string::npos ? " in PATH" : "", advice));
}

}  // namespace duets::service
