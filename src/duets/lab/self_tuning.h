// DUETS that tunes itself (protocol/preset.h) against DisKernelUCB with the beta, lambda and D that
// turn out best, or against a batch GP, on the same problems and seeds.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/lab/experiment.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/study.h"

namespace duets::lab {

inline constexpr std::uint32_t kSelfTuningRuns = 50;
inline constexpr std::uint32_t kQuickSelfTuningRuns = 4;
/// beta of preset "paper", whatever the function.
inline constexpr double kSelfTuningPaperBeta = 0.2;

/// Which functions a condition is run on.
enum class FunctionSet : std::uint8_t {
  kKnown,         ///< the paper's four and problems::development_functions()
  kStress,        ///< six of them
  kContinuous,    ///< the paper's four and five more
  kPeers,         ///< twelve of boxes and problems::mixed_functions()
  kMixed,         ///< problems::mixed_functions()
  kHeldOut,       ///< problems::held_out_functions()
  kHeldOutPeers,  ///< these and problems::held_out_mixed_functions()
  kHeldOutMixed,  ///< problems::held_out_mixed_functions()
};

/// What all runs of one comparison share. The base is N = 10, T = 50, noise of deviation 0.2 and
/// 2000 candidates on the sphere (h1, h2) or in the cube, fresh for each seed.
struct Condition {
  std::string_view key{};    ///< in file names and on the command line: "agents-2"
  std::string_view title{};  ///< for people
  FunctionSet functions = FunctionSet::kStress;
  std::uint32_t agents = 10;
  std::uint32_t horizon = 50;
  double noise = 0.2;
  double unit = 1, level = 0;     ///< every algorithm is told unit * y + level
  double lengthscale_factor = 1;  ///< on what DisKernelUCB and "paper" know and presets guess
  bool continuous = false;        ///< the box or ball itself, and regret against its optimum;
                                  ///< functions with parameters have nothing else
  bool ingredients = false;       ///< "auto" with one ingredient changed, too
  bool peers = false;             ///< against batch-gp: it, random, "auto" and "earn", no others
  std::size_t max_runs = 20;      ///< 0: all
};

/// The conditions that are run when none is named.
std::span<const Condition> self_tuning_conditions();
/// Those of held-out functions, which are run only when they are named.
std::span<const Condition> held_out_conditions();
/// By key, all of them; kInvalid, listing the keys, when there is none.
const Condition& find_condition(std::string_view key);
/// Names of the condition's functions, in order.
std::vector<std::string> functions_of(const Condition& condition);
/// Whether the function has parameters of its own, as in problems/mixed.h.
bool is_mixed(std::string_view function);

/// "auto" with one ingredient changed.
struct Ingredient {
  std::string name{};  ///< "auto without floor"
  protocol::Study study{};
};
/// Changes that leave the study as it is are turned round ("auto with relevance"), so that each
/// line says something.
std::vector<Ingredient> changed_ingredients(const protocol::Study& automatic);
std::vector<std::string> ingredient_names();

/// The presets and, after "auto", "earn", which is "auto" with that goal.
std::vector<std::string> duets_names();

/// The problem of a condition and function. The study's kernel is what DisKernelUCB and preset
/// "paper" get: length scale 0.2 (branin), 1 (h1, h2, hartmann4), otherwise the guess, times the
/// condition's factor. kInvalid for a name that does not exist.
Instance self_tuning_instance(const Condition& condition, std::string_view function,
                              std::uint64_t seed);

/// The study of an instance under a name of duets_names() or ingredient_names(): "paper" with its
/// kernel, the others with the guessed length scale times the factor. kInvalid for another name.
protocol::Study duets_study(const Condition& condition, protocol::Study study,
                            std::string_view name);

/// DisKernelUCB's grid.
std::vector<double> rival_betas(bool quick);
std::vector<double> rival_lambdas(bool quick);
std::vector<double> rival_thresholds(bool quick);
/// "lambda = 0.2, D = 2", the variant of its contenders.
std::string rival_variant(double lambda, double threshold);

struct SelfTuningChoice {
  std::vector<std::string> conditions{};  ///< keys; empty: self_tuning_conditions(), quick: three
  std::vector<std::string> functions{};   ///< empty: all of each condition; those of a condition
                                          ///< that are not here are left out
  std::uint32_t runs = kSelfTuningRuns;   ///< >= 1
  std::uint64_t first_seed = 1;
  bool quick = false;  ///< fewer conditions and a smaller grid
};

/// With the empty list of conditions filled in.
SelfTuningChoice completed(SelfTuningChoice choice);

/// One task for each condition (its key is the task's preset) and function. Contenders, the rival
/// first: "DisKernelUCB" with "lambda = 0.2, D = 2" for every beta, or "batch-gp" and "random";
/// "DUETS" with a name of duets_names() or ingredient_names(). Tasks that choose DisKernelUCB's
/// setting follow. kInvalid naming the field, or when
/// no function is left.
Experiment self_tuning_experiment(const SelfTuningChoice& choice);

/// Changes when a setting of a preset or of "earn" does: hexadecimal digits.
std::string presets_fingerprint();

}  // namespace duets::lab
