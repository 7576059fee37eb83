// The plan of an epoch as CSV, and the answers to it, for agents without a network.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/service/agent_session.h"
#include "duets/service/definition.h"

namespace duets::cli {

/// "epoch,slot,<parameters>", one row per query.
std::string plan_csv(const domain::Domain& domain, std::span<const service::Query> queries);
/// The same as a list of objects: epoch, slot and params by name.
nlohmann::ordered_json plan_json(const domain::Domain& domain,
                                 std::span<const service::Query> queries);

/// One row of answers.
struct OfflineAnswer {
  std::size_t line = 0;
  std::uint32_t epoch = 0;
  std::uint32_t slot = 0;
  service::JournalTrial::Kind kind = service::JournalTrial::Kind::kValue;
  double value = 0;  ///< kValue only
};

/// Reads columns epoch, slot and value, in any order and among others. A value is a number, or
/// "infeasible", or empty or "failed" for a query without an answer. kInvalid naming every bad row.
std::vector<OfflineAnswer> parse_answers(std::string_view text, const std::string& file);

/// The state of an agent: its open queries, and the answers in its journal.
struct AgentState {
  std::uint32_t agent = 0;
  std::vector<service::Query> open;
  std::vector<service::JournalTrial> answered;
};

/// The answers of a file, sorted by what happens to them.
struct Sorted {
  std::vector<std::pair<service::Query, OfflineAnswer>> fresh;
  std::size_t num_known = 0;  ///< the same answer is already stored
  std::size_t num_late = 0;   ///< of an epoch that has ended
};

/// kInvalid naming every row that does not answer a query of this agent: unknown slots, later
/// epochs, two rows for one query, a different answer than the stored one, numbers that are not
/// finite after offset and scale, infeasible when the study has no infeasible_value.
Sorted sort_answers(const std::vector<OfflineAnswer>& answers, const AgentState& state,
                    const service::Definition& definition, const std::string& file);

}  // namespace duets::cli
