#include <algorithm>
#include <limits>

#include "duets/harness/comparison_page_sections.h"
#include "duets/harness/comparison_text.h"

namespace duets::harness {
namespace {

Markup strong(const Markup& content) { return {"<strong>" + content.html + "</strong>"}; }

Markup best_beta(const GridAnalysis& grid, const ContenderAnalysis& best) {
  Markup out = text(beta_text(best));
  if (grid.at_low_edge || grid.at_high_edge) out.html += " (edge)";
  return out;
}

std::string_view role_text(const ContenderAnalysis& c) {
  if (c.role == Role::kOracle) return " (oracle)";
  return c.role == Role::kCeiling ? " (ceiling)" : "";
}

std::vector<Markup> result_row(const TaskAnalysis& task, const GridAnalysis& grid) {
  const ContenderAnalysis& best = task.contenders[grid.best];
  const bool wins = task.winner && *task.winner == grid.best;
  Markup name = text(grid.label);
  if (wins) name = join({strong(name), {" \xE2\x80\x94 winner"}});
  name.html += role_text(best);
  std::vector<Markup> row = {name, best_beta(grid, best), text(mean_text(best.regret)),
                             best.regret.stddev ? number(*best.regret.stddev, 3)
                                                : number(std::numeric_limits<double>::quiet_NaN()),
                             text(interval_text(best.regret.interval))};
  for (const Ledger ledger : kLedgers) row.push_back(text(communication_text(best, ledger)));
  return row;
}

Markup task_results(const TaskAnalysis& task) {
  Table table{
      .caption = strong(text(function_title(task.function))),
      .head = {text("algorithm"), text("best beta"), text("regret \xC2\xB1 s.e."), text("s.d."),
               text("95 % interval"), text("reals: paper"), text("figure"), text("links")},
      .rows = {}};
  for (const GridAnalysis& grid : task.grids) table.rows.push_back(result_row(task, grid));
  std::string winner = task.winner_text;
  if (winner.starts_with("no winner")) winner.front() = 'N';
  return join({harness::table(table), paragraph(text(winner))});
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
    const Markup value = text(mean_text(c.regret));
    return c.is_best_beta ? strong(value) : value;
  }
  return {};
}

Markup task_grid(const TaskAnalysis& task) {
  const std::vector<double> betas = betas_of(task);
  Table table{.caption = strong(text(function_title(task.function))),
              .head = {text("algorithm")},
              .rows = {}};
  for (const double beta : betas) {
    table.head.push_back(join({{"beta "}, number(beta)}));
  }
  for (const GridAnalysis& grid : task.grids) {
    if (!task.contenders[grid.best].beta) continue;
    std::vector<Markup> row = {text(grid.label)};
    for (const double beta : betas) row.push_back(grid_cell(task, grid, beta));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? Markup{} : harness::table(table);
}

}  // namespace

Markup results_section(const Analysis& analysis, const std::string& preset) {
  Markup content;
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    content.html += task_results(*task).html;
  }
  content.html += "<p class=\"small\">" + text(hindsight_note()).html;
  if (any_edge(analysis, preset)) {
    content.html +=
        " (edge): the best beta is the smallest or largest of its grid; a wider grid may find a "
        "better one.";
  }
  content.html += "</p>\n";
  return section("Final regret and communication: " + preset, content);
}

Markup grids_section(const Analysis& analysis, const std::string& preset) {
  Markup content = paragraph(
      {"Mean final regret and standard error for every beta; the best of each algorithm in bold."});
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    content.html += task_grid(*task).html;
  }
  return section("Every beta: " + preset, content);
}

Markup methods_section(const Analysis& analysis) {
  Markup content = paragraph(text(
      "Algorithms that run with the same seed meet the same candidates, the same function and, at "
      "the same agent and time, the same noise. Their results are paired: a comparison looks at "
      "the difference seed by seed, which removes what the seeds share."));
  content.html += paragraph(text(hindsight_note())).html;
  content.html +=
      paragraph(
          text("A difference decides when its interval (Student's t on the paired differences) "
               "excludes 0. The intervals of one algorithm against all its rivals, in one measure "
               "on one function, hold together with 95 %: each has the level 1 - 0.05 / number of "
               "rivals (Bonferroni). Over several functions and measures the errors add up. A "
               "winner is named only when its regret is below that of every other algorithm in "
               "this sense. Student's t assumes that differences are roughly normal, which few "
               "runs cannot show. An oracle (one learner that sees every reward at once) and a "
               "ceiling (learns nothing) are shown and never win."))
          .html;
  content.html +=
      paragraph(text("The interval beside a mean is a bootstrap-t interval (1999 resamples from a "
                     "fixed key); it needs five runs and enough that differ. With five it covers "
                     "about 94 % for normal runs, but its width varies much; it is a picture of "
                     "the uncertainty, while decisions rest on the paired differences. s.e. is the "
                     "standard deviation divided by the root of the number of runs."))
          .html;
  content.html +=
      paragraph(text("Reals sent, in three ledgers that must not be mixed up. paper: mean uplink "
                     "of an agent, plus each broadcast once. figure: uplink of all agents, as in "
                     "the published plots. links: every number on every link. A dash: not a "
                     "distributed algorithm, nothing to count."))
          .html;
  if (analysis.seeds.size() < 2) {
    content.html += paragraph(text("This is one run: it has no standard deviation, no interval, "
                                   "and nothing is decided."))
                        .html;
  }
  return section("How to read this", content);
}

}  // namespace duets::harness
