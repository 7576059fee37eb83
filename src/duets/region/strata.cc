#include "duets/region/strata.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"

namespace duets::region {
namespace {

using numeric::Points;

std::uint64_t num_slots(const EpochSlots& slots) {
  return std::uint64_t{slots.num_agents} * slots.length;
}

// The order of the points. A range of strata and its range of rows are halved together; the rows of
// a half are a set that depends only on values and row numbers, however nth_element orders them.
class Halving {
 public:
  Halving(const Points& points, const SideUnits& units, std::uint64_t num_strata)
      : points_(points),
        units_(units),
        num_points_(static_cast<std::uint64_t>(points.rows())),
        num_strata_(num_strata),
        order_(static_cast<std::size_t>(points.rows())) {
    std::iota(order_.begin(), order_.end(), 0U);
  }

  std::vector<std::uint32_t> run() {
    halve(0, num_strata_);
    return std::move(order_);
  }

 private:
  using Row = std::vector<std::uint32_t>::iterator;

  Row first_row(std::uint64_t stratum) {
    return order_.begin() + static_cast<std::ptrdiff_t>(stratum * num_points_ / num_strata_);
  }

  // The depth is log2 of the number of strata.
  void halve(std::uint64_t begin, std::uint64_t end) {
    const Row first = first_row(begin);
    const Row last = first_row(end);
    if (end - begin <= 1 || last - first <= 1) {
      std::sort(first, last);
      return;
    }
    const std::uint64_t middle = begin + (end - begin) / 2;
    const Eigen::Index axis = widest_axis(first, last);
    std::nth_element(first, first_row(middle), last, [&](std::uint32_t a, std::uint32_t b) {
      const double x = points_(a, axis);
      const double y = points_(b, axis);
      return x < y || (x == y && a < b);
    });
    halve(begin, middle);
    halve(middle, end);
  }

  Eigen::Index widest_axis(Row first, Row last) const {
    Eigen::Index widest = 0;
    double widest_extent = -1;
    for (Eigen::Index axis = 0; axis < points_.cols(); ++axis) {
      double low = points_(*first, axis);
      double high = low;
      for (Row row = first + 1; row != last; ++row) {
        low = std::min(low, points_(*row, axis));
        high = std::max(high, points_(*row, axis));
      }
      const double extent =
          units_.empty() ? high - low : (high - low) / units_[static_cast<std::size_t>(axis)];
      if (extent <= widest_extent) continue;
      widest = axis;
      widest_extent = extent;
    }
    return widest;
  }

  const Points& points_;
  const SideUnits& units_;
  std::uint64_t num_points_;
  std::uint64_t num_strata_;
  std::vector<std::uint32_t> order_;
};

Draw all_survivors(const Region& region) {
  Draw draw;
  draw.indices = region.survivors();
  draw.latents = region.surviving_points();
  return draw;
}

[[noreturn]] void refuse_slot(base::AgentId agent, const SlotRange& slots,
                              const EpochSlots& epoch) {
  base::refuse(
      "strata.slot",
      fmt::format("agent {}, epoch {}, slots {} .. {}", base::value(agent),
                  base::value(slots.epoch), slots.first, std::uint64_t{slots.first} + slots.count),
      fmt::format("these are the strata of {} agents in epoch {} of {} slots", epoch.num_agents,
                  base::value(epoch.epoch), epoch.length));
}

}  // namespace

std::uint64_t strata_pool(Method method, const EpochSlots& slots) {
  if (method == Method::kIndex) return 0;
  const std::uint64_t wanted = is_walk(method) ? kWalksPerStratum : kPointsPerStratum;
  const std::uint64_t strata = num_slots(slots);
  const std::uint64_t each = std::min(wanted, kMaxStrataPool / strata);
  return each < 2 ? 0 : each * strata;
}

std::shared_ptr<const Strata> Strata::make(const Sampler& sampler, const random::Coin& public_coin,
                                           const EpochSlots& slots, const SideUnits& units,
                                           const base::Executor& executor) {
  const std::uint64_t strata = num_slots(slots);
  base::require(strata > 0, "strata", "0", "an epoch has at least one agent and one slot");
  base::require(units.empty() || units.size() == sampler.region().domain().dimension(),
                "strata.units", fmt::format("{} numbers", units.size()),
                "must be one for each latent coordinate, or none");
  Draw pool;
  if (sampler.region().domain().is_finite()) {
    pool = all_survivors(sampler.region());
    const auto most = std::numeric_limits<std::uint64_t>::max() / pool.indices.size();
    if (strata > most) return nullptr;
  } else {
    const auto count = static_cast<std::uint32_t>(strata_pool(sampler.settings().method, slots));
    if (count == 0) return nullptr;
    pool = sampler.draw(public_coin, Lane::kPool, {slots.epoch, 0, count}, executor);
  }
  std::uint64_t word = 0;
  public_coin.words({.purpose = random::Purpose::kRotation, .epoch = base::value(slots.epoch)},
                    std::span(&word, 1));
  // Not make_shared: the constructor is private.
  return std::shared_ptr<const Strata>(
      new Strata(std::move(pool), slots, units, random::index_below(word, strata)));
}

Strata::Strata(Draw pool, const EpochSlots& slots, const SideUnits& units, std::uint64_t rotation)
    : slots_(slots),
      num_strata_(num_slots(slots)),
      rotation_(rotation),
      tests_(pool.tests),
      smallest_margin_(pool.smallest_margin) {
  const std::vector<std::uint32_t> order = Halving(pool.latents, units, num_strata_).run();
  points_ = numeric::select_rows(pool.latents, order);
  if (pool.indices.empty()) return;
  for (const std::uint32_t row : order) indices_.push_back(pool.indices[row]);
}

// Neighbouring strata go to different agents: an agent that is absent leaves no hole in the region.
std::uint64_t Strata::stratum(base::AgentId agent, std::uint32_t slot) const {
  const std::uint64_t place = std::uint64_t{slot} * slots_.num_agents + base::value(agent);
  const std::uint64_t left = num_strata_ - rotation_;
  return place < left ? place + rotation_ : place - left;
}

Draw Strata::draw(const random::Coin& agent_coin, base::AgentId agent,
                  const SlotRange& slots) const {
  const bool fits = slots.epoch == slots_.epoch && base::value(agent) < slots_.num_agents &&
                    std::uint64_t{slots.first} + slots.count <= slots_.length;
  if (!fits) refuse_slot(agent, slots, slots_);
  Draw draw;
  draw.latents.resize(slots.count, points_.cols());
  draw.smallest_margin = smallest_margin_;
  for (std::uint32_t row = 0; row < slots.count; ++row) {
    const std::uint32_t slot = slots.first + row;
    std::uint64_t word = 0;
    agent_coin.words(
        {.purpose = random::Purpose::kPoint, .epoch = base::value(slots.epoch), .slot = slot},
        std::span(&word, 1));
    // floor((stratum + u) M / S) with u = word / 2^64, in integers.
    const std::uint64_t position =
        (stratum(agent, slot) * num_points() + random::index_below(word, num_points())) /
        num_strata_;
    draw.latents.row(row) = points_.row(static_cast<Eigen::Index>(position));
    if (!indices_.empty()) draw.indices.push_back(indices_[position]);
  }
  return draw;
}

}  // namespace duets::region
