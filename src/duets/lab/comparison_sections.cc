#include "duets/lab/comparison_sections.h"

#include <algorithm>

#include "duets/lab/comparison_text.h"
#include "duets/lab/findings.h"
#include "duets/lab/prose.h"

namespace duets::lab {
namespace {

using report::Markup;
using report::Section;
using report::strong;

Markup best_beta(const GridAnalysis& grid, const ContenderAnalysis& best) {
  Markup out = report::text(beta_text(best));
  if (grid.at_low_edge || grid.at_high_edge) out.html += " (edge)";
  return out;
}

std::string_view role_text(const ContenderAnalysis& c) {
  if (c.role == Role::kOracle) return " (oracle)";
  return c.role == Role::kCeiling ? " (ceiling)" : "";
}

Markup name_cell(const TaskAnalysis& task, const GridAnalysis& grid) {
  Markup name = report::text(grid.label);
  const bool wins = task.winner && *task.winner == grid.best;
  if (wins) name = report::join({strong(name), {" \xE2\x80\x94 winner"}});
  name.html += role_text(task.contenders[grid.best]);
  return name;
}

report::Blocks task_results(const TaskAnalysis& task) {
  using G = GridAnalysis;
  const auto best = [&](const G& grid) -> const ContenderAnalysis& {
    return task.contenders[grid.best];
  };
  report::Columns<G> columns = {
      {"", {}, "algorithm", [&](const G& grid) { return name_cell(task, grid); }},
      {"", {}, "best beta", [&](const G& grid) { return best_beta(grid, best(grid)); }},
      {"",
       {},
       "regret \xC2\xB1 s.e.",
       [&](const G& grid) { return report::text(mean_text(best(grid).regret)); }},
      {"", [&](const G& grid) { return best(grid).regret.stddev; }, "s.d.", {}, 3},
      {"", {}, "95 % interval", [&](const G& grid) {
         return report::text(interval_text(best(grid).regret.interval));
       }}};
  columns.push_back({"", {}, "recommendation regret", [&](const G& grid) {
                       return recommendation_text(best(grid).recommendation);
                     }});
  columns.push_back(
      {"", {}, "lost", [&](const G& grid) { return lost_text(best(grid).recommendation); }});
  for (const Ledger ledger : kLedgers) {
    columns.push_back(
        {"",
         {},
         (ledger == Ledger::kPaper ? "reals: " : "") + std::string(base::name_of(ledger)),
         [&, ledger](const G& grid) {
           return report::text(communication_text(best(grid), ledger));
         }});
  }
  std::string winner = task.winner_text;
  if (winner.starts_with("no winner")) winner.front() = 'N';
  return {make_table(columns, task.grids, strong(report::text(function_title(task.function)))),
          report::Paragraph{report::text(winner)}};
}

bool any_edge(const Analysis& analysis, const std::string& preset) {
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    for (const GridAnalysis& grid : task->grids) {
      if (grid.at_low_edge || grid.at_high_edge) return true;
    }
  }
  return false;
}

// All betas of a task, increasing.
std::vector<double> betas_of(const TaskAnalysis& task) {
  std::vector<double> out;
  for (const ContenderAnalysis& c : task.contenders) {
    if (c.beta && std::find(out.begin(), out.end(), *c.beta) == out.end()) out.push_back(*c.beta);
  }
  std::sort(out.begin(), out.end());
  return out;
}

Markup grid_cell(const TaskAnalysis& task, const GridAnalysis& grid, double beta) {
  for (const std::size_t i : grid.contenders) {
    const ContenderAnalysis& c = task.contenders[i];
    if (c.beta != beta) continue;
    const Markup value = report::text(mean_text(c.regret));
    return c.is_best_beta ? strong(value) : value;
  }
  return {" "};
}

report::Table task_grid(const TaskAnalysis& task) {
  const std::vector<double> betas = betas_of(task);
  std::vector<std::string> titles = {"algorithm"};
  for (const double beta : betas) titles.push_back("beta " + report::number(beta).html);
  std::vector<std::vector<Markup>> rows;
  for (const GridAnalysis& grid : task.grids) {
    if (!task.contenders[grid.best].beta) continue;
    rows.push_back({report::text(grid.label)});
    for (const double beta : betas) rows.back().push_back(grid_cell(task, grid, beta));
  }
  return report::shown_table(strong(report::text(function_title(task.function))), titles, rows);
}

}  // namespace

Section results_section(const Analysis& analysis, const std::string& preset) {
  Section out{.title = "Final regret and communication: " + preset};
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    append(out.blocks, task_results(*task));
  }
  Markup note = prose().line("comparison: hindsight");
  if (any_edge(analysis, preset)) {
    note = report::join({note, {" "}, prose().line("comparison: edge")});
  }
  out.blocks.push_back(report::Paragraph{note, true});
  return out;
}

Section grids_section(const Analysis& analysis, const std::string& preset) {
  Section out{.title = "Every beta: " + preset, .blocks = prose().blocks("comparison: every beta")};
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    report::Table grid = task_grid(*task);
    if (!grid.rows.empty()) out.blocks.push_back(std::move(grid));
  }
  return out;
}

Section methods_section(const Analysis& analysis) {
  Section out{.title = "How to read this",
              .blocks = prose().blocks("comparison: how to read this",
                                       {{"hindsight", prose().line("comparison: hindsight")}})};
  if (analysis.seeds.size() < 2) append(out.blocks, prose().blocks("comparison: one run"));
  return out;
}

}  // namespace duets::lab
