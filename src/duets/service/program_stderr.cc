#include "duets/service/program_stderr.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/service/program_text.h"

namespace duets::service {

void ProgramStderr::begin_query(std::uint32_t agent) {
  const std::lock_guard lock(mutex_);
  tell_left_out();
  prefix_ = fmt::format("agent {}: ", agent);
  num_lines_ = 0;
}

void ProgramStderr::begin_attempt() {
  const std::lock_guard lock(mutex_);
  tail_.clear();
}

void ProgramStderr::take(std::string_view bytes) {
  const std::lock_guard lock(mutex_);
  tail_ += bytes;
  if (tail_.size() > kMaxTail) tail_.erase(0, tail_.size() - kMaxTail);
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    // One byte more than is shown, so that a cut can be told from a line that just fits.
    line_ += bytes.substr(0, std::min(end, kMaxLine + 1 - std::min(line_.size(), kMaxLine + 1)));
    if (end == bytes.size()) return;
    pass_on(line_);
    line_.clear();
    bytes.remove_prefix(end + 1);
  }
}

void ProgramStderr::finish_line() {
  const std::lock_guard lock(mutex_);
  if (!line_.empty()) pass_on(line_);
  line_.clear();
}

void ProgramStderr::end_query() {
  const std::lock_guard lock(mutex_);
  tell_left_out();
}

void ProgramStderr::say(const std::string& text) {
  const std::lock_guard lock(mutex_);
  write_(prefix_ + text + "\n");
}

std::string ProgramStderr::tail() const {
  const std::lock_guard lock(mutex_);
  return readable_output(tail_, kMaxTail);
}

void ProgramStderr::pass_on(std::string_view line) {
  if (num_lines_ == kMaxLines) {
    ++num_left_out_;
    return;
  }
  ++num_lines_;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  write_(fmt::format("{}{}{}\n", prefix_, readable_output(line, kMaxLine),
                     line.size() > kMaxLine ? "..." : ""));
}

void ProgramStderr::tell_left_out() {
  if (num_left_out_ == 0) return;
  write_(fmt::format("{}({} more lines of the program left out)\n", prefix_, num_left_out_));
  num_left_out_ = 0;
}

}  // namespace duets::service
