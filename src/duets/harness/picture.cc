#include "duets/harness/picture.h"

#include <utility>

namespace duets::harness {
namespace {

using numeric::Points;

constexpr std::size_t kResolution = 101;

bool is_drawable(const domain::Domain& domain) {
  return domain.dimension() == 2 && domain.features_are_latents();
}

Points grid_points(const Picture& picture) {
  const auto n = static_cast<Eigen::Index>(picture.resolution);
  Points grid(n * n, 2);
  const double step = (picture.high - picture.low) / static_cast<double>(n - 1);
  for (Eigen::Index y = 0; y < n; ++y) {
    for (Eigen::Index x = 0; x < n; ++x) {
      grid.row(y * n + x) << picture.low + step * static_cast<double>(x),
          picture.low + step * static_cast<double>(y);
    }
  }
  return grid;
}

std::vector<double> to_list(const numeric::Vector& v) { return {v.data(), v.data() + v.size()}; }

}  // namespace

PictureRecorder::PictureRecorder(const domain::Domain& domain, std::uint64_t num_queries)
    : active_(is_drawable(domain)) {
  if (!active_) return;
  thinning_ = thinned_to(num_queries, kMaxPicturePoints);
  picture_.point_stride = thinning_.stride;
  picture_.resolution = kResolution;
  switch (domain.shape()) {
    case domain::Shape::kBox:
      break;
    case domain::Shape::kBall:
      picture_.low = -domain.radius();
      picture_.high = domain.radius();
      break;
    case domain::Shape::kFinite:
      picture_.low = domain.candidates().minCoeff();
      picture_.high = domain.candidates().maxCoeff();
      if (picture_.low == picture_.high) picture_.high = picture_.low + 1;
      break;
  }
}

void PictureRecorder::point(const Points& latents, Eigen::Index row, std::uint32_t epoch) {
  if (!active_) return;
  picture_.point_x.push_back(latents(row, 0));
  picture_.point_y.push_back(latents(row, 1));
  picture_.point_epoch.push_back(epoch);
}

std::optional<Picture> PictureRecorder::finish(
    const region::Region& region, const std::optional<protocol::Recommendation>& recommendation,
    const problems::Problem* problem) {
  if (!active_) return std::nullopt;
  const Points grid = grid_points(picture_);
  if (problem != nullptr) {
    picture_.truth.resize(static_cast<std::size_t>(grid.rows()));
    problem->values(grid, picture_.truth);
  }
  std::vector<std::uint8_t> inside(static_cast<std::size_t>(grid.rows()), 1);
  for (const auto& cut : region.cuts()) {
    const numeric::Vector sums = cut->sum_at(grid);
    picture_.mean = to_list(sums.array() + cut->reward_offset());
    picture_.margin.push_back(to_list(sums.array() - cut->tau()));
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (picture_.margin.back()[i] < 0) inside[i] = 0;
    }
    picture_.inside.push_back(inside);
  }
  picture_.has_recommendation = recommendation.has_value();
  if (recommendation) {
    picture_.recommended_x = recommendation->point[0];
    picture_.recommended_y = recommendation->point[1];
  }
  return std::move(picture_);
}

}  // namespace duets::harness
