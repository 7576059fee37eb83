// Compares presets and ingredients with the rival of their condition, with paired evidence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/lab/final_numbers.h"
#include "duets/lab/log_ratio.h"
#include "duets/lab/self_tuning.h"

namespace duets::lab {

/// The quantities compared.
enum class Measure : std::uint8_t { kRegret = 0, kPaper = 1, kLinks = 2, kRecommendation = 3 };
inline constexpr std::array kMeasures{Measure::kRegret, Measure::kPaper, Measure::kLinks,
                                      Measure::kRecommendation};
/// Columns of the tables.
constexpr auto enum_entries(Measure /*tag*/) {
  return base::entries<Measure>({{Measure::kRegret, "regret"},
                                 {Measure::kPaper, "paper"},
                                 {Measure::kLinks, "links"},
                                 {Measure::kRecommendation, "recommendation"}});
}

/// What plain ask and tell sends over all functions of a condition, as geometric means of the
/// ratios to what its rival sends.
struct AskTellRatio {
  double paper = 0;
  double links = 0;
};

/// By measure; nothing where a mean is 0.
using Ratios = std::array<std::optional<Ratio>, kMeasures.size()>;
using LogRatios = std::array<std::optional<LogRatio>, kMeasures.size()>;

/// What ingredients are compared with.
inline constexpr std::string_view kIngredientReference = "auto";

/// DisKernelUCB, fitted or not, at its chosen setting, a peer, a preset, "earn", or "auto" with a
/// changed ingredient.
struct SelfTuningEntry : FinalNumbers {
  std::string name{};
  std::string setting{};    ///< of DisKernelUCB: "beta = 0.5, lambda = 0.2, D = 2"
  std::string edge{};       ///< edge_text() of its grid
  std::string reference{};  ///< the denominator of the ratios: the rival, for an ingredient "auto";
                            ///< empty for the rival
  LogRatios log_ratios{};
  Ratios ratios{};
};

struct SelfTuningTask {
  std::string condition{};
  std::string function{};
  bool of_paper = false;  ///< one of the paper's four functions
  bool mixed = false;     ///< is_mixed
  std::optional<AskTell> ask_tell{};
  std::vector<SelfTuningEntry> entries{};  ///< the rival, then the others in their order

  const SelfTuningEntry& rival() const { return entries.front(); }
  /// nullptr when there is none.
  const SelfTuningEntry* find(std::string_view name) const;
};

/// Geometric means of the ratios over functions.
struct SelfTuningMean {
  std::string condition{};
  std::string group{};  ///< "all"; where there are both, "paper" and "added" (whose function it
                        ///< is), "boxes" and "mixed" (on what)
  std::string name{};
  std::string reference{};
  std::size_t functions = 0;
  std::size_t runs = 0;
  double lost = 0;            ///< share of the runs that lost the optimum, mean over functions
  double lost_reference = 0;  ///< the same of the reference
  Ratios ratios{};            ///< nothing where a function has none
};

struct SelfTuningAnalysis {
  std::vector<std::uint64_t> seeds{};
  std::vector<std::uint64_t> selection_seeds{};
  std::vector<SelfTuningTask> tasks{};
  std::vector<SelfTuningMean> means{};  ///< by condition, group ("all" first), name

  /// nullptr when there is none.
  const SelfTuningMean* find(std::string_view condition, std::string_view group,
                             std::string_view name) const;
  /// Different conditions, in order of first appearance.
  std::vector<std::string> conditions() const;
  std::vector<const SelfTuningTask*> of_condition(std::string_view condition) const;
  /// Nothing where a rival sends nothing, or where it is not known.
  std::optional<AskTellRatio> ask_tell_ratio(std::string_view condition) const;
};

/// A pure function of its arguments. The rival of a task is the algorithm of its first contender.
/// Its setting is chosen as in hindsight.h. kInvalid when the result is not complete.
SelfTuningAnalysis analyse_self_tuning(const Experiment& experiment,
                                       const ExperimentResult& result);

}  // namespace duets::lab
