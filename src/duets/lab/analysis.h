// Analyses an experiment: means with their uncertainty, the setting chosen from each grid, paired
// comparisons, and a winner where the runs decide.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/lab/algorithms.h"
#include "duets/lab/experiment.h"
#include "duets/lab/hindsight.h"
#include "duets/lab/recommendations.h"
#include "duets/lab/statistics.h"

namespace duets::lab {

/// Something measured over time in several runs, each as long as the contender's `t`. NaN where a
/// number does not exist: the deviation of one run, an interval that bootstrap does not give.
struct CurveSummary {
  std::vector<double> mean{};
  std::vector<double> stddev{};
  std::vector<double> low{}, high{};  ///< 95 % bootstrap-t interval of the mean, at each t alone
};

/// One algorithm with one setting, over all seeds.
struct ContenderAnalysis {
  std::string algorithm{};
  std::string variant{};
  std::optional<double> beta{};  ///< nothing for an algorithm that has none
  Role role = Role::kDistributed;
  bool chosen = false;  ///< of its grid, by the selection seeds
  /// At the horizon, by seed: what comparisons are made of.
  std::vector<double> final_regret{};
  std::array<std::vector<double>, kNumLedgers> final_communication{};
  Summary regret{};
  std::array<Summary, kNumLedgers> communication{};
  Recommendations recommendation{};
  double rounds = 0;  ///< mean number of rounds after which something was sent
  std::vector<std::uint32_t> t{};
  CurveSummary regret_curve{};
  std::array<CurveSummary, kNumLedgers> communication_curves{};  ///< low and high are empty

  /// "DUETS" or "DUETS (greedy)".
  std::string label() const { return label_of(algorithm, variant); }
  /// Oracle and ceiling send nothing because they are not distributed: shown as a dash.
  bool counts_communication() const { return role == Role::kDistributed || role == Role::kAlone; }
  /// Whether it can win.
  bool competes() const { return counts_communication(); }
};

/// Two grids at their chosen settings (or at betas that the caller chose), paired by seed.
struct Comparison {
  std::size_t first = 0, second = 0;  ///< indices into the task's contenders
  PairedDifference regret{};
  PairedDifference recommendation{};  ///< of the recommendation's regret
  std::array<PairedDifference, kNumLedgers> communication{};
};

struct TaskAnalysis {
  std::string preset{};
  std::string function{};
  std::optional<AskTell> ask_tell{};
  std::vector<ContenderAnalysis> contenders{};  ///< in the experiment's order
  std::vector<Grid> grids{};                    ///< in order of first appearance
  /// Every pair of grids that compete, at their chosen settings, first before second. The family of
  /// each comparison is the number of rivals that a competitor has in the task.
  std::vector<Comparison> comparisons{};
  /// The competitor whose regret is below that of every other, each difference excluding 0 at a
  /// family-wise 95 %. Empty when there is none.
  std::optional<std::size_t> winner{};
  /// One sentence: who wins by how much, or why there is no winner, with differences and intervals.
  std::string winner_text{};

  /// The contender of an algorithm (and variant "") with this beta, or nothing.
  const ContenderAnalysis* find(std::string_view algorithm, double beta) const;
  /// The one chosen from the grid with the algorithm's name, or nothing.
  const ContenderAnalysis* chosen_of(std::string_view algorithm) const;
};

struct Analysis {
  std::vector<std::uint64_t> seeds{};            ///< of what is shown
  std::vector<std::uint64_t> selection_seeds{};  ///< of what chose the settings; none: no choice
  std::vector<TaskAnalysis> tasks{};

  /// Different presets, in order of first appearance.
  std::vector<std::string> presets() const;
  /// The tasks of a preset, in order.
  std::vector<const TaskAnalysis*> of_preset(std::string_view preset) const;
};

/// A pure function of its arguments: the same input gives the same bits. `algorithms` gives roles
/// and whether there is a beta, by name; an unknown name counts as a distributed algorithm with
/// beta. kInvalid when the result is not complete, a unit does not have one entry per contender, or
/// a number is not finite.
Analysis analyse(const Experiment& experiment, const ExperimentResult& result,
                 std::span<const Algorithm> algorithms);

/// Two contenders of a task, paired by seed; `family` as in paired_difference.
Comparison compare(const TaskAnalysis& task, std::size_t first, std::size_t second,
                   std::size_t family);

/// Number of rivals that a competitor has in the task; 0 when at most one competes.
std::size_t num_rivals(const TaskAnalysis& task);

/// Fills winner and winner_text from the grids and comparisons.
void name_winner(TaskAnalysis& task);

}  // namespace duets::lab
