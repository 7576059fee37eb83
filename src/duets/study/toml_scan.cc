#include "duets/study/toml_scan.h"

#include <cctype>

#include "duets/study/study_file.h"

namespace duets::study {
namespace {

constexpr std::size_t kMaxDots = 16;      // in one dotted key
constexpr std::size_t kMaxKeys = 20'000;  // assignments, table headers and outermost arrays
constexpr std::size_t kMaxCommas = 2 * kMaxGivenNumbers + 100'000;

/// Walks over the text, stepping over strings and comments, and counts what lies between.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::optional<ScanProblem> run() {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == '#') {
        skip_comment();
      } else if (c == '"' || c == '\'') {
        skip_string(c);
      } else {
        if (const char* reason = count(c)) return ScanProblem{position(), reason};
        step();
      }
    }
    return std::nullopt;
  }

 private:
  Position position() const { return {line_, static_cast<std::uint32_t>(at_ - line_start_ + 1)}; }

  void step() {
    if (text_[at_++] == '\n') {
      ++line_;
      line_start_ = at_;
    }
  }

  void step(std::size_t n) {
    for (; n > 0 && at_ < text_.size(); --n) step();
  }

  void skip_comment() {
    while (at_ < text_.size() && text_[at_] != '\n') step();
  }

  // A string that does not end is left to the library to complain about.
  void skip_string(char quote) {
    std::string end(3, quote);
    const bool multi_line = text_.substr(at_, 3) == end;
    if (!multi_line) end.resize(1);
    step(end.size());
    while (at_ < text_.size() && text_.substr(at_, end.size()) != end) {
      if (!multi_line && text_[at_] == '\n') return;
      step(quote == '"' && text_[at_] == '\\' ? 2 : 1);
    }
    step(end.size());
  }

  const char* count(char c) {
    if (c == '.') return ++dots_ > kMaxDots ? "a dotted key with more than 16 dots" : nullptr;
    const bool joins = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' ||
                       c == ' ' || c == '\t';
    if (!joins) dots_ = 0;
    if (c == '=') return ++keys_ > kMaxKeys ? "more than 20000 keys" : nullptr;
    if (c == '[' || c == '{') {
      if (depth_++ == 0 && ++keys_ > kMaxKeys) return "more than 20000 tables and arrays";
    }
    if ((c == ']' || c == '}') && depth_ > 0) --depth_;
    if (c == ',') return ++commas_ > kMaxCommas ? "too many values" : nullptr;
    return nullptr;
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::size_t line_start_ = 0;
  std::uint32_t line_ = 1;
  std::size_t dots_ = 0;
  std::size_t keys_ = 0;
  std::size_t commas_ = 0;
  std::size_t depth_ = 0;  // of brackets
};

}  // namespace

std::optional<ScanProblem> scan_toml(std::string_view text) {
  if (text.size() > kMaxStudyBytes) return ScanProblem{{}, "the file is larger than 32 MiB"};
  return Scanner(text).run();
}

}  // namespace duets::study
