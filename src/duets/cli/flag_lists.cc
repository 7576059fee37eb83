#include "duets/cli/flag_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"
#include "duets/lab/hindsight.h"

namespace duets::cli {

namespace {

// Without leading and trailing blanks.
std::string trimmed(const std::string& word) {
  const std::size_t begin = word.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return word.substr(begin, word.find_last_not_of(' ') - begin + 1);
}

// Different numbers that fit.
template <class Fits>
std::vector<double> number_list(const std::string& flag, const std::string& text, const Fits& fits,
                                const char* constraint) {
  std::vector<double> numbers;
  for (const std::string& word : word_list(flag, text)) {
    double number = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), number);
    const bool whole = error == std::errc() && end == word.data() + word.size();
    base::require(whole && fits(number), flag, word, constraint);
    base::require(std::find(numbers.begin(), numbers.end(), number) == numbers.end(), flag, text,
                  "names " + word + " twice");
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::vector<std::string> word_list(const std::string& flag, const std::string& text) {
  std::vector<std::string> words;
  if (text.empty()) return words;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string word = trimmed(text.substr(begin, end - begin));
    base::require(!word.empty(), flag, "\"" + text + "\"", "has an empty item");
    base::require(std::find(words.begin(), words.end(), word) == words.end(), flag, text,
                  "names " + word + " twice");
    words.push_back(word);
    begin = end + 1;
  }
  return words;
}

std::vector<double> beta_list(const std::string& flag, const std::string& text) {
  return number_list(
      flag, text, [](double beta) { return std::isfinite(beta) && beta >= 0; },
      "must be a finite number that is at least 0");
}

std::vector<double> threshold_list(const std::string& flag, const std::string& text) {
  return number_list(
      flag, text, [](double threshold) { return threshold > 0; }, "must be a number above 0");
}

void check_seeds(const std::string& field, std::uint64_t first, std::uint32_t runs) {
  const std::uint64_t last = study::kMaxSeed - lab::kSelectionDistance - (runs - 1);
  base::require(
      first <= last, field, fmt::format("{}", first),
      fmt::format("must be at most {} with {}: the seeds that choose settings lie {} higher", last,
                  runs_text(runs), lab::kSelectionDistance));
}

std::string runs_text(std::uint32_t runs) {
  return fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
}

}  // namespace duets::cli
