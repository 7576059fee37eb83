#include "duets/service/program_words.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace duets::service {
namespace {

struct Fact {
  std::string_view placeholder;
  std::string_view variable;
  bool of_query;  // changes from query to query
};

constexpr std::array<Fact, 4> kFacts{{{"{study}", "DUETS_STUDY", false},
                                      {"{agent}", "DUETS_AGENT", false},
                                      {"{epoch}", "DUETS_EPOCH", true},
                                      {"{trial}", "DUETS_TRIAL", true}}};

// In the order of kFacts.
std::array<std::string, kFacts.size()> values_of(const std::string& study, const Query& query) {
  return {study, std::to_string(query.agent), std::to_string(query.epoch), trial_name(query)};
}

bool holds(const std::string& word, const Fact& fact) {
  return word.find(fact.placeholder) != std::string::npos;
}

// From left to right, so that inserted text is not replaced again.
std::string filled(const std::string& word, const std::array<std::string, kFacts.size()>& values) {
  std::string result;
  for (std::size_t at = 0; at < word.size();) {
    std::string_view rest = word;
    rest.remove_prefix(at);
    const auto fact = std::find_if(kFacts.begin(), kFacts.end(), [&](const Fact& candidate) {
      return rest.starts_with(candidate.placeholder);
    });
    if (fact == kFacts.end()) {
      result += word[at++];
      continue;
    }
    result += values[static_cast<std::size_t>(fact - kFacts.begin())];
    at += fact->placeholder.size();
  }
  return result;
}

}  // namespace

std::vector<std::string> filled_command(const std::vector<std::string>& command,
                                        const std::string& study, const Query& query) {
  const auto values = values_of(study, query);
  std::vector<std::string> words;
  words.reserve(command.size());
  for (const std::string& word : command) words.push_back(filled(word, values));
  return words;
}

bool has_placeholder(const std::string& word) {
  return std::any_of(kFacts.begin(), kFacts.end(),
                     [&](const Fact& fact) { return holds(word, fact); });
}

bool names_query(const std::vector<std::string>& command) {
  return std::any_of(kFacts.begin(), kFacts.end(), [&](const Fact& fact) {
    return fact.of_query && std::any_of(command.begin(), command.end(),
                                        [&](const auto& word) { return holds(word, fact); });
  });
}

std::vector<std::string> query_environment(const std::string& study, const Query& query) {
  const auto values = values_of(study, query);
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < kFacts.size(); ++i) {
    variables.push_back(std::string(kFacts[i].variable) + "=" + values[i]);
  }
  return variables;
}

}  // namespace duets::service
