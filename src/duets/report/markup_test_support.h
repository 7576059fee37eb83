// For tests of pictures and pages: checks of well-formedness and of numbers.
#pragma once

#include <cctype>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace duets::report::markup_testing {

/// What is wrong with the XML text (a DOCTYPE line is skipped), or nothing: tags nest, attributes
/// are quoted and unique, text has no bare "<" or "&".
class XmlCheck {
 public:
  explicit XmlCheck(std::string_view text) : text_(text) {
    if (text_.starts_with("<!DOCTYPE html>")) text_.remove_prefix(15);
  }

  std::optional<std::string> problem() {
    while (at_ < text_.size() && !problem_) step();
    if (!problem_ && !open_.empty()) fail("not closed: " + open_.back());
    return problem_;
  }

 private:
  void fail(const std::string& what) {
    if (!problem_) problem_ = what + " near " + std::string(text_.substr(at_, 60));
  }

  void step() {
    if (text_[at_] == '<') return tag();
    if (text_[at_] == '&') return entity();
    ++at_;
  }

  void entity() {
    const std::size_t end = text_.find(';', at_);
    if (end == std::string_view::npos || end - at_ > 8) return fail("bare &");
    at_ = end + 1;
  }

  std::string word() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  text_[at_] == '-' || text_[at_] == ':')) {
      ++at_;
    }
    if (at_ == start) fail("name missing");
    return std::string(text_.substr(start, at_ - start));
  }

  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  bool take(std::string_view token) {
    if (!text_.substr(at_).starts_with(token)) return false;
    at_ += token.size();
    return true;
  }

  void tag() {
    if (take("</")) {
      const std::string name = word();
      if (open_.empty() || open_.back() != name) return fail("closes nothing: " + name);
      open_.pop_back();
      if (!take(">")) fail("> missing");
      return;
    }
    ++at_;
    const std::string name = word();
    std::vector<std::string> seen;
    for (skip_space(); !problem_; skip_space()) {
      if (take("/>")) return;
      if (take(">")) return open_.push_back(name);
      attribute(seen);
    }
  }

  void attribute(std::vector<std::string>& seen) {
    const std::string name = word();
    for (const std::string& other : seen) {
      if (other == name) return fail("attribute twice: " + name);
    }
    seen.push_back(name);
    if (!take("=\"")) return fail("no quoted value");
    while (at_ < text_.size() && text_[at_] != '"' && !problem_) {
      if (text_[at_] == '<') return fail("< in an attribute");
      text_[at_] == '&' ? entity() : static_cast<void>(++at_);
    }
    if (!take("\"")) fail("quote missing");
  }

  std::string_view text_;
  std::size_t at_ = 0;
  std::vector<std::string> open_;
  std::optional<std::string> problem_;
};

/// Whether the markup shows something that is not a number: the word "nan", "inf" or "infinity", in
/// any case, outside embedded pictures.
inline bool has_non_number(std::string_view markup) {
  std::string word;
  bool in_data = false;  // base64 may spell anything
  for (std::size_t i = 0; i <= markup.size(); ++i) {
    if (markup.substr(i).starts_with("base64,")) in_data = true;
    const char c = i < markup.size() ? markup[i] : ' ';
    if (c == '"') in_data = false;
    if (!in_data && std::isalpha(static_cast<unsigned char>(c)) != 0) {
      word += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
      continue;
    }
    if (word == "nan" || word == "inf" || word == "infinity") return true;
    word.clear();
  }
  return false;
}

}  // namespace duets::report::markup_testing
