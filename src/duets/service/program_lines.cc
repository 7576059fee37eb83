#include "duets/service/program_lines.h"

#include <algorithm>
#include <utility>

#include "duets/service/program_text.h"

namespace duets::service {

void ProgramLines::take(std::string_view bytes) {
  while (!bytes.empty()) {
    const std::size_t end = std::min(bytes.find('\n'), bytes.size());
    if (!dropping_) part_ += bytes.substr(0, std::min(end, kMaxLine + 1 - part_.size()));
    if (part_.size() > kMaxLine) {
      finish_line();
      dropping_ = true;
    }
    if (end == bytes.size()) return;
    finish_line();
    dropping_ = false;
    bytes.remove_prefix(end + 1);
  }
}

void ProgramLines::end() { finish_line(); }

void ProgramLines::clear() { *this = {}; }

std::optional<std::string> ProgramLines::next() {
  if (lines_.empty()) return std::nullopt;
  std::string line = std::move(lines_.front());
  lines_.pop_front();
  return line;
}

bool ProgramLines::has_part() const { return !is_blank_output(part_); }

void ProgramLines::finish_line() {
  if (has_part()) lines_.push_back(std::move(part_));
  part_.clear();
}

}  // namespace duets::service
