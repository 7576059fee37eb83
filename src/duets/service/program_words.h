// The facts about its query that a program gets when it is started: in its command and its
// environment.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "duets/domain/parameter.h"
#include "duets/service/objective.h"

namespace duets::service {

/// "{study}", "{agent}", "{worker}", "{epoch}", "{trial}", and "{NAME}" for every parameter. A
/// parameter with one of the other names has no placeholder.
class ProgramWords {
 public:
  /// `parameters` of a box; without them x1, x2, ... up to `dimension`.
  ProgramWords(std::string study, std::uint32_t worker, std::vector<domain::Parameter> parameters,
               std::size_t dimension);

  /// The command with every placeholder replaced. Other braces are kept.
  std::vector<std::string> filled(const std::vector<std::string>& command,
                                  const Query& query) const;

  /// True when a word has a placeholder.
  bool has_placeholder(const std::string& word) const;
  /// True when the command names the query (its trial, epoch or parameters): it is valid for this
  /// query only.
  bool names_query(const std::vector<std::string>& command) const;

  /// Words in braces that look like placeholders, "{name}", and are none: in order, each once.
  std::vector<std::string> unknown(const std::vector<std::string>& command) const;

  /// "DUETS_STUDY=...", "DUETS_AGENT=...", "DUETS_WORKER=...", "DUETS_EPOCH=...",
  /// "DUETS_TRIAL=...".
  std::vector<std::string> environment(const Query& query) const;

 private:
  struct Fact {
    std::string placeholder;
    std::string variable;       // empty: none
    bool of_query = false;      // changes from query to query
    std::size_t parameter = 0;  // whose value it is, if it has no variable
  };
  /// In the order of facts_.
  std::vector<std::string> values_of(const Query& query) const;

  std::string study_;
  std::uint32_t worker_;
  std::vector<domain::Parameter> parameters_;
  std::vector<Fact> facts_;
};

}  // namespace duets::service
