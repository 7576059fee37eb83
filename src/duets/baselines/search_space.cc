#include "duets/baselines/search_space.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "duets/base/error.h"
#include "duets/problems/draw.h"

namespace duets::baselines {

using domain::Parameter;
using numeric::Points;
using numeric::Vector;

namespace {

constexpr std::array<double, 3> kChanges{0.2, 0.05, 0.01};
constexpr double kOtherChoice = 0.2;  // how often a change takes any choice of a categorical
constexpr int kMaxClimbSteps = 30;

random::Address address_of(std::uint32_t stream, std::uint32_t slot, std::size_t attempt) {
  return {.purpose = random::Purpose::kPolicy,
          .epoch = stream,
          .slot = slot,
          .attempt = static_cast<std::uint32_t>(attempt)};
}

// 0 .. n-1 in random order.
std::vector<std::size_t> shuffled(std::size_t n, const random::Coin& coin,
                                  const random::Address& address) {
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  random::Address next = address;
  for (std::size_t i = n; i > 1; --i) {
    std::uint64_t word = 0;
    next.slot = static_cast<std::uint32_t>(i);
    coin.words(next, {&word, 1});
    std::swap(order[i - 1], order[random::index_below(word, i)]);
  }
  return order;
}

}  // namespace

SearchSpace::SearchSpace(const Setting& setting)
    : domain_(setting.domain), candidates_(setting.latents), coin_(setting.coin) {
  base::require(domain_ != nullptr, "domain", "none", "must be given");
}

Points SearchSpace::uniform(std::size_t count, std::uint32_t stream, std::uint32_t slot) const {
  const auto d = static_cast<Eigen::Index>(domain_->dimension());
  Points out(static_cast<Eigen::Index>(count), d);
  for (std::size_t i = 0; i < count; ++i) {
    auto row = out.row(static_cast<Eigen::Index>(i));
    const std::span<double> x{row.data(), static_cast<std::size_t>(d)};
    const random::Address address = address_of(stream, slot, i);
    if (is_finite()) {
      std::uint64_t word = 0;
      coin_.words(address, {&word, 1});
      row = candidates_.row(static_cast<Eigen::Index>(
          random::index_below(word, static_cast<std::uint64_t>(candidates_.rows()))));
    } else if (domain_->shape() == domain::Shape::kBall) {
      problems::draw_in_ball(coin_, address, x);
      row *= domain_->radius();
      move_inside(row.transpose());
    } else {
      coin_.uniforms(address, x);
    }
  }
  return out;
}

Points SearchSpace::spread(std::size_t count, std::uint32_t stream, std::uint32_t slot) const {
  Points out = uniform(count, stream, slot);
  if (domain_->shape() == domain::Shape::kBall) return out;
  if (is_finite()) {
    const auto size = static_cast<std::size_t>(candidates_.rows());
    const auto order = shuffled(size, coin_, address_of(stream, 0, count));
    for (std::size_t i = 0; i < count; ++i) {
      out.row(static_cast<Eigen::Index>(i)) =
          candidates_.row(static_cast<Eigen::Index>(order[i % size]));
    }
    return out;
  }
  for (Eigen::Index c = 0; c < out.cols(); ++c) {
    const auto order =
        shuffled(count, coin_, address_of(stream, 0, count + static_cast<std::size_t>(c)));
    for (std::size_t i = 0; i < count; ++i) {
      double& x = out(static_cast<Eigen::Index>(i), c);
      x = (static_cast<double>(order[i]) + x) / static_cast<double>(count);
    }
  }
  return out;
}

Points SearchSpace::around(const Points& centres, std::size_t count, std::uint32_t stream,
                           std::uint32_t slot) const {
  const auto d = static_cast<std::size_t>(centres.cols());
  Points out(centres.rows() * static_cast<Eigen::Index>(count), centres.cols());
  std::vector<double> normal(d);
  std::vector<double> uniform_words(2 * d);
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    const auto number = static_cast<std::size_t>(i);
    coin_.normals(address_of(stream, slot, 2 * number), normal);
    coin_.uniforms(address_of(stream, slot, 2 * number + 1), uniform_words);
    const double width = (domain_->shape() == domain::Shape::kBall ? 2 * domain_->radius() : 1) *
                         kChanges[number % kChanges.size()];
    Vector x = centres.row(i / static_cast<Eigen::Index>(count));
    for (std::size_t k = 0; k < d; ++k) {
      const auto c = static_cast<Eigen::Index>(k);
      const bool ordered =
          domain_->shape() != domain::Shape::kBox || domain::is_ordered(domain_->parameters()[k]);
      if (!ordered) {
        if (uniform_words[k] < kOtherChoice) x[c] = uniform_words[d + k];
      } else if (uniform_words[k] < 0.5 || d == 1) {
        x[c] += width * normal[k];
      }
    }
    move_inside(x);
    out.row(i) = x.transpose();
  }
  return out;
}

void SearchSpace::move_inside(Eigen::Ref<Vector> latent) const {
  if (domain_->shape() == domain::Shape::kBox) {
    latent = latent.cwiseMax(0.0).cwiseMin(1.0);
    return;
  }
  // A little inside: the norm is rounded.
  const double limit = domain_->radius() * (1 - 1e-12);
  const double norm = latent.norm();
  if (norm > limit) latent *= limit / norm;
}

Points SearchSpace::neighbours(const Vector& latent, double step) const {
  std::vector<Vector> found;
  const auto add = [&](Eigen::Index c, double value) {
    Vector x = latent;
    x[c] = value;
    move_inside(x);
    found.push_back(std::move(x));
  };
  const bool box = domain_->shape() == domain::Shape::kBox;
  const double width = box ? 1 : 2 * domain_->radius();
  for (Eigen::Index c = 0; c < latent.size(); ++c) {
    const Parameter* p = box ? &domain_->parameters()[static_cast<std::size_t>(c)] : nullptr;
    if (p != nullptr && !domain::is_ordered(*p)) {
      const double now = domain::value_at(*p, latent[c]);
      for (std::size_t choice = 0; choice < p->choices.size(); ++choice) {
        const auto other = static_cast<double>(choice);
        if (other != now) add(c, domain::latent_of(*p, other));
      }
      continue;
    }
    for (const double side : {-1.0, 1.0}) {
      double moved = latent[c] + side * step * width;
      if (p != nullptr && domain::spacing(*p) > 0) {
        const double now = domain::value_at(*p, latent[c]);
        const double next = domain::latent_of(*p, now + side * domain::spacing(*p));
        if (domain::value_at(*p, moved) == now && !std::isnan(next)) moved = next;
      }
      add(c, moved);
    }
  }
  Points out(static_cast<Eigen::Index>(found.size()), latent.size());
  for (std::size_t i = 0; i < found.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) = found[i].transpose();
  }
  return out;
}

Vector SearchSpace::climb(Vector start, double value,
                          const std::function<Vector(const Points&)>& values, double step,
                          int halvings) const {
  for (int i = 0; i < kMaxClimbSteps && halvings >= 0; ++i) {
    const Points trial = neighbours(start, step);
    Eigen::Index winner = 0;
    const double top = values(trial).maxCoeff(&winner);
    if (top > value) {
      start = trial.row(winner);
      value = top;
    } else {
      step /= 2;
      --halvings;
    }
  }
  return start;
}

}  // namespace duets::baselines
