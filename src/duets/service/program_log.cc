#include "duets/service/program_log.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/count_text.h"
#include "duets/service/program_text.h"

namespace duets::service {

void ProgramLog::begin_query(std::uint32_t agent) {
  const std::lock_guard lock(mutex_);
  tell_left_out();
  prefix_ = fmt::format("agent {}: ", agent);
  num_lines_ = 0;
}

void ProgramLog::begin_attempt() {
  const std::lock_guard lock(mutex_);
  tail_.clear();
}

void ProgramLog::take(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  keep(bytes);
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    // One byte more than is shown, to distinguish a cut line from one that just fits.
    line_ += bytes.substr(0, std::min(end, kMaxLine + 1 - std::min(line_.size(), kMaxLine + 1)));
    if (end == bytes.size()) return;
    pass_on(line_);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
}

// A line of standard error may be incomplete; the two must not be joined.
void ProgramLog::take_line(std::string_view line) {
  const std::lock_guard lock(mutex_);
  if (!tail_.empty() && tail_.back() != '\n') keep("\n");
  keep(line);
  keep("\n");
  pass_on(line);
}

void ProgramLog::finish_line() {
  const std::lock_guard lock(mutex_);
  if (!line_.empty()) pass_on(line_);
  line_.clear();
}

void ProgramLog::end_query() {
  const std::lock_guard lock(mutex_);
  tell_left_out();
}

void ProgramLog::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  write_(prefix_ + text + "\n");
}

std::string ProgramLog::tail() const {
  const std::lock_guard lock(mutex_);
  return readable_output(tail_, kMaxTail);
}

void ProgramLog::keep(std::string_view bytes) {
  tail_ += bytes;
  if (tail_.size() > kMaxTail) tail_.erase(0, tail_.size() - kMaxTail);
}

void ProgramLog::pass_on(std::string_view line) {
  if (num_lines_ == kMaxLines) {
    ++num_left_out_;
    return;
  }
  ++num_lines_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  write_(fmt::format("{}{}{}\n", prefix_, readable_output(line, kMaxLine),
                     line.size() > kMaxLine ? "..." : ""));
}

void ProgramLog::tell_left_out() {
  if (num_left_out_ == 0) return;
  write_(fmt::format("{}({} of the program omitted)\n", prefix_,
                     base::count_text(num_left_out_, "more line", "more lines")));
  num_left_out_ = 0;
}

}  // namespace duets::service
