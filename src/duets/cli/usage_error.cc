#include "duets/cli/usage_error.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <numeric>

#include "duets/cli/exit_code.h"
#include "duets/cli/print_to.h"

namespace duets::cli {
namespace {

// An unknown option makes its neighbours look unexpected too: only the option is named.
std::string unexpected(std::vector<std::string> words) {
  const auto is_option = [](const std::string& word) { return word.size() > 2 && word[0] == '-'; };
  if (std::any_of(words.begin(), words.end(), is_option)) {
    words.erase(std::remove_if(words.begin(), words.end(), std::not_fn(is_option)), words.end());
  }
  return fmt::format("not expected: {}", fmt::join(words, " "));
}

std::vector<std::string> known_commands(const CLI::App& parent) {
  std::vector<std::string> names;
  for (const CLI::App* known : parent.get_subcommands(nullptr)) names.push_back(known->get_name());
  return names;
}

// The number of letters to insert, delete, replace or swap to turn one word into the other.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) cost[i][0] = i;
  std::iota(cost[0].begin(), cost[0].end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min({cost[i - 1][j] + 1, cost[i][j - 1] + 1,
                             cost[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0U : 1U)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[a.size()][b.size()];
}

// The nearest names that a typing error explains, or that begin with the word.
std::vector<std::string> near(const std::vector<std::string>& names, const std::string& word) {
  constexpr std::size_t kLongest = 40;  // longer words are not typing errors
  constexpr std::size_t kSlips = 2;
  std::vector<std::string> found;
  if (word.empty() || word.size() > kLongest) return found;
  std::size_t best = std::min(kSlips, word.size() / 2);
  for (const std::string& name : names) {
    const std::size_t far = name.starts_with(word) ? 0 : distance(name, word);
    if (far > best) continue;
    if (far < best) found.clear();
    best = far;
    found.push_back(name);
  }
  return found;
}

}  // namespace

std::string unknown_command(const CLI::App& parent, const std::string& path,
                            const std::string& word) {
  const std::vector<std::string> names = known_commands(parent);
  const std::string what = parent.get_parent() == nullptr
                               ? fmt::format("\"{}\" is not a command", word)
                               : fmt::format("\"{}\" is not a subcommand of {}", word, path);
  const std::vector<std::string> meant = near(names, word);
  return meant.empty() ? fmt::format("{}: {}", what, fmt::join(names, ", "))
                       : fmt::format("{}; did you mean {}?", what, fmt::join(meant, " or "));
}

int report_usage(const CLI::App& app, const CLI::ParseError& error, const std::string& first) {
  if (error.get_exit_code() == 0) return app.exit(error);
  const CLI::App* chosen = &app;
  std::string command = app.get_name();
  while (!chosen->get_subcommands().empty()) {
    chosen = chosen->get_subcommands().front();
    command += " " + chosen->get_name();
  }
  std::string what = error.what();
  if (chosen == &app && !first.empty() && first[0] != '-') {
    what = unknown_command(app, command, first);
  } else if (chosen != &app && !chosen->get_subcommands(nullptr).empty()) {
    const std::vector<std::string> words = app.remaining(true);
    what = words.empty() ? fmt::format("{} needs a subcommand: {}", command,
                                       fmt::join(known_commands(*chosen), ", "))
                         : unknown_command(*chosen, command, words.front());
  } else if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr) {
    what = unexpected(app.remaining(true));
  }
  print_to(stderr, "duets: {}\nTry: {} --help\n", what, command);
  return static_cast<int>(ExitCode::kUsage);
}

}  // namespace duets::cli
