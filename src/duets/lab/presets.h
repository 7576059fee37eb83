// The published empirical study, as printed and as plotted.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/lab/algorithms.h"
#include "duets/lab/experiment.h"

namespace duets::lab {

/// The four functions of the study: "h1", "h2", "branin", "hartmann4".
std::span<const std::string_view> paper_functions();
/// The four algorithms, by key, in the order of the figure.
std::span<const std::string_view> paper_algorithms();
/// "paper", "as-plotted" and "wide-grid".
std::span<const std::string_view> preset_names();
/// Those that are run when none is named: "paper" and "as-plotted".
std::span<const std::string_view> usual_presets();

inline constexpr std::uint32_t kStudyRuns = 50;
inline constexpr std::uint32_t kQuickStudyRuns = 2;

/// The grid of beta as printed.
std::vector<double> printed_betas();
/// The printed grid; for "wide-grid" also 0.02, 0.05 and 0.1 below it.
std::vector<double> preset_betas(std::string_view preset);

/// The beta whose curve the published figure seems to show: 0.2 for DUETS, 5 for the others.
double plotted_beta(std::string_view algorithm_name);

/// A preset's problem with one seed, DUETS' settings included. "paper" and "wide-grid": candidates
/// uniform in the ball (h1, h2) or cube, epochs by floor, T1 = 2, p = min(1, 10 sigma2_max), regret
/// against the best candidate. "as-plotted": candidates on the sphere, epochs by ceil, T1 = 5 on
/// hartmann4, p = c ln(N T_j)/(N T_j) with c = 30, 10, 4, 16, Branin's regret against 1.0474.
/// kInvalid for a name that does not exist.
Instance preset_instance(std::string_view preset, std::string_view function, std::uint64_t seed);

struct StudyChoice {
  std::vector<std::string> presets{};     ///< empty: usual_presets()
  std::vector<std::string> functions{};   ///< empty: all four
  std::vector<std::string> algorithms{};  ///< keys; empty: the paper's four
  std::vector<double> betas{};            ///< empty: the preset's grid
  std::uint32_t runs = kStudyRuns;        ///< >= 1
  std::uint64_t first_seed = 1;
};

/// With the empty lists filled in. The grid of beta stays empty: each preset has its own.
StudyChoice completed(StudyChoice choice);

/// Every preset, function, algorithm, beta and seed that was chosen. kInvalid naming the field.
Experiment study_experiment(const StudyChoice& choice, std::span<const Algorithm> algorithms);

}  // namespace duets::lab
