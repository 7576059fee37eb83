#include "duets/protocol/choose_sampler.h"

#include <algorithm>
#include <cmath>

#include "duets/protocol/epoch_model.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

// Below this acceptance a walk is cheaper than rejection.
constexpr double kLeastAcceptance = 0.03;
// A slot whose acceptance was measured rightly fails with probability e^-60.
constexpr double kAttemptFactor = 60;
constexpr std::uint32_t kMaxAttempts = 1U << 24;

// How much of the public stream to search for starts: four times what should do, within a budget of
// membership tests that every party can afford.
std::uint32_t start_cap(const region::Sampler& current, const EpochReport& report,
                        std::uint32_t num_starts) {
  constexpr double kTestBudget = 2e6;
  const double tests_per_draw = current.settings().method == region::Method::kWalk
                                    ? 3.0 * current.settings().walk_steps
                                    : 1 / report.region_fraction;
  const double affordable = std::max<double>(kSupremumPool, kTestBudget / tests_per_draw);
  return static_cast<std::uint32_t>(std::min(4 * num_starts / report.cut_acceptance, affordable));
}

}  // namespace

void choose_sampler(const PublicView& view, EpochId epoch, const region::Region& next,
                    const Points& pool, const Vector& fallback_start, EpochReport& report,
                    Trim& trim) {
  if (next.domain().is_finite()) {
    report.survivors = next.survivors().size();
    report.cut_acceptance =
        static_cast<double>(report.survivors) / static_cast<double>(report.region_points);
    report.smallest_margin = std::min(report.smallest_margin, next.last_margin());
    trim.sampler = view.sampler(epoch).settings();
    return;
  }
  const region::Membership membership = next.contains(pool);
  report.smallest_margin = std::min(report.smallest_margin, membership.smallest_margin);
  const auto hits = std::count(membership.inside.begin(), membership.inside.end(), 1);
  // No hit at all still says something: less than about one in the size of the pool.
  report.cut_acceptance =
      std::max(static_cast<double>(hits), 0.5) / static_cast<double>(pool.rows());

  const double acceptance = report.region_fraction * report.cut_acceptance;
  region::SamplerSettings settings;
  if (acceptance >= kLeastAcceptance) {
    settings.method = region::Method::kRejection;
    settings.max_attempts = static_cast<std::uint32_t>(std::ceil(kAttemptFactor / acceptance));
    trim.sampler = settings;
    return;
  }
  const auto d = static_cast<std::uint32_t>(next.domain().dimension());
  settings.method = region::Method::kWalk;
  settings.max_attempts = kMaxAttempts;
  settings.walk_steps = 20 + 4 * d;
  settings.max_shrinks = 100;
  settings.num_starts = 64;
  settings.stream_cap = start_cap(view.sampler(epoch), report, settings.num_starts);
  const Points starts = region::find_starts(view.sampler(epoch), next, settings, view.public_coin(),
                                            epoch, view.executor());
  // Few starts have to be forgotten by longer walks; a start that depends on the rewards all the
  // more.
  constexpr Eigen::Index kEnoughStarts = 16;
  if (starts.rows() < kEnoughStarts) settings.walk_steps *= 5;
  if (starts.rows() == 0) trim.starts = fallback_start.transpose();
  trim.sampler = settings;
}

}  // namespace duets::protocol
