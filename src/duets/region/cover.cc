#include "duets/region/cover.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"

namespace duets::region {
namespace {

using numeric::Points;

// Volume of the unit ball, by the recursion over dimensions.
double unit_ball_volume(std::size_t dimension) {
  constexpr double kPi = 3.14159265358979323846;
  double volume = dimension % 2 == 0 ? 1.0 : 2.0;
  for (std::size_t d = dimension % 2 == 0 ? 2 : 3; d <= dimension; d += 2) {
    volume = volume * (2 * kPi / static_cast<double>(d));
  }
  return volume;
}

// True when a box with this centre is outside the ball by more than rounding.
bool outside_ball(std::span<const double> centre, const std::vector<double>& half, double radius) {
  double nearest2 = 0;
  for (std::size_t k = 0; k < centre.size(); ++k) {
    const double gap = std::max(0.0, std::abs(centre[k]) - half[k]);
    nearest2 = nearest2 + gap * gap;
  }
  return nearest2 > radius * radius * (1 + 0x1p-40);
}

}  // namespace

bool Cover::is_possible(const domain::Domain& domain) {
  return !domain.is_finite() && domain.features_are_latents();
}

Cover::Cover(Region region, std::uint32_t depth)
    : region_(std::move(region)), widths_(region_.domain().dimension(), 1.0) {
  base::require(is_possible(region_.domain()), "sampler.method", "cover",
                "needs a ball, or a box of float parameters");
  base::require(depth <= kMaxDepth, "sampler.cover_depth", fmt::format("{}", depth),
                fmt::format("must be at most {}", kMaxDepth));
  for (auto cut = region_.cuts().rbegin(); cut != region_.cuts().rend(); ++cut) {
    bounds_.push_back(std::make_shared<const SumBound>(*cut));
  }
  corners_ = Points::Zero(1, static_cast<Eigen::Index>(widths_.size()));
  while (depth_ < depth) refine();
}

std::size_t Cover::widest_axis() const {
  std::size_t widest = 0;
  double largest = 0;
  for (std::size_t k = 0; k < widths_.size(); ++k) {
    double scale = 1;
    if (!bounds_.empty()) {
      const std::vector<double>& scales = bounds_.front()->cut().kernel().lengthscales;
      scale = scales[scales.size() == 1 ? 0 : k];
    }
    if (widths_[k] / scale > largest) {
      largest = widths_[k] / scale;
      widest = k;
    }
  }
  return widest;
}

void Cover::refine() {
  base::require(depth_ < kMaxDepth, "sampler.cover_depth", fmt::format("{}", depth_ + 1),
                fmt::format("must be at most {}", kMaxDepth));
  const std::size_t axis = widest_axis();
  widths_[axis] = 0.5 * widths_[axis];
  Points halves(2 * corners_.rows(), corners_.cols());
  for (Eigen::Index i = 0; i < corners_.rows(); ++i) {
    halves.row(2 * i) = corners_.row(i);
    halves.row(2 * i + 1) = corners_.row(i);
    halves(2 * i + 1, static_cast<Eigen::Index>(axis)) += widths_[axis];
  }
  corners_ = std::move(halves);
  ++depth_;
  num_tested_ += size();
  keep_possible();
  base::require(size() >= 1, "active region", "empty", "the cover has no cell left");
  base::require(size() <= kMaxCells && size() * widths_.size() <= kMaxCoordinates,
                "sampler.cover_depth", fmt::format("{}", depth_),
                fmt::format("gives {} cells, which is too many; use fewer halvings", size()));
}

void Cover::keep_possible() {
  const std::vector<double> half = half_widths();
  const auto keep = [&](const auto& is_possible_at) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < size(); ++i) {
      if (is_possible_at(static_cast<Eigen::Index>(i))) kept.push_back(i);
    }
    if (kept.size() < size()) corners_ = numeric::select_rows(corners_, kept);
  };
  if (region_.domain().shape() == domain::Shape::kBall) {
    const Points at = centres();
    keep([&](Eigen::Index i) {
      return !outside_ball({at.row(i).data(), half.size()}, half, region_.domain().radius());
    });
  }
  for (const auto& bound : bounds_) {
    const numeric::Vector most = bound->over_boxes(centres(), half);
    // Not "most >= tau": a bound that is not a number proves nothing.
    keep([&](Eigen::Index i) { return !(most[i] < bound->cut().tau()); });
  }
}

double Cover::to_unit(double latent) const {
  if (region_.domain().shape() == domain::Shape::kBox) return latent;
  return 0.5 * (latent / region_.domain().radius() + 1);
}

double Cover::to_latent(double unit) const {
  if (region_.domain().shape() == domain::Shape::kBox) return unit;
  return region_.domain().radius() * (2 * unit - 1);
}

Points Cover::centres() const {
  Points at(corners_.rows(), corners_.cols());
  for (Eigen::Index i = 0; i < at.rows(); ++i) {
    for (Eigen::Index k = 0; k < at.cols(); ++k) {
      at(i, k) = to_latent(corners_(i, k) + 0.5 * widths_[static_cast<std::size_t>(k)]);
    }
  }
  return at;
}

std::vector<double> Cover::half_widths() const {
  const bool box = region_.domain().shape() == domain::Shape::kBox;
  const double edge = box ? 1.0 : 2 * region_.domain().radius();
  std::vector<double> half;
  for (const double width : widths_) half.push_back(0.5 * (edge * width));
  return half;
}

double Cover::volume() const {
  const double unit = std::accumulate(widths_.begin(), widths_.end(), static_cast<double>(size()),
                                      std::multiplies<>());
  if (region_.domain().shape() == domain::Shape::kBox) return unit;
  const std::size_t d = widths_.size();
  return unit * (std::ldexp(1.0, static_cast<int>(d)) / unit_ball_volume(d));
}

void Cover::draw(const random::Coin& coin, const random::Address& address,
                 std::span<double> out) const {
  // Called for every attempt: in the dimensions of covers this allocates no memory.
  std::array<std::uint64_t, 16> few{};
  std::vector<std::uint64_t> many(out.size() < few.size() ? 0 : out.size() + 1);
  const std::span<std::uint64_t> words =
      many.empty() ? std::span(few.data(), out.size() + 1) : std::span(many);
  coin.words(address, words);
  const auto cell = static_cast<Eigen::Index>(random::index_below(words[0], size()));
  for (std::size_t k = 0; k < out.size(); ++k) {
    const double u = static_cast<double>(words[k + 1] >> 11) * 0x1p-53;
    out[k] = to_latent(corners_(cell, static_cast<Eigen::Index>(k)) + widths_[k] * u);
  }
}

}  // namespace duets::region
