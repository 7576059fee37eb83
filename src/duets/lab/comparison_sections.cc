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

// "0.2 (edge)", "0.2, D = 2".
Markup chosen_setting(const Grid& grid, const ContenderAnalysis& chosen) {
  std::string out = beta_text(chosen);
  if (grid.label != chosen.label()) out += ", " + chosen.variant;
  const std::string edge = edge_text(grid);
  return report::text(edge.empty() ? out : out + " (" + edge + ")");
}

std::string_view role_text(const ContenderAnalysis& c) {
  if (c.role == Role::kOracle) return " (oracle)";
  return c.role == Role::kCeiling ? " (ceiling)" : "";
}

Markup name_cell(const TaskAnalysis& task, const Grid& grid) {
  Markup name = report::text(grid.label);
  const bool wins = task.winner && *task.winner == grid.chosen;
  if (wins) name = report::join({strong(name), {" \xE2\x80\x94 winner"}});
  name.html += role_text(task.contenders[grid.chosen]);
  return name;
}

// A line of the results: a grid, or plain ask and tell, which has costs only.
using ResultLine = const Grid*;

report::Blocks task_results(const TaskAnalysis& task) {
  report::Columns<ResultLine> columns;
  const auto add = [&](std::string title, const auto& of_grid, const auto& of_ask_tell) {
    columns.push_back({"", {}, std::move(title), [=](ResultLine line) -> Markup {
                         return line != nullptr ? of_grid(*line) : of_ask_tell();
                       }});
  };
  const auto chosen = [&task](const Grid& grid) -> const ContenderAnalysis& {
    return task.contenders[grid.chosen];
  };
  const auto nothing = [] { return Markup{report::kDash}; };
  add(
      "algorithm", [&task](const Grid& grid) { return name_cell(task, grid); },
      [] { return Markup{"plain ask and tell"}; });
  add(
      "beta", [chosen](const Grid& grid) { return chosen_setting(grid, chosen(grid)); }, nothing);
  add(
      "regret \xC2\xB1 s.e.",
      [chosen](const Grid& grid) { return report::text(mean_text(chosen(grid).regret)); }, nothing);
  add(
      "s.d.",
      [chosen](const Grid& grid) {
        const auto& stddev = chosen(grid).regret.stddev;
        return stddev ? report::number(*stddev, 3) : Markup{report::kDash};
      },
      nothing);
  add(
      "95 % interval",
      [chosen](const Grid& grid) {
        return report::text(interval_text(chosen(grid).regret.interval));
      },
      nothing);
  add(
      "recommendation regret",
      [chosen](const Grid& grid) { return recommendation_text(chosen(grid).recommendation); },
      nothing);
  add(
      "lost", [chosen](const Grid& grid) { return lost_text(chosen(grid).recommendation); },
      nothing);
  for (const Ledger ledger : kLedgers) {
    add((ledger == Ledger::kPaper ? "reals: " : "") + std::string(base::name_of(ledger)),
        [chosen, ledger](const Grid& grid) {
          return report::text(communication_text(chosen(grid), ledger));
        },
        [&task, ledger] { return report::number(task.ask_tell->reals(ledger), 3); });
  }
  add(
      "rounds",
      [chosen](const Grid& grid) {
        if (!chosen(grid).counts_communication()) return Markup{report::kDash};
        return report::number(chosen(grid).rounds, 3);
      },
      [&task] { return report::number(task.ask_tell->horizon, 3); });
  std::vector<ResultLine> lines;
  for (const Grid& grid : task.grids) lines.push_back(&grid);
  if (task.ask_tell) lines.push_back(nullptr);
  std::string winner = task.winner_text;
  if (winner.starts_with("no winner")) winner.front() = 'N';
  return {make_table(columns, lines, strong(report::text(function_title(task.function)))),
          report::Paragraph{report::text(winner)}};
}

// Who chose the settings.
Markup hindsight_words(const Analysis& analysis) {
  if (analysis.selection_seeds.empty()) return prose().line("comparison: no hindsight");
  return prose().line("comparison: hindsight",
                      {{"seeds", report::text(seeds_text(analysis.selection_seeds))}});
}

bool any_edge(const Analysis& analysis, const std::string& preset) {
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    for (const Grid& grid : task->grids) {
      if (!grid.edges.empty()) return true;
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

Markup grid_cell(const TaskAnalysis& task, const Grid& grid, double beta) {
  for (const std::size_t i : grid.contenders) {
    const ContenderAnalysis& c = task.contenders[i];
    if (c.beta != beta) continue;
    const Markup value = report::text(mean_text(c.regret));
    return c.chosen ? strong(value) : value;
  }
  return {" "};
}

report::Table task_grid(const TaskAnalysis& task) {
  const std::vector<double> betas = betas_of(task);
  std::vector<std::string> titles = {"algorithm"};
  for (const double beta : betas) titles.push_back("beta " + report::number(beta).html);
  std::vector<std::vector<Markup>> rows;
  for (const Grid& grid : task.grids) {
    if (!task.contenders[grid.chosen].beta) continue;
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
  Markup note = hindsight_words(analysis);
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
                                       {{"hindsight", hindsight_words(analysis)}})};
  if (analysis.seeds.size() < 2) append(out.blocks, prose().blocks("comparison: one run"));
  return out;
}

}  // namespace duets::lab
