#include "duets/service/program.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <ctime>
#include <optional>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/program_exec.h"
#include "duets/service/program_process.h"
#include "duets/service/program_text.h"

namespace duets::service {
namespace {

using std::chrono::milliseconds;
using Clock = ProgramProcess::Clock;

constexpr std::size_t kMaxLine = std::size_t{1} << 20;
constexpr double kMaxSeconds = 1e9;
constexpr milliseconds kLookAround{50};
// How long an idle program may take to end by itself once its input is closed.
constexpr milliseconds kFarewell{1000};

Clock::duration seconds(double count) {
  return std::chrono::duration_cast<Clock::duration>(
      std::chrono::duration<double>(std::min(count, kMaxSeconds)));
}

void validate(const ProgramOptions& options) {
  if (options.command.empty()) {
    throw base::Error(base::ErrorKind::kInvalid,
                      "objective.command is empty: name a program, or type one behind --");
  }
  base::require(options.timeout_seconds > 0, "objective.timeout",
                fmt::to_string(options.timeout_seconds), "must be > 0 seconds");
  base::require(options.kill_seconds >= 0, "kill_seconds", fmt::to_string(options.kill_seconds),
                "must be >= 0");
}

/// Writing to a program that has closed its input must be an error of that call, not a signal that
/// ends this process. The handler belongs to the host, so the signal is kept away from this thread
/// alone, and taken back if the write has caused one.
class NoBrokenPipeSignal {
 public:
  NoBrokenPipeSignal() {
    sigset_t pending;
    ::sigpending(&pending);
    was_pending_ = sigismember(&pending, SIGPIPE) == 1;
    sigemptyset(&pipe_);
    sigaddset(&pipe_, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
  }
  ~NoBrokenPipeSignal() {
    const timespec at_once{};
    if (!was_pending_) {
      while (::sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
      }
    }
    ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  NoBrokenPipeSignal(const NoBrokenPipeSignal&) = delete;
  NoBrokenPipeSignal& operator=(const NoBrokenPipeSignal&) = delete;

 private:
  bool was_pending_ = false;
  sigset_t pipe_{}, before_{};
};

}  // namespace

class Program::Impl {
 public:
  explicit Impl(ProgramOptions options);
  ~Impl() { end(kFarewell); }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  Answer ask(const Query& query, const std::atomic<bool>& abandon);

 private:
  enum class Output : std::uint8_t { kOpen, kEnded, kTooLong };

  /// A query on its way to the program.
  struct Sending {
    std::string trial;
    std::string line;
    std::string pending;  // what is left to write of it
  };

  Answer attempt(Sending query, const std::atomic<bool>& abandon);
  /// Nothing when a process that has answered before did not read this query: a fresh one has to be
  /// asked.
  std::optional<Answer> exchange(Sending& query, const std::atomic<bool>& abandon);
  void start_if_needed();
  bool is_usable();
  void wait_for_something(bool writing, Clock::duration limit) const;
  bool write_some(std::string& pending);
  Output read_some();
  std::optional<std::string> take_line();
  Answer answered(const Sending& query, const std::string& line);
  std::optional<Answer> output_ended(const Sending& query);
  Failure failed(const std::string& why);
  void end(Clock::duration patience);

  ProgramOptions options_;
  std::string file_;
  ProgramStderr relay_;
  std::unique_ptr<ProgramProcess> process_;
  bool has_answered_ = false;  // this process, an earlier query
  std::string received_;       // of its standard output, not used yet
};

Program::Impl::Impl(ProgramOptions options)
    : options_(std::move(options)),
      relay_([](const std::string& line) { std::fwrite(line.data(), 1, line.size(), stderr); }) {
  validate(options_);
  file_ = find_program(options_.command.front());
}

Answer Program::Impl::ask(const Query& query, const std::atomic<bool>& abandon) {
  Sending sending{trial_name(query), query_line(options_, query), {}};
  sending.pending = sending.line;
  relay_.begin_query(query.agent);
  Answer answer = attempt(sending, abandon);
  for (std::uint32_t retry = 1; retry <= options_.retries; ++retry) {
    const auto* failure = std::get_if<Failure>(&answer);
    if (failure == nullptr) break;
    relay_.say(fmt::format("trial {}, attempt {} of {}: {}", sending.trial, retry,
                           options_.retries + 1, failure->why));
    answer = attempt(sending, abandon);
  }
  relay_.end_query();
  return answer;
}

Answer Program::Impl::attempt(Sending query, const std::atomic<bool>& abandon) {
  std::optional<Answer> answer;
  while (!answer) {
    if (abandon.load()) return Interrupted{};
    relay_.begin_attempt();
    try {
      start_if_needed();
    } catch (const base::Error& error) {
      if (error.kind() == base::ErrorKind::kInvalid) throw;
      return failed(error.what());
    }
    query.pending = query.line;
    answer = exchange(query, abandon);
    if (!answer) end(kFarewell);
  }
  return *answer;
}

void Program::Impl::start_if_needed() {
  if (process_ && !is_usable()) end(kFarewell);
  if (process_) return;
  received_.clear();
  has_answered_ = false;
  process_ = std::make_unique<ProgramProcess>(file_, options_.command, relay_);
}

// What a program says unasked belongs to a query that has its answer already. It must not become
// the answer of the next one, which in turn should not suffer from it: a fresh process is asked.
bool Program::Impl::is_usable() {
  const Output output = read_some();
  if (is_blank_output(received_)) {
    received_.clear();
    return output == Output::kOpen && !process_->has_ended();
  }
  relay_.say(
      fmt::format("the program wrote more than one line for an earlier query: {}; it is "
                  "started again",
                  quoted_output(received_)));
  return false;
}

std::optional<Answer> Program::Impl::exchange(Sending& query, const std::atomic<bool>& abandon) {
  const auto deadline = Clock::now() + seconds(options_.timeout_seconds);
  while (true) {
    if (abandon.load()) {
      end(Clock::duration::zero());
      return Interrupted{};
    }
    const Clock::duration left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) {
      return failed(fmt::format("no answer within {} s", options_.timeout_seconds));
    }
    wait_for_something(!query.pending.empty(), std::min<Clock::duration>(kLookAround, left));
    // Looked at before reading: what it wrote before its end is in the pipe then.
    const bool ended = process_->has_ended();
    if (!query.pending.empty() && !write_some(query.pending)) {
      if (has_answered_) return std::nullopt;
      // It may still answer: some programs do not listen.
      query.pending.clear();
      process_->close_input();
    }
    if (query.pending.empty() && options_.once) process_->close_input();
    const Output output = read_some();
    if (const auto line = take_line()) return answered(query, *line);
    if (output == Output::kTooLong) {
      return failed(fmt::format("the answer is longer than {} bytes", kMaxLine));
    }
    if (output == Output::kEnded || ended) return output_ended(query);
  }
}

void Program::Impl::wait_for_something(bool writing, Clock::duration limit) const {
  std::array<pollfd, 2> waited{pollfd{process_->output(), POLLIN, 0},
                               pollfd{writing ? process_->input() : -1, POLLOUT, 0}};
  const auto ms = std::chrono::ceil<milliseconds>(limit).count();
  ::poll(waited.data(), waited.size(), static_cast<int>(ms));
}

// False when the program has closed its input.
bool Program::Impl::write_some(std::string& pending) {
  const NoBrokenPipeSignal guard;
  const ssize_t count = ::write(process_->input(), pending.data(), pending.size());
  if (count > 0) pending.erase(0, static_cast<std::size_t>(count));
  return count >= 0 || errno != EPIPE;
}

// Everything that is there now, up to a little more than the longest line.
Program::Impl::Output Program::Impl::read_some() {
  std::array<char, 65536> bytes;
  while (received_.size() <= kMaxLine) {
    const ssize_t count = ::read(process_->output(), bytes.data(), bytes.size());
    if (count == 0) return Output::kEnded;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? Output::kOpen : Output::kEnded;
    received_.append(bytes.data(), static_cast<std::size_t>(count));
  }
  return Output::kTooLong;
}

// The first line that is not blank; none while its end is missing, or when it is too long.
std::optional<std::string> Program::Impl::take_line() {
  while (true) {
    const std::size_t end = received_.find('\n');
    if (end > kMaxLine) return std::nullopt;  // npos is the largest of all
    std::string line = received_.substr(0, end);
    received_.erase(0, end + 1);
    if (!is_blank_output(line)) return line;
  }
}

Answer Program::Impl::answered(const Sending& query, const std::string& line) {
  Answer answer = read_answer(line, query.trial);
  if (const auto* failure = std::get_if<Failure>(&answer)) return failed(failure->why);
  if (options_.once) {
    process_->end(seconds(options_.kill_seconds), seconds(options_.kill_seconds));
    read_some();
  }
  if (!is_blank_output(received_)) {
    return failed(fmt::format("the program wrote more than one line: {} and then {}",
                              quoted_output(line), quoted_output(received_)));
  }
  has_answered_ = true;
  // A program that lacks a part of this query would take the next one for it.
  if (options_.once || !query.pending.empty() || process_->input() < 0) end(kFarewell);
  return answer;
}

std::optional<Answer> Program::Impl::output_ended(const Sending& query) {
  // The last line may lack its line feed.
  if (!is_blank_output(received_)) return answered(query, std::exchange(received_, {}));
  const std::size_t num_unread = process_->num_unread() + query.pending.size();
  if (has_answered_ && num_unread >= query.line.size()) return std::nullopt;
  const bool by_itself = process_->wait(kFarewell);
  process_->end(Clock::duration::zero(), seconds(options_.kill_seconds));
  if (!by_itself) return failed("the program closed its output without an answer");
  return failed(
      fmt::format("the program ended with {} before it answered", process_->how_it_ended()));
}

// After a failure nobody knows what the program is up to: the next attempt gets a fresh one.
Failure Program::Impl::failed(const std::string& why) {
  end(Clock::duration::zero());
  return Failure{why, relay_.tail()};
}

void Program::Impl::end(Clock::duration patience) {
  if (!process_) return;
  process_->end(std::min(patience, seconds(options_.kill_seconds)), seconds(options_.kill_seconds));
  process_.reset();
}

Program::Program(ProgramOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Program::~Program() = default;

Answer Program::ask(const Query& query, const std::atomic<bool>& abandon) {
  return impl_->ask(query, abandon);
}

}  // namespace duets::service
