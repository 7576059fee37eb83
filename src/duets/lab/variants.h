// Variants of DUETS that keep its protocol, and DisKernelUCB over its threshold, on the same
// problems and seeds.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/lab/experiment.h"
#include "duets/protocol/preset.h"
#include "duets/protocol/study.h"

namespace duets::lab {

/// beta of every variant but the presets, whatever the function.
inline constexpr double kVariantBeta = 0.2;
inline constexpr std::uint32_t kVariantRuns = 50;
inline constexpr std::uint32_t kQuickVariantRuns = 4;

/// What a variant changes. Everything else is as printed: beta and lambda 0.2, the printed cut,
/// p0 = 10, data of the epoch alone.
struct Variant {
  std::string name{};
  protocol::ScheduleRule schedule = protocol::ScheduleRule::kSqrtFloor;
  std::uint32_t t1 = 2;
  protocol::Inducing inducing = protocol::Inducing::kCoin;
  protocol::UploadRule upload = protocol::UploadRule::kProjection;
  const protocol::Preset* preset = nullptr;     ///< all of its settings instead, and the guessed
                                                ///< length scale
  protocol::Goal goal = protocol::Goal::kEarn;  ///< of the preset
};

/// The printed algorithm, one change at a time, combinations, and the presets that tune themselves.
std::span<const Variant> duets_variants();
/// By name; kInvalid when there is none.
const Variant& find_variant(std::string_view name);

/// The study with the variant's settings.
protocol::Study variant_study(protocol::Study study, const Variant& variant);
/// The same settings in a study without a domain.
protocol::Study variant_settings(const Variant& variant);

/// Thresholds D of DisKernelUCB (the last is infinity: never synchronise) and the grid over which
/// its best beta is sought, for every function and D.
std::span<const double> frontier_thresholds(bool quick);
std::span<const double> frontier_betas(bool quick);

/// One of the paper's functions with N = 10, T = 50 and 2000 candidates on the sphere (h1, h2) or
/// in the cube, fresh for each seed; regret against the best candidate. kInvalid for a name that
/// does not exist.
Instance variants_instance(std::string_view function, std::uint64_t seed);

struct VariantsChoice {
  std::vector<std::string> functions{};  ///< of paper_functions(); empty: all
  std::uint32_t runs = kVariantRuns;     ///< >= 1
  std::uint64_t first_seed = 1;
  bool quick = false;  ///< fewer thresholds and betas
};

/// One task for each function, and one that chooses the betas of DisKernelUCB. Contenders: "DUETS"
/// with the variant's name, "DisKernelUCB" with "D = 10" for every beta. kInvalid naming the field.
Experiment variants_experiment(const VariantsChoice& choice);

/// How the number of exchanges grows with T: "log log T", "log2 T", "2 log2 T".
std::string_view exchange_growth(const Variant& variant);

/// Which part of the paper's theorem would still hold with the theorem's own width, and what
/// replaces the rest. As run, with beta tuned, none of it is promised.
std::string theorem_left(const Variant& variant);

}  // namespace duets::lab
