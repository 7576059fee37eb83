// Choices made in hindsight: a setting is chosen on runs that are never shown.
//
// Contenders that differ in settings only are a grid, and one of them is shown. It is chosen by
// runs with selection seeds; everything that is shown or judged has other seeds. So a setting that
// was lucky where it was chosen brings no luck along.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "duets/lab/experiment.h"

namespace duets::lab {

/// The first selection seed less the first seed that is shown: the choice does not depend on how
/// many runs are shown.
inline constexpr std::uint64_t kSelectionDistance = 1'000'000;
/// As many runs choose as are shown, at most this many.
inline constexpr std::uint32_t kMaxSelectionRuns = 50;

/// Adds, behind all others, a task for every task with something to choose: the contenders of its
/// grids of several, on selection seeds. Call it once, when tasks and seeds are complete. kInvalid
/// when so many runs are shown that their seeds reach the selection seeds.
void add_selection(Experiment& experiment);

/// Number of tasks that are shown: the first ones.
std::size_t num_shown(const Experiment& experiment);

/// Contenders of which one is shown.
struct Grid {
  std::string label{};
  std::vector<std::size_t> contenders{};  ///< indices into the task's, in increasing beta
  /// The lowest mean final regret over the selection seeds, of equal ones the first; index into the
  /// task's contenders.
  std::size_t chosen = 0;
  /// Settings ("beta", "D") of which the chosen one has the smallest or largest value of several,
  /// and every other value had more regret: a wider grid may find a better one.
  std::vector<std::string> edges{};
};

/// The grids of a task that is shown, in order of first appearance. kInvalid when the runs that
/// choose are missing.
std::vector<Grid> grids_of(const Experiment& experiment, const ExperimentResult& result,
                           std::size_t task);

/// "edge" where beta is at one and nothing else, "edge: D, beta", or nothing.
std::string edge_text(const Grid& grid);

}  // namespace duets::lab
