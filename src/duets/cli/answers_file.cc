#include "duets/cli/answers_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "duets/base/error.h"
#include "duets/domain/shown_value.h"
#include "duets/report/csv.h"
#include "duets/report/table.h"

namespace duets::cli {
namespace {

using Kind = service::JournalTrial::Kind;
using Slot = std::pair<std::uint32_t, std::uint32_t>;

/// Collects all errors, so that a person sees them at once.
class Complaints {
 public:
  explicit Complaints(const std::string& file) : file_(file) {}
  void add(std::size_t line, const std::string& what) {
    constexpr std::size_t kMaxShown = 20;
    if (++count_ <= kMaxShown) lines_.push_back(fmt::format("{}:{}: {}", file_, line, what));
  }
  void raise() const {
    if (count_ == 0) return;
    std::string text = fmt::format("{}", fmt::join(lines_, "\n"));
    if (count_ > lines_.size()) text += fmt::format("\nand {} more", count_ - lines_.size());
    throw base::Error(base::ErrorKind::kInvalid, text + "\nno answer was accepted");
  }

 private:
  const std::string& file_;
  std::size_t count_ = 0;
  std::vector<std::string> lines_;
};

template <class Number>
bool parse_answer_number(std::string_view text, Number& number) {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  return error == std::errc() && stop == end && !text.empty();
}

struct Columns {
  std::size_t epoch, slot, value;
};

Columns find_columns(const report::CsvRow& head, const std::string& file) {
  const auto find = [&](const char* name) {
    const auto found = std::find(head.fields.begin(), head.fields.end(), name);
    if (found == head.fields.end()) {
      throw base::Error(base::ErrorKind::kInvalid,
                        fmt::format("{}:{}: there is no column \"{}\"; the first row must name "
                                    "epoch, slot and value",
                                    file, head.line, name));
    }
    return static_cast<std::size_t>(found - head.fields.begin());
  };
  return {find("epoch"), find("slot"), find("value")};
}

bool parse_value(const std::string& text, OfflineAnswer& answer) {
  if (text.empty() || text == "failed") {
    answer.kind = Kind::kHole;
    return true;
  }
  if (text == "infeasible") {
    answer.kind = Kind::kInfeasible;
    return true;
  }
  answer.kind = Kind::kValue;
  return parse_answer_number(text, answer.value) && std::isfinite(answer.value);
}

std::string answer_text(Kind kind, double value) {
  switch (kind) {
    case Kind::kValue:
      return fmt::format("{}", value);
    case Kind::kInfeasible:
      return "infeasible";
    case Kind::kHole:
      return "failed";
  }
  return {};
}

/// Checks one row after the other.
class Sorter {
 public:
  Sorter(const AgentState& state, const service::Definition& definition)
      : agent_(state.agent), definition_(definition) {
    for (const service::Query& query : state.open) {
      open_[{query.epoch, query.slot}] = &query;
      open_epoch_ = query.epoch;
    }
    for (const service::JournalTrial& trial : state.answered) {
      known_[{trial.query.epoch, trial.query.slot}] = &trial;
      last_epoch_ = std::max(last_epoch_, trial.query.epoch);
    }
  }

  /// The error of the row; empty when there is none.
  std::string take(const OfflineAnswer& answer, Sorted& sorted) {
    const Slot slot{answer.epoch, answer.slot};
    if (!seen_.insert(slot).second) {
      return fmt::format("a second row for epoch {}, slot {}", answer.epoch, answer.slot);
    }
    if (const auto known = known_.find(slot); known != known_.end()) {
      return compare(answer, *known->second, sorted);
    }
    if (const auto open = open_.find(slot); open != open_.end()) {
      std::string problem = objection(answer);
      if (problem.empty()) sorted.fresh.emplace_back(*open->second, answer);
      return problem;
    }
    std::string problem = range_problem(answer);
    if (!problem.empty()) return problem;
    if (answer.epoch < std::max(open_epoch_, last_epoch_)) {
      ++sorted.num_late;
      return {};
    }
    return fmt::format("epoch {} has not begun for agent {}; `duets plan` prints the open queries",
                       answer.epoch, agent_);
  }

 private:
  std::string compare(const OfflineAnswer& answer, const service::JournalTrial& known,
                      Sorted& sorted) const {
    const bool same =
        answer.kind == known.kind && (answer.kind != Kind::kValue || answer.value == known.value);
    if (same) {
      ++sorted.num_known;
      return {};
    }
    return fmt::format("epoch {}, slot {} already has the answer {}, not {}", answer.epoch,
                       answer.slot, answer_text(known.kind, known.value),
                       answer_text(answer.kind, answer.value));
  }

  std::string objection(const OfflineAnswer& answer) const {
    const study::Objective& objective = definition_.objective();
    if (answer.kind == Kind::kInfeasible && !objective.infeasible_value) {
      return "infeasible, but the study has no objective.infeasible_value; leave the value empty "
             "for a query without an answer";
    }
    if (answer.kind == Kind::kValue) return objective.objection_to(answer.value);
    return {};
  }

  std::string range_problem(const OfflineAnswer& answer) const {
    const std::vector<std::uint32_t> lengths = protocol::lengths(*definition_.study);
    if (answer.epoch < 1 || answer.epoch > lengths.size()) {
      return fmt::format("epoch = {}: the study has epochs 1 to {}", answer.epoch, lengths.size());
    }
    if (answer.slot >= lengths[answer.epoch - 1]) {
      return fmt::format("slot = {}: epoch {} has slots 0 to {}", answer.slot, answer.epoch,
                         lengths[answer.epoch - 1] - 1);
    }
    return {};
  }

  const std::uint32_t agent_;
  const service::Definition& definition_;
  std::map<Slot, const service::Query*> open_;
  std::map<Slot, const service::JournalTrial*> known_;
  std::set<Slot> seen_;
  std::uint32_t open_epoch_ = 0;
  std::uint32_t last_epoch_ = 0;
};

}  // namespace

std::string plan_csv(const domain::Domain& domain, std::span<const service::Query> queries) {
  using service::Query;
  report::Columns<Query> columns = {{"epoch", &Query::epoch}, {"slot", &Query::slot}};
  const std::vector<std::string> names = domain.coordinate_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    columns.push_back({names[i], [&domain, i](const Query& query) {
                         return domain::shown_value(domain.parameters(), i, query.values[i]);
                       }});
  }
  return report::to_csv(report::make_table(columns, queries));
}

nlohmann::ordered_json plan_json(const domain::Domain& domain,
                                 std::span<const service::Query> queries) {
  const std::vector<std::string> names = domain.coordinate_names();
  auto list = nlohmann::ordered_json::array();
  for (const service::Query& query : queries) {
    nlohmann::ordered_json params = nlohmann::ordered_json::object();
    for (std::size_t i = 0; i < query.values.size(); ++i) {
      std::visit([&](const auto& shown) { params[names[i]] = shown; },
                 domain::shown_value(domain.parameters(), i, query.values[i]));
    }
    list.push_back({{"epoch", query.epoch}, {"slot", query.slot}, {"params", std::move(params)}});
  }
  return list;
}

std::vector<OfflineAnswer> parse_answers(std::string_view text, const std::string& file) {
  const std::vector<report::CsvRow> rows = report::read_csv(text, file);
  base::require(!rows.empty(), "answers", file, "is empty; it needs columns epoch, slot, value");
  const Columns columns = find_columns(rows.front(), file);
  Complaints complaints(file);
  std::vector<OfflineAnswer> answers;
  for (std::size_t i = 1; i < rows.size(); ++i) {
    const report::CsvRow& row = rows[i];
    OfflineAnswer answer;
    answer.line = row.line;
    if (row.fields.size() != rows.front().fields.size()) {
      complaints.add(row.line, fmt::format("{} fields, the first row has {}", row.fields.size(),
                                           rows.front().fields.size()));
    } else if (!parse_answer_number(row.fields[columns.epoch], answer.epoch)) {
      complaints.add(row.line,
                     fmt::format("epoch = {}: must be a whole number", row.fields[columns.epoch]));
    } else if (!parse_answer_number(row.fields[columns.slot], answer.slot)) {
      complaints.add(row.line,
                     fmt::format("slot = {}: must be a whole number", row.fields[columns.slot]));
    } else if (!parse_value(row.fields[columns.value], answer)) {
      complaints.add(row.line, fmt::format("value = {}: must be a finite number, \"infeasible\", "
                                           "or empty or \"failed\" when there is none",
                                           row.fields[columns.value]));
    }
    answers.push_back(answer);
  }
  complaints.raise();
  return answers;
}

Sorted sort_answers(const std::vector<OfflineAnswer>& answers, const AgentState& state,
                    const service::Definition& definition, const std::string& file) {
  Complaints complaints(file);
  Sorter sorter(state, definition);
  Sorted sorted;
  for (const OfflineAnswer& answer : answers) {
    const std::string problem = sorter.take(answer, sorted);
    if (!problem.empty()) complaints.add(answer.line, problem);
  }
  complaints.raise();
  return sorted;
}

}  // namespace duets::cli
