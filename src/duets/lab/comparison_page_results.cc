#include <algorithm>
#include <limits>

#include "duets/lab/comparison_page_sections.h"
#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

report::Markup strong(const report::Markup& content) {
  return {"<strong>" + content.html + "</strong>"};
}

report::Markup best_beta(const GridAnalysis& grid, const ContenderAnalysis& best) {
  report::Markup out = report::text(beta_text(best));
  if (grid.at_low_edge || grid.at_high_edge) out.html += " (edge)";
  return out;
}

std::string_view role_text(const ContenderAnalysis& c) {
  if (c.role == Role::kOracle) return " (oracle)";
  return c.role == Role::kCeiling ? " (ceiling)" : "";
}

std::vector<report::Markup> result_row(const TaskAnalysis& task, const GridAnalysis& grid) {
  const ContenderAnalysis& best = task.contenders[grid.best];
  const bool wins = task.winner && *task.winner == grid.best;
  report::Markup name = report::text(grid.label);
  if (wins) name = report::join({strong(name), {" \xE2\x80\x94 winner"}});
  name.html += role_text(best);
  std::vector<report::Markup> row = {
      name, best_beta(grid, best), report::text(mean_text(best.regret)),
      best.regret.stddev ? report::number(*best.regret.stddev, 3)
                         : report::number(std::numeric_limits<double>::quiet_NaN()),
      report::text(interval_text(best.regret.interval))};
  for (const Ledger ledger : kLedgers)
    row.push_back(report::text(communication_text(best, ledger)));
  return row;
}

report::Markup task_results(const TaskAnalysis& task) {
  report::Table table{.caption = strong(report::text(function_title(task.function))),
                      .head = {report::text("algorithm"), report::text("best beta"),
                               report::text("regret \xC2\xB1 s.e."), report::text("s.d."),
                               report::text("95 % interval"), report::text("reals: paper"),
                               report::text("figure"), report::text("links")},
                      .rows = {}};
  for (const GridAnalysis& grid : task.grids) table.rows.push_back(result_row(task, grid));
  std::string winner = task.winner_text;
  if (winner.starts_with("no winner")) winner.front() = 'N';
  return report::join({report::table(table), report::paragraph(report::text(winner))});
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

report::Markup grid_cell(const TaskAnalysis& task, const GridAnalysis& grid, double beta) {
  for (const std::size_t i : grid.contenders) {
    const ContenderAnalysis& c = task.contenders[i];
    if (c.beta != beta) continue;
    const report::Markup value = report::text(mean_text(c.regret));
    return c.is_best_beta ? strong(value) : value;
  }
  return {};
}

report::Markup task_grid(const TaskAnalysis& task) {
  const std::vector<double> betas = betas_of(task);
  report::Table table{.caption = strong(report::text(function_title(task.function))),
                      .head = {report::text("algorithm")},
                      .rows = {}};
  for (const double beta : betas) {
    table.head.push_back(report::join({{"beta "}, report::number(beta)}));
  }
  for (const GridAnalysis& grid : task.grids) {
    if (!task.contenders[grid.best].beta) continue;
    std::vector<report::Markup> row = {report::text(grid.label)};
    for (const double beta : betas) row.push_back(grid_cell(task, grid, beta));
    table.rows.push_back(std::move(row));
  }
  return table.rows.empty() ? report::Markup{} : report::table(table);
}

}  // namespace

report::Markup results_section(const Analysis& analysis, const std::string& preset) {
  report::Markup content;
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    content.html += task_results(*task).html;
  }
  content.html += "<p class=\"small\">" + report::text(hindsight_note()).html;
  if (any_edge(analysis, preset)) {
    content.html +=
        " (edge): the best beta is the smallest or largest of its grid; a wider grid may find a "
        "better one.";
  }
  content.html += "</p>\n";
  return report::section("Final regret and communication: " + preset, content);
}

report::Markup grids_section(const Analysis& analysis, const std::string& preset) {
  report::Markup content = report::paragraph(
      {"Mean final regret and standard error for every beta; the best of each algorithm in bold."});
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    content.html += task_grid(*task).html;
  }
  return report::section("Every beta: " + preset, content);
}

report::Markup methods_section(const Analysis& analysis) {
  report::Markup content = report::paragraph(report::text(
      "Algorithms that run with the same seed meet the same candidates, the same function and, at "
      "the same agent and time, the same noise. Their results are paired: a comparison looks at "
      "the difference seed by seed, which removes what the seeds share."));
  content.html += report::paragraph(report::text(hindsight_note())).html;
  content.html +=
      report::paragraph(
          report::text(
              "A difference decides when its interval (Student's t on the paired differences) "
              "excludes 0. The intervals of one algorithm against all its rivals, in one measure "
              "on one function, hold together with 95 %: each has the level 1 - 0.05 / number of "
              "rivals (Bonferroni). Over several functions and measures the errors add up. A "
              "winner is named only when its regret is below that of every other algorithm in "
              "this sense. Student's t assumes that differences are roughly normal, which few "
              "runs cannot show. An oracle (one learner that sees every reward at once) and a "
              "ceiling (learns nothing) are shown and never win."))
          .html;
  content.html +=
      report::paragraph(
          report::text(
              "The interval beside a mean is a bootstrap-t interval (1999 resamples from a "
              "fixed key); it needs five runs and enough that differ. With five it covers "
              "about 94 % for normal runs, but its width varies much; it is a picture of "
              "the uncertainty, while decisions rest on the paired differences. s.e. is the "
              "standard deviation divided by the root of the number of runs."))
          .html;
  content.html +=
      report::paragraph(
          report::text("Reals sent, in three ledgers that must not be mixed up. paper: mean uplink "
                       "of an agent, plus each broadcast once. figure: uplink of all agents, as in "
                       "the published plots. links: every number on every link. A dash: not a "
                       "distributed algorithm, nothing to count."))
          .html;
  if (analysis.seeds.size() < 2) {
    content.html += report::paragraph(
                        report::text("This is one run: it has no standard deviation, no interval, "
                                     "and nothing is decided."))
                        .html;
  }
  return report::section("How to read this", content);
}

}  // namespace duets::lab
