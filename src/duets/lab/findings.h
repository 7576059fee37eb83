// The outcome of an experiment as data: one form for all experiments, from which files, page and
// terminal follow.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/lab/ask_tell.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/final_numbers.h"
#include "duets/report/chart.h"
#include "duets/report/report.h"

namespace duets::lab {

/// What the caller knows about a page; all of it plain text.
struct PageHead {
  std::string title{};
  std::string lead{};  ///< one line below the title; may be empty
  std::vector<std::pair<std::string, std::string>> facts{};  ///< what was run: name and value
};

struct NamedTable {
  std::string name{};  ///< "slopes": of "slopes.csv" and in JSON
  report::Table table{};
  bool in_files = true;
  bool in_json = true;
};

/// A pure function of an analysis: same analysis, same bytes.
struct Findings {
  std::vector<NamedTable> tables{};        ///< the first is the one for standard output
  std::vector<report::Section> summary{};  ///< for a terminal
  std::vector<report::NamedFigure> figures{};
  report::Report page{};

  /// kInvalid when there is none.
  const report::Table& table(std::string_view name) const;
};

/// A page with the title and lead of the head.
report::Report begin_page(const PageHead& head);
/// Prose of what was run, and the facts of the head.
report::Section run_section(report::Blocks words, const PageHead& head);

report::Value low_of(const std::optional<Interval>& interval);
report::Value high_of(const std::optional<Interval>& interval);

/// What a table has of `row.difference`, behind the columns that say between whom.
template <class Row>
void add_difference_columns(report::Columns<Row>& columns) {
  columns.push_back({"runs", [](const Row& row) { return row.difference.runs; }});
  columns.push_back({"mean", [](const Row& row) { return row.difference.mean; }});
  columns.push_back({"std", [](const Row& row) { return row.difference.stddev; }});
  columns.push_back({"low", [](const Row& row) { return low_of(row.difference.interval); }});
  columns.push_back({"high", [](const Row& row) { return high_of(row.difference.interval); }});
  columns.push_back(
      {"verdict", [](const Row& row) { return base::name_of(row.difference.order); }});
}

/// "0.12 (0.05 to 0.21)": mean and interval; "20 %".
report::Markup recommendation_text(const Recommendations& recommendations);
report::Markup lost_text(const Recommendations& recommendations);

/// Adds recommendation_regret_mean, .._std, .._low, .._high and lost. `of(row)` has them. `shown`:
/// people see them too.
template <class Row, class Of>
void add_recommendations(report::Columns<Row>& columns, const Of& of, bool shown = false) {
  report::Columns<Row> more = {
      {"recommendation_regret_mean", [of](const Row& row) { return of(row).regret.mean; }},
      {"recommendation_regret_std", [of](const Row& row) { return of(row).regret.stddev; }},
      {"recommendation_regret_low",
       [of](const Row& row) { return low_of(of(row).regret.interval); }},
      {"recommendation_regret_high",
       [of](const Row& row) { return high_of(of(row).regret.interval); }},
      {"lost", [of](const Row& row) { return of(row).lost; }}};
  if (shown) {
    more.front().title = "recommendation regret";
    more.front().shown = [of](const Row& row) { return recommendation_text(of(row)); };
    more.back().title = "lost";
    more.back().shown = [of](const Row& row) { return lost_text(of(row)); };
  }
  columns.insert(columns.end(), more.begin(), more.end());
}

/// A task's plain ask and tell, for a table of its own.
struct AskTellRow {
  std::string task{};  ///< "paper", "finite"
  std::string function{};
  AskTell size{};
};
report::Table ask_tell_table(const std::vector<AskTellRow>& rows);

/// What people see of FinalNumbers; what has no title is in files only.
struct NumberTitles {
  std::string regret{}, stddev{}, paper{}, figure{}, links{}, indices{}, literal{}, rounds{};
  bool with_error = false;  ///< regret with its standard error
};

/// Adds runs, regret_mean, regret_std, regret_low, regret_high, communication_ with the name of
/// every ledger, and rounds. `numbers(row)` has them.
template <class Row, class Numbers>
void add_numbers(report::Columns<Row>& columns, const Numbers& numbers,
                 const NumberTitles& titles) {
  const auto mean = [numbers](const Row& row) { return numbers(row).regret.mean; };
  const auto ledger = [numbers](std::size_t i) {
    return [numbers, i](const Row& row) { return numbers(row).communication[i].mean; };
  };
  const report::Columns<Row> more = {
      {"runs", [numbers](const Row& row) { return numbers(row).regret.runs; }},
      {"regret_mean", mean, titles.regret},
      {"regret_std",
       [numbers](const Row& row) { return numbers(row).regret.stddev; },
       titles.stddev,
       {},
       3},
      {"regret_low", [numbers](const Row& row) { return low_of(numbers(row).regret.interval); }},
      {"regret_high", [numbers](const Row& row) { return high_of(numbers(row).regret.interval); }},
      {"communication_paper", ledger(0), titles.paper},
      {"communication_figure", ledger(1), titles.figure},
      {"communication_links", ledger(2), titles.links},
      {"communication_indices", ledger(3), titles.indices},
      {"communication_literal", ledger(4), titles.literal},
      {"rounds", [numbers](const Row& row) { return numbers(row).rounds; }, titles.rounds}};
  columns.insert(columns.end(), more.begin(), more.end());
  if (!titles.with_error) return;
  columns[columns.size() - 10].shown = [numbers](const Row& row) {
    return report::text(mean_text(numbers(row).regret));
  };
}

}  // namespace duets::lab
