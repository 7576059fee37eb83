#include "duets/protocol/choose_sampler.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

#include "duets/protocol/epoch_model.h"
#include "duets/region/cover.h"
#include "duets/region/strata.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;
using region::Cover;
using region::Method;
using region::SamplerSettings;

// Below this acceptance a walk is cheaper than rejection from the whole domain.
constexpr double kLeastAcceptance = 0.03;
// If the measured acceptance is right, a slot fails with probability e^-60.
constexpr double kAttemptFactor = 60;
constexpr std::uint32_t kMaxAttempts = 1U << 24;

// Covers: in higher dimensions the border of a region has too many cells.
constexpr std::size_t kMostDimensions = 8;
constexpr std::size_t kMostCells = std::size_t{1} << 17;
constexpr std::uint64_t kMostCellTests = std::uint64_t{1} << 18;
// Value and gradient at a cell cost as much as two membership tests.
constexpr double kTestsPerCell = 2;
constexpr std::uint32_t kMeasured = 4096;
// Membership tests: a saving of a few hundredths of a second is not worth building cells.
constexpr double kLeastTestsSaved = 1U << 16;
// With fewer hits the acceptance is not known well enough for a cap on attempts.
constexpr std::uint32_t kEnoughHits = 16;

// A power of two, which takes fewer bits.
std::uint32_t attempts_for(double acceptance) {
  const double attempts = std::min<double>(kMaxAttempts, std::ceil(kAttemptFactor / acceptance));
  return std::bit_ceil(static_cast<std::uint32_t>(attempts));
}

std::uint32_t walk_steps(const region::Region& region) {
  return 20 + 4 * static_cast<std::uint32_t>(region.domain().dimension());
}

// Membership tests for a point of the current region.
double tests_per_draw(const region::Sampler& current, const EpochReport& report) {
  const SamplerSettings& settings = current.settings();
  if (region::is_walk(settings.method)) return 3.0 * settings.walk_steps;
  if (settings.method == Method::kCover) return settings.max_attempts / kAttemptFactor;
  return 1 / report.region_fraction;
}

// How much of the public stream to search for starts: four times the expected need, within a budget
// of membership tests that every party can afford.
std::uint32_t start_cap(const region::Sampler& current, const EpochReport& report,
                        std::uint32_t num_starts) {
  constexpr double kTestBudget = 2e6;
  const double affordable =
      std::max<double>(kSupremumPool, kTestBudget / tests_per_draw(current, report));
  return std::bit_ceil(
      static_cast<std::uint32_t>(std::min(4 * num_starts / report.cut_acceptance, affordable)));
}

// A cover after some halvings.
struct Level {
  std::uint32_t depth = 0;
  std::uint64_t num_tested = 0;
  double volume = 1;
};

// The finest cover that the budget of cell tests allows, and the levels on the way.
std::vector<Level> grow(Cover& cover, double most_cell_tests) {
  std::vector<Level> levels;
  while (cover.depth() < Cover::kMaxDepth && 2 * cover.size() <= kMostCells &&
         static_cast<double>(cover.num_tested() + 2 * cover.size()) <= most_cell_tests) {
    cover.refine();
    levels.push_back({cover.depth(), cover.num_tested(), cover.volume()});
  }
  return levels;
}

// How many of the first points of the cover's public stream lie in the region. The words are those
// of the epoch that ends, so that no point of the next one affects how it is drawn.
std::uint32_t count_hits(const PublicView& view, EpochId epoch, const Cover& cover,
                         EpochReport& report) {
  const auto d = static_cast<Eigen::Index>(cover.region().domain().dimension());
  Points points(kMeasured, d);
  for (std::uint32_t slot = 0; slot < kMeasured; ++slot) {
    cover.draw(
        view.public_coin(),
        {.purpose = random::Purpose::kPublicPoint, .epoch = base::value(epoch), .slot = slot},
        {points.row(slot).data(), static_cast<std::size_t>(d)});
  }
  const region::Membership membership = cover.region().contains(points);
  std::uint32_t hits = 0;
  for (std::uint32_t slot = 0; slot < kMeasured; ++slot) {
    const std::span<const double> point(points.row(slot).data(), static_cast<std::size_t>(d));
    if (membership.inside[slot] != 0 && cover.region().domain().contains(point)) ++hits;
  }
  report.smallest_margin = std::min(report.smallest_margin, membership.smallest_margin);
  return hits;
}

// The cover that draws `num_points` points with the least work, when that is less than
// `work_without`. Fills cut_acceptance then.
std::optional<SamplerSettings> choose_cover(const PublicView& view, EpochId epoch,
                                            const region::Region& next, double num_points,
                                            double work_without, EpochReport& report) {
  if (!Cover::is_possible(next.domain()) || next.domain().dimension() > kMostDimensions) {
    return std::nullopt;
  }
  const double most_gain = work_without - num_points;
  if (most_gain < kLeastTestsSaved) return std::nullopt;
  Cover cover(next, 0);
  const std::vector<Level> levels =
      grow(cover, std::min<double>(kMostCellTests, most_gain / kTestsPerCell));
  const std::uint32_t hits = levels.empty() ? 0 : count_hits(view, epoch, cover, report);
  if (hits < kEnoughHits) return std::nullopt;
  // The region's share of the domain; the acceptance of a coarser cover is smaller by the ratio of
  // their volumes.
  const double fraction = cover.volume() * hits / kMeasured;
  const auto work = [&](const Level& level) {
    return kTestsPerCell * static_cast<double>(level.num_tested) +
           num_points * (level.volume / fraction);
  };
  const Level best =
      *std::min_element(levels.begin(), levels.end(),
                        [&](const Level& a, const Level& b) { return work(a) < work(b); });
  if (work(best) >= work_without) return std::nullopt;
  SamplerSettings settings;
  settings.method = Method::kCover;
  settings.cover_depth = best.depth;
  settings.max_attempts = attempts_for(fraction / best.volume);
  report.cut_acceptance = std::min(1.0, fraction / report.region_fraction);
  return settings;
}

Points choose_walk(const PublicView& view, EpochId epoch, const region::Region& next,
                   const Points& pool, const Vector& fallback_start, const EpochReport& report,
                   Trim& trim) {
  SamplerSettings& settings = trim.sampler;
  settings = {.method = Method::kWalk, .max_attempts = 0};
  settings.walk_steps = walk_steps(next);
  settings.max_shrinks = 128;
  settings.num_starts = 64;
  settings.stream_cap = start_cap(view.sampler(epoch), report, settings.num_starts);
  Points starts = region::find_starts(view.sampler(epoch), next, settings, view.public_coin(),
                                      epoch, view.executor(), pool);
  // With few starts longer walks are needed to forget them, all the more if the start depends on
  // the rewards.
  constexpr Eigen::Index kEnoughStarts = 16;
  if (starts.rows() < kEnoughStarts) settings.walk_steps *= 5;
  if (starts.rows() == 0) trim.starts = fallback_start.transpose();
  return starts;
}

// The points drawn from the next region: those of every agent, or those for strata instead, and the
// public pool.
double num_draws(const Study& study, EpochId epoch, Method method) {
  const std::uint32_t length = planned_lengths(study, epoch)[base::value(epoch)];
  const std::uint64_t strata =
      study.coins == Coins::kStratified
          ? region::strata_pool(method, {base::next(epoch), study.agents, length})
          : 0;
  const double slots = static_cast<double>(study.agents) * length;
  return (strata > 0 ? static_cast<double>(strata) : slots) + kSupremumPool;
}

}  // namespace

Points choose_sampler(const PublicView& view, EpochId epoch, const region::Region& next,
                      const Points& pool, const Vector& fallback_start, EpochReport& report,
                      Trim& trim) {
  if (next.domain().is_finite()) {
    report.survivors = next.survivors().size();
    report.cut_acceptance =
        static_cast<double>(report.survivors) / static_cast<double>(report.region_points);
    report.smallest_margin = std::min(report.smallest_margin, next.last_margin());
    trim.sampler = view.sampler(epoch).settings();
    return {};
  }
  const region::Membership membership = next.contains(pool);
  report.smallest_margin = std::min(report.smallest_margin, membership.smallest_margin);
  const auto hits = std::count(membership.inside.begin(), membership.inside.end(), 1);
  // Even no hit says something: the acceptance is less than about one in the size of the pool.
  report.cut_acceptance =
      std::max(static_cast<double>(hits), 0.5) / static_cast<double>(pool.rows());

  const double acceptance = report.region_fraction * report.cut_acceptance;
  const bool walks = acceptance < kLeastAcceptance;
  const double tests_per_point = walks ? 3.0 * walk_steps(next) : 1 / acceptance;
  const double work_without =
      num_draws(view.study(), epoch, walks ? Method::kWalk : Method::kRejection) * tests_per_point;
  trim.sampler = {};
  if (const auto cover =
          choose_cover(view, epoch, next, num_draws(view.study(), epoch, Method::kCover),
                       work_without, report)) {
    trim.sampler = *cover;
  } else if (walks) {
    return choose_walk(view, epoch, next, pool, fallback_start, report, trim);
  } else {
    trim.sampler.method = Method::kRejection;
    trim.sampler.max_attempts = attempts_for(acceptance);
  }
  return {};
}

}  // namespace duets::protocol
