#include "duets/cli/export_trials.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <tuple>

#include "duets/base/error.h"
#include "duets/harness/run_tables.h"
#include "duets/protocol/run_summary.h"
#include "duets/report/csv.h"

namespace duets::cli {
namespace {

using service::JournalTrial;
using Kind = JournalTrial::Kind;

/// Parses exactly the tables that trials_csv writes.
class TrialReader {
 public:
  TrialReader(std::string_view text, const protocol::Study& study)
      : text_(text), domain_(*study.domain), agents_(study.agents), lengths_(lengths(study)) {}

  std::vector<JournalTrial> read() {
    const std::vector<report::CsvRow> rows = report::read_csv(text_, "trials.csv");
    std::vector<JournalTrial> trials;
    for (std::size_t i = 1; i < rows.size(); ++i) {  // without the header
      line_ = rows[i].line;
      trials.push_back(trial_of(rows[i].fields));
      if (trials.size() > 1 && key(trials[trials.size() - 2]) >= key(trials.back())) {
        fail("is not in order of agent, epoch and slot");
      }
    }
    return trials;
  }

 private:
  static std::tuple<std::uint32_t, std::uint32_t, std::uint32_t> key(const JournalTrial& trial) {
    return {trial.query.agent, trial.query.epoch, trial.query.slot};
  }

  [[noreturn]] void fail(const std::string& what) const {
    throw base::Error(base::ErrorKind::kInvalid, fmt::format("line {} {}", line_, what));
  }

  template <class Number>
  Number number(const std::string& field) const {
    Number value{};
    const char* end = field.data() + field.size();
    const auto [stop, error] = std::from_chars(field.data(), end, value);
    if (error != std::errc() || stop != end || field.empty())
      fail("has a field that is not a number");
    return value;
  }

  double coordinate(std::size_t index, const std::string& field) const {
    const auto& parameters = domain_.parameters();
    if (parameters.empty() || parameters[index].choices.empty()) return number<double>(field);
    const auto& choices = parameters[index].choices;
    const auto found = std::find(choices.begin(), choices.end(), field);
    if (found == choices.end()) fail("has a value that its parameter does not have");
    return static_cast<double>(found - choices.begin());
  }

  // agent, epoch, slot, t, the coordinates, state, value, regret
  JournalTrial trial_of(const std::vector<std::string>& fields) const {
    constexpr std::size_t kBefore = 4;
    constexpr std::size_t kAfter = 3;
    const std::size_t dimension = domain_.dimension();
    if (fields.size() != kBefore + dimension + kAfter) fail("has the wrong number of columns");
    JournalTrial trial;
    service::Query& query = trial.query;
    query.agent = number<std::uint32_t>(fields[0]);
    query.epoch = number<std::uint32_t>(fields[1]);
    query.slot = number<std::uint32_t>(fields[2]);
    if (query.agent >= agents_ || query.epoch < 1 || query.epoch > lengths_.size() ||
        query.slot >= lengths_[query.epoch - 1]) {
      fail("is not a trial of the study");
    }
    query.t = query.slot;
    for (std::uint32_t before = 1; before < query.epoch; ++before) query.t += lengths_[before - 1];
    for (std::size_t i = 0; i < dimension; ++i) {
      query.values.push_back(coordinate(i, fields[kBefore + i]));
    }
    const std::string& state = fields[kBefore + dimension];
    trial.kind = state == "hole"         ? Kind::kHole
                 : state == "infeasible" ? Kind::kInfeasible
                                         : Kind::kValue;
    if (trial.kind != Kind::kHole) trial.value = number<double>(fields[kBefore + dimension + 1]);
    if (!std::isfinite(trial.value)) fail("has a value that is not finite");
    return trial;
  }

  std::string_view text_;
  const domain::Domain& domain_;
  std::uint32_t agents_;
  std::vector<std::uint32_t> lengths_;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<TrialRow> trial_rows(const std::vector<JournalTrial>& trials, const StudyExport& study,
                                 const harness::Regrets& regrets) {
  const protocol::RunSummary summary = protocol::summarise(*study.definition.study, study.records);
  std::vector<TrialRow> rows;
  for (const JournalTrial& from : trials) {
    const service::Query& query = from.query;
    TrialRow& row = rows.emplace_back();
    row.trial = {query.agent, query.epoch, query.slot, query.t, query.values};
    row.trial.hole = from.kind == Kind::kHole;
    row.trial.value = from.value;
    const auto regret = regrets.find({query.epoch, query.agent});
    row.trial.regret = regret == regrets.end() ? std::numeric_limits<double>::quiet_NaN()
                                               : regret->second.at(query.slot);
    const auto& away = protocol::absence_in(summary.participation(), query.epoch);
    row.state = away.excluded.contains(query.agent) ? "excluded"
                : from.kind == Kind::kInfeasible    ? "infeasible"
                                                    : "reward";
  }
  return rows;
}

std::string trials_csv(const std::vector<JournalTrial>& trials, const StudyExport& study) {
  const harness::TrialTable table(*study.definition.study->domain);
  std::string text = table.head();
  for (const TrialRow& row : trial_rows(trials, study, {})) {
    table.append(text, row.trial, row.state);
  }
  return text;
}

std::vector<JournalTrial> parse_trials(std::string_view text, const protocol::Study& study) {
  return TrialReader(text, study).read();
}

}  // namespace duets::cli
