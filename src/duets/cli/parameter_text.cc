#include "duets/cli/parameter_text.h"

#include <fmt/format.h>

#include <charconv>
#include <sstream>
#include <string_view>
#include <vector>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

using domain::Parameter;
using domain::ParameterType;

constexpr std::string_view kHowTo =
    "write 'lr=1e-5..1e-1 log', 'layers=1..4 int' or 'opt=sgd|adam'";

std::string trimmed_word(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n";
  const std::size_t begin = text.find_first_not_of(kBlanks);
  if (begin == std::string_view::npos) return {};
  return std::string(text.substr(begin, text.find_last_not_of(kBlanks) + 1 - begin));
}

/// Reads one parameter; its errors quote the whole text.
class ParameterReader {
 public:
  explicit ParameterReader(const std::string& text) : text_(text) {}

  Parameter read() {
    const std::size_t equals = text_.find('=');
    if (equals == std::string::npos) fail(fmt::format("has no '='; {}", kHowTo));
    parameter_.name = trimmed_word(std::string_view(text_).substr(0, equals));
    if (parameter_.name.empty()) fail(fmt::format("has no name before '='; {}", kHowTo));
    const std::string rest = trimmed_word(std::string_view(text_).substr(equals + 1));
    if (rest.empty()) fail(fmt::format("has no values after '='; {}", kHowTo));
    // A number has no bar, a choice may have two dots.
    if (rest.find('|') != std::string::npos) {
      read_choices(rest);
    } else {
      read_range(rest);
    }
    check();
    return parameter_;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    base::refuse("-p", fmt::format("\"{}\"", text_), what);
  }

  void read_choices(std::string_view rest) {
    parameter_.type = ParameterType::kCategorical;
    while (true) {
      const std::size_t bar = rest.find('|');
      parameter_.choices.push_back(trimmed_word(rest.substr(0, bar)));
      if (parameter_.choices.back().empty()) fail("has an empty choice beside a '|'");
      if (bar == std::string_view::npos) return;
      rest.remove_prefix(bar + 1);
    }
  }

  void read_range(const std::string& rest) {
    const std::size_t dots = rest.find("..");
    if (dots == std::string::npos) {
      fail(fmt::format("must be a range LOW..HIGH or choices A|B; {}", kHowTo));
    }
    // Either a dot too many, or a HIGH of .1.
    if (rest.compare(dots, 3, "...") == 0) fail("has three dots; write '0..1' or '0..0.1'");
    parameter_.low = number(trimmed_word(rest.substr(0, dots)), "LOW");
    std::istringstream words(rest.substr(dots + 2));
    std::string word;
    if (!(words >> word)) fail("has no HIGH after '..'");
    parameter_.high = number(word, "HIGH");
    while (words >> word) {
      if (word == "int") {
        parameter_.type = ParameterType::kInt;
      } else if (word == "log") {
        parameter_.log = true;
      } else if (word == "step") {
        if (!(words >> word)) fail("has no number after 'step'");
        parameter_.step = number(word, "the step");
        has_step_ = true;
      } else {
        fail(fmt::format("'{}' must be 'int', 'log' or 'step S'", word));
      }
    }
  }

  double number(std::string_view word, const char* what) const {
    if (word.starts_with('+')) word.remove_prefix(1);
    double value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (word.empty() || error != std::errc() || end != word.data() + word.size()) {
      fail(fmt::format("{} must be a number, not '{}'", what, word));
    }
    return value;
  }

  // The study file has the same rules, but other names.
  void check() const {
    if (has_step_ && parameter_.type != ParameterType::kInt) fail("'step' needs 'int'");
    try {
      domain::validate(parameter_);
    } catch (const base::Error& error) {
      std::string what = error.what();
      const std::string prefix = fmt::format("space.{}.", parameter_.name);
      if (what.starts_with(prefix)) what.erase(0, prefix.size());
      fail(what);
    }
  }

  const std::string& text_;
  Parameter parameter_;
  bool has_step_ = false;
};

}  // namespace

Parameter parse_parameter(const std::string& text) { return ParameterReader(text).read(); }

}  // namespace duets::cli
