#include <algorithm>

#include "duets/lab/analysis.h"
#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

// Grids that compete, by the chosen contender.
std::vector<std::size_t> competitors(const TaskAnalysis& task) {
  std::vector<std::size_t> out;
  for (const Grid& grid : task.grids) {
    if (task.contenders[grid.chosen].competes()) out.push_back(grid.chosen);
  }
  return out;
}

std::string name_of(const TaskAnalysis& task, std::size_t contender) {
  return task.contenders[contender].label();
}

std::string pair_text(const TaskAnalysis& task, const Comparison& c) {
  return name_of(task, c.first) + " and " + name_of(task, c.second) + " (difference " +
         difference_text(c.regret) + ")";
}

std::string undecided_text(const TaskAnalysis& task, const std::vector<Comparison>& undecided) {
  std::string pairs;
  for (const Comparison& c : undecided) pairs += (pairs.empty() ? "" : "; ") + pair_text(task, c);
  return "no winner: these cannot be told apart: " + pairs + ".";
}

std::string winner_sentence(const TaskAnalysis& task, const std::vector<Comparison>& all) {
  const auto closest = std::max_element(
      all.begin(), all.end(),
      [](const Comparison& a, const Comparison& b) { return a.regret.mean < b.regret.mean; });
  const bool all_compete = std::all_of(task.contenders.begin(), task.contenders.end(),
                                       [](const auto& c) { return c.competes(); });
  return name_of(task, closest->first) + " wins: its regret is below that of every other" +
         (all_compete ? "" : " but oracles and ceilings, which do not compete") +
         "; the closest is " + name_of(task, closest->second) + " (difference " +
         difference_text(closest->regret) + ").";
}

}  // namespace

std::size_t num_rivals(const TaskAnalysis& task) {
  const std::size_t count = competitors(task).size();
  return count < 2 ? 0 : count - 1;
}

// Only the competitor with the lowest mean can win. That it is picked by looking costs nothing: a
// false winner needs a false rejection against the one that is truly best, and the family has a
// share for each of the others.
void name_winner(TaskAnalysis& task) {
  task.winner.reset();
  const std::vector<std::size_t> all = competitors(task);
  if (all.size() < 2) {
    task.winner_text =
        "no winner: fewer than two algorithms compete (oracles and ceilings do not).";
    return;
  }
  const std::size_t leader = *std::min_element(all.begin(), all.end(), [&](auto a, auto b) {
    return task.contenders[a].regret.mean < task.contenders[b].regret.mean;
  });
  if (task.contenders[leader].final_regret.size() < 2) {
    task.winner_text = "no winner: one run cannot tell algorithms apart (lowest regret in it: " +
                       name_of(task, leader) + ").";
    return;
  }
  std::vector<Comparison> against;
  std::vector<Comparison> undecided;
  for (const std::size_t rival : all) {
    if (rival == leader) continue;
    against.push_back(compare(task, leader, rival, num_rivals(task)));
    if (against.back().regret.order != Order::kLower) undecided.push_back(against.back());
  }
  if (!undecided.empty()) {
    task.winner_text = undecided_text(task, undecided);
    return;
  }
  task.winner = leader;
  task.winner_text = winner_sentence(task, against);
}

}  // namespace duets::lab
