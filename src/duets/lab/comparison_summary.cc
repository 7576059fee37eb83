#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/lab/comparison_tables.h"
#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

constexpr std::size_t kColumns = 6;
using Row = std::array<std::string, kColumns>;

// Characters, not bytes: names and the plus-minus sign may be longer in UTF-8.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0u) != 0x80u;
  }));
}

// Names to the left, numbers to the right.
std::string aligned(const std::vector<Row>& rows) {
  std::array<std::size_t, kColumns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < kColumns; ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string out;
  for (const Row& row : rows) {
    out += "  ";
    for (std::size_t i = 0; i < kColumns; ++i) {
      const std::string space(widths[i] - width_of(row[i]), ' ');
      out += i == 0 ? row[i] + space : "  " + space + row[i];
    }
    out += "\n";
  }
  return out;
}

// "<" or ">" behind a beta that is the end of its grid.
std::string edge_mark(const GridAnalysis& grid) {
  if (grid.at_low_edge) return " <";
  return grid.at_high_edge ? " >" : "  ";
}

Row grid_row(const TaskAnalysis& task, const GridAnalysis& grid) {
  const ContenderAnalysis& best = task.contenders[grid.best];
  const bool wins = task.winner && *task.winner == grid.best;
  return {(wins ? "* " : "  ") + grid.label,
          beta_text(best) + edge_mark(grid),
          mean_text(best.regret),
          communication_text(best, Ledger::kPaper),
          communication_text(best, Ledger::kFigure),
          communication_text(best, Ledger::kLinks)};
}

std::string task_text(const TaskAnalysis& task) {
  std::vector<Row> rows = {{"  algorithm", "best beta  ", "regret", "paper", "figure", "links"}};
  for (const GridAnalysis& grid : task.grids) rows.push_back(grid_row(task, grid));
  return fmt::format("{}, {}\n{}  {}\n\n", task.preset, function_title(task.function),
                     aligned(rows), task.winner_text);
}

bool any_edge(const Analysis& analysis) {
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const GridAnalysis& grid : task.grids) {
      if (grid.at_low_edge || grid.at_high_edge) return true;
    }
  }
  return false;
}

}  // namespace

std::string summary_text(const Analysis& analysis) {
  std::string out;
  for (const TaskAnalysis& task : analysis.tasks) out += task_text(task);
  out += fmt::format(
      "{}. Regret at the horizon: mean and standard error. Reals sent in three ledgers: paper "
      "(mean uplink of an agent\nand each broadcast once), figure (uplink of all), links (every "
      "link). *: regret below that of every other that competes (oracles and\nceilings do not), "
      "each "
      "paired difference excluding 0 at a family-wise 95 %.\n",
      seeds_text(analysis.seeds));
  if (!analysis.of_preset("as-plotted").empty()) {
    out +=
        "The figure of as-plotted shows DUETS at beta 0.2 and the others at 5, as published; the "
        "table has the best betas.\n";
  }
  if (any_edge(analysis)) {
    out +=
        "< and >: the best beta is the smallest or largest of its grid; a wider grid may find a "
        "better one.\n";
  }
  return out + std::string(hindsight_note()) + "\n";
}

}  // namespace duets::lab
