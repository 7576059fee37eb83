#include "duets/service/program_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>
#include <utility>

#include "duets/domain/shown_value.h"

namespace duets::service {
namespace {

bool holds(const std::string& word, const std::string& placeholder) {
  return word.find(placeholder) != std::string::npos;
}

}  // namespace

ProgramWords::ProgramWords(std::string study, std::uint32_t worker,
                           std::vector<domain::Parameter> parameters, std::size_t dimension)
    : study_(std::move(study)),
      worker_(worker),
      parameters_(std::move(parameters)),
      facts_{{"{study}", "DUETS_STUDY", false, 0},
             {"{agent}", "DUETS_AGENT", false, 0},
             {"{worker}", "DUETS_WORKER", false, 0},
             {"{epoch}", "DUETS_EPOCH", true, 0},
             {"{trial}", "DUETS_TRIAL", true, 0}} {
  const std::size_t count = parameters_.empty() ? dimension : parameters_.size();
  for (std::size_t i = 0; i < count; ++i) {
    const std::string name = parameters_.empty() ? fmt::format("x{}", i + 1) : parameters_[i].name;
    if (const std::string placeholder = "{" + name + "}"; !has_placeholder(placeholder)) {
      facts_.push_back({placeholder, "", true, i});
    }
  }
}

std::vector<std::string> ProgramWords::values_of(const Query& query) const {
  std::vector<std::string> values{study_, std::to_string(query.agent), std::to_string(worker_),
                                  std::to_string(query.epoch), trial_name(query)};
  for (std::size_t i = values.size(); i < facts_.size(); ++i) {
    const std::size_t parameter = facts_[i].parameter;
    values.push_back(
        domain::to_text(domain::shown_value(parameters_, parameter, query.values.at(parameter))));
  }
  return values;
}

// From left to right, so that inserted text is not replaced again.
std::vector<std::string> ProgramWords::filled(const std::vector<std::string>& command,
                                              const Query& query) const {
  const std::vector<std::string> values = values_of(query);
  std::vector<std::string> words;
  for (const std::string& word : command) {
    std::string& result = words.emplace_back();
    for (std::size_t at = 0; at < word.size();) {
      std::string_view rest = word;
      rest.remove_prefix(at);
      const auto fact = std::ranges::find_if(
          facts_, [&](const Fact& candidate) { return rest.starts_with(candidate.placeholder); });
      if (fact == facts_.end()) {
        result += word[at++];
        continue;
      }
      result += values[static_cast<std::size_t>(fact - facts_.begin())];
      at += fact->placeholder.size();
    }
  }
  return words;
}

bool ProgramWords::has_placeholder(const std::string& word) const {
  return std::ranges::any_of(facts_,
                             [&](const Fact& fact) { return holds(word, fact.placeholder); });
}

bool ProgramWords::names_query(const std::vector<std::string>& command) const {
  return std::ranges::any_of(facts_, [&](const Fact& fact) {
    return fact.of_query && std::ranges::any_of(command, [&](const std::string& word) {
             return holds(word, fact.placeholder);
           });
  });
}

std::vector<std::string> ProgramWords::unknown(const std::vector<std::string>& command) const {
  constexpr std::string_view kName =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  std::vector<std::string> found;
  for (const std::string& word : command) {
    for (std::size_t at = word.find('{'); at != std::string::npos; at = word.find('{', at + 1)) {
      const std::size_t end = word.find_first_not_of(kName, at + 1);
      if (end == at + 1 || end == std::string::npos || word[end] != '}') continue;
      std::string placeholder = word.substr(at, end + 1 - at);
      if (!has_placeholder(placeholder) && std::ranges::count(found, placeholder) == 0) {
        found.push_back(std::move(placeholder));
      }
    }
  }
  return found;
}

std::vector<std::string> ProgramWords::environment(const Query& query) const {
  const std::vector<std::string> values = values_of(query);
  std::vector<std::string> variables;
  for (std::size_t i = 0; i < facts_.size(); ++i) {
    if (!facts_[i].variable.empty()) variables.push_back(facts_[i].variable + "=" + values[i]);
  }
  return variables;
}

}  // namespace duets::service
