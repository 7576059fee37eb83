// Analyses the scaling experiment: growth of regret and communication against the theorem's
// yardsticks.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/kernel/kernel.h"
#include "duets/lab/final_numbers.h"
#include "duets/lab/scaling.h"
#include "duets/lab/statistics.h"
#include "duets/numeric/matrix.h"

namespace duets::lab {

/// Information gain of uniform play on a finite set, 1/2 sum_i ln(1 + (m / M) kappa_i / lambda)
/// with kappa_i the eigenvalues of the Gram matrix of its M points: the gain of m queries spread
/// evenly, m / M on each point.
///
/// It replaces gamma_m, the maximum over all designs (gp::largest_gain bounds it). It involves no
/// chance; by concavity of the log-determinant no uniform random design has more on average, and it
/// is below gamma_m up to rounding m / M to whole queries. It follows the decay of the eigenvalues
/// as the known bounds on gamma_m do, so both grow alike up to constants: a greedy design, which
/// has at least 63 % of gamma_m, has 4 to 9 % more on these candidates.
class UniformGain {
 public:
  /// O(M^3), once. kInvalid when the kernel does not fit or lambda is not positive.
  UniformGain(const kernel::Kernel& kernel, const numeric::Points& points, double lambda);
  /// O(M).
  double operator()(double queries) const;

 private:
  double lambda_;
  numeric::Vector eigenvalues_;
};

/// The measure, and the yardstick it is compared with.
enum class Growth : std::uint8_t {
  kRegret,         ///< against sqrt(N T gamma)
  kCommunication,  ///< reals of the paper's ledger, against gamma
};
inline constexpr std::array<Growth, 2> kGrowths = {Growth::kRegret, Growth::kCommunication};
constexpr auto enum_entries(Growth /*tag*/) {
  return base::entries<Growth>(
      {{Growth::kRegret, "regret"}, {Growth::kCommunication, "communication"}});
}

/// One size of one function, over all seeds.
struct ScalingSummary : FinalNumbers {
  ScalingPoint point{};
  double gain = 0;            ///< gamma
  std::size_t exchanges = 0;  ///< J - 1

  /// sqrt(N T gamma) or gamma.
  double yardstick(Growth growth) const;
  /// Regret or reals of the paper's ledger, by seed and summarised.
  const std::vector<double>& values(Growth growth) const;
  const Summary& summary(Growth growth) const;
};

/// Another contender at one size: what DUETS at a fixed beta is compared with.
struct ScalingRival : FinalNumbers {
  double gain = 0;  ///< gamma of the size
  ScalingPoint point{};
  std::string name{};     ///< "DUETS auto", "DisKernelUCB"
  std::string setting{};  ///< "beta = 0.2, D = 2" where it was chosen
  std::string edge{};     ///< edge_text() of its grid
};

enum class SlopeVerdict : std::uint8_t {
  kBelow,    ///< grows slower than the bound: the interval lies below 1
  kOpen,     ///< the interval contains 1
  kAbove,    ///< grows faster than the bound without its logarithms
  kUnknown,  ///< one run
};
constexpr auto enum_entries(SlopeVerdict /*tag*/) {
  return base::entries<SlopeVerdict>({{SlopeVerdict::kBelow, "below 1"},
                                      {SlopeVerdict::kOpen, "1 not excluded"},
                                      {SlopeVerdict::kAbove, "above 1"},
                                      {SlopeVerdict::kUnknown, "unknown"}});
}

/// The exponent of growth, from a line through logarithms. Sizes of one seed share candidates and
/// function, so their residuals are not independent; seeds are. Therefore one least-squares line
/// for each seed; the slope is their mean, its interval Student's t over seeds.
struct SlopeFit {
  std::string function{};
  std::string name{};  ///< of a rival; empty: DUETS at the fixed beta
  Sweep sweep = Sweep::kHorizon;
  Growth growth = Growth::kRegret;
  bool upper_half = false;  ///< the larger sizes only: closer to the theorem's asymptotics
  std::size_t sizes = 0;
  std::size_t runs = 0;
  double slope = 0;
  std::optional<double> stddev{};                 ///< of a seed's slope
  std::optional<Interval> interval{};             ///< 95 %, each on its own
  SlopeVerdict verdict = SlopeVerdict::kUnknown;  ///< at a family-wise 95 % over all fits
};

struct ScalingAnalysis {
  std::vector<std::uint64_t> seeds{};
  std::vector<std::string> functions{};
  std::vector<ScalingSummary> sizes{};  ///< by function, then N, then T
  std::vector<std::uint64_t> selection_seeds{};
  std::vector<ScalingRival> rivals{};  ///< in the order of sizes, then of contenders
  std::vector<SlopeFit> fits{};        ///< by function, sweep, growth, all sizes before half
  /// The same of rivals over all sizes that they ran, without verdicts; who sends nothing has no
  /// growth of it.
  std::vector<SlopeFit> rival_fits{};

  /// Of one sweep of one function, the smallest first.
  std::vector<const ScalingSummary*> sweep(std::string_view function, Sweep which) const;
  const SlopeFit* fit(std::string_view function, Sweep sweep, Growth growth, bool upper_half) const;
};

/// The slope of the least-squares line through (ln x, ln y). kInvalid for fewer than two points or
/// a number that is not positive.
double log_slope(const std::vector<double>& x, const std::vector<double>& y);

using GainOf = std::function<double(const ScalingPoint&)>;

/// UniformGain of the candidates that scaling_instance draws for this seed. Those of other seeds
/// differ by less than 1 %. A second for each kernel, when it is first asked for.
GainOf candidate_gain(std::uint64_t seed);

/// A pure function of its arguments. kInvalid when the result is not complete or a regret or gain
/// is not positive.
ScalingAnalysis analyse_scaling(const Scaling& scaling, const ExperimentResult& result,
                                const GainOf& gain_of);

}  // namespace duets::lab
