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
#include "duets/service/clock.h"
#include "duets/service/program_exec.h"
#include "duets/service/program_lines.h"
#include "duets/service/program_process.h"
#include "duets/service/program_text.h"
#include "duets/service/program_words.h"

namespace duets::service {
namespace {

using std::chrono::milliseconds;

constexpr double kMaxSeconds = 1e9;
constexpr milliseconds kLookAround{50};
// Time limit for an idle program to exit by itself after its input is closed.
constexpr milliseconds kFarewell{1000};
// How many bytes are read before lines are processed; more than a pipe usually holds.
constexpr std::size_t kMaxRead = std::size_t{1} << 20;

Clock::duration bounded_seconds(double count) { return seconds(std::min(count, kMaxSeconds)); }

void validate(const ProgramOptions& options) {
  if (options.command.empty()) {
    throw base::Error(base::ErrorKind::kInvalid,
                      "objective.command is empty: specify a program there, or after --");
  }
  base::require(options.timeout_seconds > 0, "objective.timeout",
                fmt::to_string(options.timeout_seconds), "must be > 0 seconds");
  base::require(options.kill_seconds >= 0, "kill_seconds", fmt::to_string(options.kill_seconds),
                "must be >= 0");
}

/// Writing to a program that has closed its input must be an error of that call, not a signal that
/// ends this process. The handler belongs to the host, so the signal is blocked in this thread
/// only, and discarded if the write raises it.
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
  enum class Output : std::uint8_t { kOpen, kEnded };

  /// A query that is being sent to the program.
  struct Sending {
    const Query& query;
    std::string trial;
    std::string line;
    std::string pending;  // the part not written yet
  };

  /// A line that is an answer, valid or not.
  struct Said {
    Answer answer;
    std::string line;
  };

  Answer attempt(Sending query, const std::atomic<bool>& abandon);
  /// Nothing when a process that has answered before did not read this query: a new process must be
  /// asked.
  std::optional<Answer> exchange(Sending& query, const std::atomic<bool>& abandon);
  void start_if_needed(const Sending& query);
  bool is_usable();
  void wait_for_something(bool writing, Clock::duration limit) const;
  bool send(Sending& query);
  bool write_some(std::string& pending);
  Output read_some();
  std::optional<Said> next_answer(const std::string& trial);
  bool has_read_nothing(const Sending& query) const;
  Answer out_of_time(const Sending& query, const std::optional<Said>& said);
  Answer answered(const Sending& query, Said said);
  std::optional<Answer> output_ended(const Sending& query);
  static bool supersedes(const Said& later, const Said& earlier);
  Failure answered_twice(const Said& first, const Said& second);
  Failure failed(const std::string& why);
  std::string last_words() const;
  void pass_on(const std::string& line) const;
  void end(Clock::duration patience);

  ProgramOptions options_;
  ProgramWords words_;
  std::vector<std::string> arguments_;  // of the process
  std::string file_;                    // empty: the name depends on the query
  ProgramLog relay_;
  std::unique_ptr<ProgramProcess> process_;
  bool has_answered_ = false;  // this process has answered an earlier query
  bool speaks_json_ = false;   // the program answers with objects: its numbers are log
  ProgramLines lines_;         // of its standard output, not processed yet
  std::string logged_;         // the last line of this attempt that was not an answer
};

Program::Impl::Impl(ProgramOptions options)
    : options_(std::move(options)),
      words_(options_.study, options_.worker, options_.parameters, options_.dimension),
      relay_([this](const std::string& line) { pass_on(line); }) {
  validate(options_);
  options_.once = options_.once || words_.names_query(options_.command);
  const std::string& program = options_.command.front();
  if (!words_.has_placeholder(program)) file_ = find_program(program);
}

void Program::Impl::pass_on(const std::string& line) const {
  if (options_.log) {
    options_.log({.message = line.substr(0, line.find_last_not_of('\n') + 1)});
  } else {
    std::fwrite(line.data(), 1, line.size(), stderr);
  }
}

Answer Program::Impl::ask(const Query& query, const std::atomic<bool>& abandon) {
  Sending sending{query, trial_name(query), query_line(options_, query), {}};
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
    logged_.clear();
    try {
      start_if_needed(query);
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

void Program::Impl::start_if_needed(const Sending& query) {
  ProgramCall call;
  call.arguments = words_.filled(options_.command, query.query);
  if (process_ && (!is_usable() || call.arguments != arguments_)) end(kFarewell);
  if (process_) return;
  lines_.clear();
  has_answered_ = false;
  arguments_ = call.arguments;
  call.environment = words_.environment(query.query);
  call.file = file_.empty() ? find_program(call.arguments.front()) : file_;
  process_ = std::make_unique<ProgramProcess>(call, relay_);
}

// An unexpected answer belongs to a query that has its answer already. It must not become the
// answer of the next query, nor harm it: a new process is asked.
bool Program::Impl::is_usable() {
  const Output output = read_some();
  if (const auto late = next_answer({})) {
    speaks_json_ = speaks_json_ || !is_number_line(late->line);
    relay_.say(
        fmt::format("the program wrote more than one answer to an earlier query: {}; "
                    "restarting it",
                    quoted_output(late->line)));
    return false;
  }
  // An incomplete line might still become an answer.
  return output == Output::kOpen && !lines_.has_part() && !process_->has_ended();
}

std::optional<Answer> Program::Impl::exchange(Sending& query, const std::atomic<bool>& abandon) {
  auto deadline = Clock::now() + bounded_seconds(options_.timeout_seconds);
  std::optional<Said> said;  // with `once`, which waits for the end of the process
  while (true) {
    if (abandon.load()) {
      end(Clock::duration::zero());
      return Interrupted{};
    }
    const Clock::duration left = deadline - Clock::now();
    if (left <= Clock::duration::zero()) return out_of_time(query, said);
    wait_for_something(!query.pending.empty(), std::min<Clock::duration>(kLookAround, left));
    // Checked before reading: everything that it wrote before its end is in the pipe then.
    const bool gone = process_->has_ended();
    if (!send(query)) return std::nullopt;
    const bool ended = read_some() == Output::kEnded || gone;
    // The last line may have no line feed.
    if (ended) lines_.end();
    while (auto next = next_answer(query.trial)) {
      if (said && !supersedes(*next, *said)) return answered_twice(*said, *next);
      if (has_answered_ && has_read_nothing(query)) {
        relay_.say(
            fmt::format("the program printed {} after it had answered; restarting it. It must "
                        "print one answer for each query, and its log to standard error",
                        quoted_output(next->line)));
        return std::nullopt;
      }
      said = std::move(next);
      if (!options_.once) return answered(query, *said);
      // An object is certainly the answer; after a number there may be another one.
      if (!is_number_line(said->line)) {
        deadline = std::min(deadline, Clock::now() + bounded_seconds(options_.kill_seconds));
      }
    }
    if (ended) return said ? answered(query, *said) : output_ended(query);
  }
}

Answer Program::Impl::out_of_time(const Sending& query, const std::optional<Said>& said) {
  if (!said) {
    return failed(
        fmt::format("timed out: no answer within {} s{}", options_.timeout_seconds, last_words()));
  }
  if (is_number_line(said->line)) {
    return failed(fmt::format("the program printed {} but did not exit within {} s",
                              quoted_output(said->line), options_.timeout_seconds));
  }
  process_->end(Clock::duration::zero(), bounded_seconds(options_.kill_seconds));
  return answered(query, *said);
}

void Program::Impl::wait_for_something(bool writing, Clock::duration limit) const {
  std::array<pollfd, 2> waited{pollfd{process_->output(), POLLIN, 0},
                               pollfd{writing ? process_->input() : -1, POLLOUT, 0}};
  const auto ms = std::chrono::ceil<milliseconds>(limit).count();
  ::poll(waited.data(), waited.size(), static_cast<int>(ms));
}

// False when a process that has answered before has closed its input.
bool Program::Impl::send(Sending& query) {
  if (!query.pending.empty() && !write_some(query.pending)) {
    if (has_answered_) return false;
    // It may still answer: some programs do not read their input.
    query.pending.clear();
    process_->close_input();
  }
  if (query.pending.empty() && options_.once) process_->close_input();
  return true;
}

// False when the program has closed its input.
bool Program::Impl::write_some(std::string& pending) {
  const NoBrokenPipeSignal guard;
  const ssize_t count = ::write(process_->input(), pending.data(), pending.size());
  if (count > 0) pending.erase(0, static_cast<std::size_t>(count));
  return count >= 0 || errno != EPIPE;
}

// Reads what is available, in chunks: a program that never stops writing must not block us here.
Program::Impl::Output Program::Impl::read_some() {
  std::array<char, 65536> bytes;
  for (std::size_t total = 0; total < kMaxRead;) {
    const ssize_t count = ::read(process_->output(), bytes.data(), bytes.size());
    if (count == 0) return Output::kEnded;
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return errno == EAGAIN ? Output::kOpen : Output::kEnded;
    lines_.take({bytes.data(), static_cast<std::size_t>(count)});
    total += static_cast<std::size_t>(count);
  }
  return Output::kOpen;
}

// The next line that is an answer; the lines before it are the program's log.
std::optional<Program::Impl::Said> Program::Impl::next_answer(const std::string& trial) {
  while (auto line = lines_.next()) {
    const bool is_number = is_number_line(*line);
    auto answer = is_number && speaks_json_ ? std::nullopt : read_answer(*line, trial);
    if (answer) {
      if (!is_number && !std::holds_alternative<Failure>(*answer)) speaks_json_ = true;
      return Said{*std::move(answer), *std::move(line)};
    }
    relay_.take_line(*line);
    logged_ = *std::move(line);
  }
  return std::nullopt;
}

bool Program::Impl::has_read_nothing(const Sending& query) const {
  return process_->num_unread() + query.pending.size() >= query.line.size();
}

// A number is the program's log where it answers with an object, too.
bool Program::Impl::supersedes(const Said& later, const Said& earlier) {
  return is_number_line(earlier.line) && !is_number_line(later.line);
}

Answer Program::Impl::answered(const Sending& query, Said said) {
  if (const auto* failure = std::get_if<Failure>(&said.answer)) return failed(failure->why);
  if (options_.once) {
    process_->end(bounded_seconds(options_.kill_seconds), bounded_seconds(options_.kill_seconds));
    read_some();
    lines_.end();
  }
  while (auto second = next_answer(query.trial)) {
    if (!supersedes(*second, said)) return answered_twice(said, *second);
    said = *std::move(second);
  }
  if (const auto* failure = std::get_if<Failure>(&said.answer)) return failed(failure->why);
  has_answered_ = true;
  // A program that did not read all of this query would take the next one for the rest.
  if (options_.once || !query.pending.empty() || process_->input() < 0) end(kFarewell);
  return said.answer;
}

std::optional<Answer> Program::Impl::output_ended(const Sending& query) {
  if (has_answered_ && has_read_nothing(query)) return std::nullopt;
  const bool by_itself = process_->wait(kFarewell);
  process_->end(Clock::duration::zero(), bounded_seconds(options_.kill_seconds));
  if (!by_itself) return failed("the program closed its output without an answer" + last_words());
  return failed(fmt::format("the program ended with {} before it answered{}",
                            process_->how_it_ended(), last_words()));
}

Failure Program::Impl::answered_twice(const Said& first, const Said& second) {
  return failed(fmt::format("the program wrote more than one answer: {} and then {}",
                            quoted_output(first.line), quoted_output(second.line)));
}

// After a failure the state of the program is unknown: the next attempt gets a new process.
Failure Program::Impl::failed(const std::string& why) {
  end(Clock::duration::zero());
  lines_.end();
  while (const auto line = lines_.next()) relay_.take_line(*line);
  return Failure{why, relay_.tail()};
}

// The last output, which the program's author may take for an answer.
std::string Program::Impl::last_words() const {
  if (logged_.empty()) return "";
  return fmt::format("; the last line it printed is not an answer: {}", quoted_output(logged_));
}

void Program::Impl::end(Clock::duration patience) {
  if (!process_) return;
  process_->end(std::min(patience, bounded_seconds(options_.kill_seconds)),
                bounded_seconds(options_.kill_seconds));
  process_.reset();
}

Program::Program(ProgramOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Program::~Program() = default;

Answer Program::ask(const Query& query, const std::atomic<bool>& abandon) {
  return impl_->ask(query, abandon);
}

}  // namespace duets::service
