#include "duets/cli/flag_lists.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "duets/base/error.h"
#include "duets/cli/study_file.h"

namespace duets::cli {

namespace {

// Without leading and trailing blanks.
std::string trimmed(const std::string& word) {
  const std::size_t begin = word.find_first_not_of(' ');
  if (begin == std::string::npos) return {};
  return word.substr(begin, word.find_last_not_of(' ') - begin + 1);
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
  std::vector<double> betas;
  for (const std::string& word : word_list(flag, text)) {
    double beta = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), beta);
    const bool number = error == std::errc() && end == word.data() + word.size();
    base::require(number && std::isfinite(beta) && beta >= 0, flag, word,
                  "must be a finite number that is at least 0");
    base::require(std::find(betas.begin(), betas.end(), beta) == betas.end(), flag, text,
                  "names " + word + " twice");
    betas.push_back(beta);
  }
  return betas;
}

void check_seeds(const std::string& field, std::uint64_t first, std::uint32_t runs) {
  base::require(first <= study::kMaxSeed - (runs - 1), field, fmt::format("{}", first),
                fmt::format("with {} the last seed is above {}", runs_text(runs), study::kMaxSeed));
}

std::string runs_text(std::uint32_t runs) {
  return fmt::format("{} {}", runs, runs == 1 ? "run" : "runs");
}

}  // namespace duets::cli
