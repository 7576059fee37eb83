// The tables of a run. Each column is defined once, for files and for the report.
#pragma once

#include <string>
#include <string_view>

#include "duets/domain/domain.h"
#include "duets/harness/run_result.h"
#include "duets/report/table.h"

namespace duets::harness {

/// epochs.csv: one row per closed epoch: lengths, region, sampler, inducing set, model, cut.
report::Table epochs_table(const RunResult& result);

/// communication.csv: the three ledgers, closing messages and bytes after each exchange.
report::Table communication_table(const RunResult& result);

/// regret.csv: cumulative regret at the times of shown_times.
report::Table regret_table(const RunResult& result);

/// trials.csv, row by row: there may be very many. `domain` must outlive it.
class TrialTable {
 public:
  explicit TrialTable(const domain::Domain& domain);
  std::string head() const;
  /// `state` is the word for a trial with a value; an unknown regret is NaN.
  void append(std::string& out, const Trial& trial, std::string_view state = "reward") const;

 private:
  struct Line {
    const Trial& trial;
    std::string_view state;
  };
  report::Columns<Line> columns_;
};

}  // namespace duets::harness
