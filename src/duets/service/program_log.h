// The log of the user's program: its standard error and the lines of its standard output that are
// not answers, passed on line by line, with the tail kept.
#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace duets::service {

/// Thread-safe. Per query at most kMaxLines lines are passed on, each cut after kMaxLine bytes, and
/// then one with the number of omitted lines: logs must not fill disks.
class ProgramLog {
 public:
  static constexpr std::size_t kMaxLines = 100;
  static constexpr std::size_t kMaxLine = 1000;
  static constexpr std::size_t kMaxTail = 4096;

  /// Gets whole lines with their line feed, one per call.
  using Write = std::function<void(const std::string& line)>;
  explicit ProgramLog(Write write) : write_(std::move(write)) {}

  /// From here on, lines belong to a query of this agent.
  void begin_query(std::uint32_t agent);
  /// Restarts the tail: a process was started, or a running one gets its next query.
  void begin_attempt();
  /// Bytes of its standard error.
  void take(std::string_view bytes);
  /// A line of its standard output, without the line feed.
  void take_line(std::string_view line);
  /// The process has ended: the remaining bytes are a line even without a line feed.
  void finish_line();
  /// The query has its answer: logs how many lines were omitted.
  void end_query();
  /// Writes a line of our own, with the same prefix and outside the limit.
  void say(const std::string& text);

  /// The last bytes since begin_attempt(), valid UTF-8.
  std::string tail() const;

 private:
  void keep(std::string_view bytes);
  void pass_on(std::string_view line);
  void tell_left_out();

  mutable std::mutex mutex_;
  Write write_;
  std::string prefix_;
  std::string line_;
  std::string tail_;
  std::size_t num_lines_ = 0;
  std::size_t num_left_out_ = 0;
};

}  // namespace duets::service
