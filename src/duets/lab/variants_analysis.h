// The frontier of regret against reals, with paired evidence.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/lab/final_numbers.h"
#include "duets/lab/statistics.h"
#include "duets/lab/variants.h"

namespace duets::lab {

/// Whether less regret can be had for fewer reals. "Established" means by paired differences at a
/// family-wise 95 % over both measures and all rivals of one entry.
enum class Standing : std::uint8_t {
  kFrontier,   ///< established: every rival has more regret or sends more
  kDominated,  ///< established: some rival has less of one and not more of the other
  kOpen,       ///< neither
};
constexpr auto enum_entries(Standing /*tag*/) {
  return base::entries<Standing>({{Standing::kFrontier, "frontier"},
                                  {Standing::kDominated, "dominated"},
                                  {Standing::kOpen, "open"}});
}

/// A variant of DUETS, or DisKernelUCB with one threshold at the beta chosen for it and the
/// function on other seeds.
struct VariantResult : FinalNumbers {
  std::string algorithm{};
  std::string variant{};
  double beta = 0;
  bool at_edge = false;  ///< the chosen beta is the smallest or largest of its grid
  Standing standing = Standing::kOpen;
  std::string dominated_by{};  ///< label of the established rival with the least regret

  bool is_duets() const { return algorithm == "DUETS"; }
  /// The variant's name, or "DisKernelUCB D = 10".
  std::string label() const { return is_duets() ? variant : algorithm + " " + variant; }
};

/// One pair, first - second, in regret and reals of the paper's ledger; the recommendation's
/// regret, on which no standing rests, has a family of its own.
struct VariantPair {
  std::size_t first = 0, second = 0;
  PairedDifference regret{};
  PairedDifference reals{};
  PairedDifference recommendation{};
};

struct VariantsTask {
  std::string function{};
  std::optional<AskTell> ask_tell{};
  std::vector<VariantResult> results{};  ///< variants in their order, then thresholds in theirs
  std::vector<VariantPair> pairs{};      ///< every first != second

  const VariantResult* find(std::string_view algorithm, std::string_view variant) const;
};

struct VariantsAnalysis {
  std::vector<std::uint64_t> seeds{};
  std::vector<std::uint64_t> selection_seeds{};
  std::vector<VariantsTask> tasks{};
};

/// A pure function of its arguments. Betas of a threshold are chosen as in hindsight.h. The
/// standing is by the paper's ledger. kInvalid when the result is not complete.
VariantsAnalysis analyse_variants(const Experiment& experiment, const ExperimentResult& result);

}  // namespace duets::lab
