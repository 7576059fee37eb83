// Splits the standard output of the user's program into lines, with bounded memory.
#pragma once

#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace duets::service {

/// Blank lines are dropped.
class ProgramLines {
 public:
  /// The longest line that is kept whole.
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  void take(std::string_view bytes);
  /// The output has ended: the remaining bytes are a line even without a line feed.
  void end();
  /// Discards everything: a new process.
  void clear();

  /// The next line. A line longer than kMaxLine is returned as soon as that is known, cut after
  /// kMaxLine + 1 bytes; the rest of it is dropped.
  std::optional<std::string> next();
  /// True when there is an incomplete line that is not blank so far.
  bool has_part() const;

 private:
  void finish_line();

  std::deque<std::string> lines_;
  std::string part_;
  bool dropping_ = false;  // the rest of a line that was too long
};

}  // namespace duets::service
