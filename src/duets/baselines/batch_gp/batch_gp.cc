#include "duets/baselines/batch_gp/batch_gp.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <vector>

#include "duets/base/error.h"
#include "duets/baselines/batch_gp/ard_model.h"
#include "duets/baselines/batch_gp/expected_improvement.h"
#include "duets/baselines/search_space.h"

namespace duets::baselines {
namespace {

using numeric::Matrix;
using numeric::Points;
using numeric::Vector;

// Streams of the coin.
constexpr std::uint32_t kDesign = 1, kPool = 2, kAround = 3, kRandom = 4;

// Where there are categories, one query of so many is a random point: a model that is sure of the
// wrong one never looks at the others again by itself.
constexpr std::uint32_t kRandomEvery = 10;

constexpr std::size_t kPoolPoints = 2000;
constexpr Eigen::Index kMostCandidates = 4000;  // of a finite set, that are all looked at
constexpr std::size_t kCentres = 10;            // best points whose surroundings join the pool
constexpr std::size_t kChangesOfEach = 50;
constexpr std::size_t kMeanStarts = 5;
constexpr std::size_t kAlwaysRefit = 100;  // rewards; from there on after kRefitGrowth
constexpr double kRefitGrowth = 1.15;
constexpr std::size_t kFitRows = 300;
// As ours: of summits of about the same height the recommendation is one that was measured.
constexpr double kCaution = 0.5;
constexpr double kClimbStep = 0.1;
constexpr int kClimbHalvings = 7;

Points rows_of(const Points& points, const std::vector<std::size_t>& rows) {
  Points out(static_cast<Eigen::Index>(rows.size()), points.cols());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    out.row(static_cast<Eigen::Index>(i)) = points.row(static_cast<Eigen::Index>(rows[i]));
  }
  return out;
}

Points stacked(const Points& above, const Points& below) {
  Points out(above.rows() + below.rows(), above.cols());
  out << above, below;
  return out;
}

// The rows of the largest values, best first.
std::vector<std::size_t> largest(const Vector& values, std::size_t count) {
  std::vector<std::size_t> order(static_cast<std::size_t>(values.size()));
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[static_cast<Eigen::Index>(a)] > values[static_cast<Eigen::Index>(b)];
  });
  order.resize(std::min(count, order.size()));
  return order;
}

// All rows if there are at most `count`, the largest values first. Otherwise `count` of them: half
// are those of the largest values, the others are spread evenly over the rest.
std::vector<std::size_t> thinned(const Vector& values, std::size_t count) {
  const auto n = static_cast<std::size_t>(values.size());
  if (n <= count) return largest(values, n);
  std::vector<std::size_t> rows = largest(values, count / 2);
  std::vector<bool> taken(n, false);
  for (const std::size_t row : rows) taken[row] = true;
  std::vector<std::size_t> rest;
  for (std::size_t i = 0; i < n; ++i) {
    if (!taken[i]) rest.push_back(i);
  }
  const std::size_t more = count - rows.size();
  for (std::size_t i = 0; i < more; ++i) rows.push_back(rest[i * rest.size() / more]);
  return rows;
}

// A length scale for each parameter. In a unit cube two uniform points are about sqrt(d / 6) apart.
// Choices are sqrt(2) apart, so that at the same scale they are nearly separate problems until the
// rewards say otherwise.
ScaleGroups groups_of(const domain::Domain& domain) {
  ScaleGroups out;
  const double usual = 0.5 * std::sqrt(static_cast<double>(domain.dimension()) / 2);
  if (domain.shape() != domain::Shape::kBox) {
    const double width = domain.shape() == domain::Shape::kBall ? 2 * domain.radius() : 1;
    for (std::size_t k = 0; k < domain.num_features(); ++k) {
      out.of_feature.push_back(k);
      out.usual.push_back(usual * width);
    }
    return out;
  }
  for (const domain::Parameter& p : domain.parameters()) {
    out.of_feature.insert(out.of_feature.end(), domain::num_features(p), out.usual.size());
    out.usual.push_back(usual);
  }
  return out;
}

class BatchGp final : public problems::Policy {
 public:
  explicit BatchGp(const Setting& setting)
      : agents_(setting.agents),
        horizon_(setting.horizon),
        space_(setting),
        has_categories_(!std::ranges::all_of(space_.domain().parameters(), domain::is_ordered)),
        groups_(groups_of(space_.domain())) {
    base::require(agents_ >= 1, "agents", "0", "must be at least 1");
    const std::size_t wanted = 2 * (space_.domain().dimension() + 1);
    // A fit needs two rewards.
    const std::size_t most = std::max<std::size_t>(2, std::size_t{agents_} * horizon_ / 4);
    design_ = space_.spread(std::max<std::size_t>(agents_, std::min(wanted, most)), kDesign, 0);
    latents_.resize(0, design_.cols());
    plan_ = design_.topRows(agents_);
    told_.resize(agents_);
  }

  Vector choose(base::AgentId agent, std::uint32_t /*t*/) override {
    return plan_.row(base::value(agent));
  }

  void learn(base::AgentId agent, std::uint32_t /*t*/, double reward) override {
    told_[base::value(agent)] = reward;
  }

  // The points of the round have come down, the rewards go up; then the next points are chosen.
  void end_round(std::uint32_t t, problems::Channel& channel) override {
    std::vector<double> asked(plan_.data(), plan_.data() + plan_.size());
    const std::size_t of_others = asked.size() - asked.size() / agents_;
    asked = channel.broadcast(std::move(asked), of_others, agents_);
    for (std::uint32_t a = 0; a < agents_; ++a) {
      rewards_.push_back(channel.uplink(base::AgentId{a}, {told_[a]}).front());
    }
    latents_ =
        stacked(latents_, Eigen::Map<const Points>(asked.data(), plan_.rows(), plan_.cols()));
    if (t + 1 < horizon_) plan_ = next_plan(t + 1);
  }

  std::optional<Vector> recommend() override {
    if (rewards_.size() < 2) return std::nullopt;
    const Data data = scaled_data(kBatchGpRows);
    refit();
    const ArdModel model(groups_, *theta_, data.features, data.rewards);
    return best_point(model, data, kCaution);
  }

 private:
  struct Data {
    Points latents;
    Points features;
    Vector rewards;  // of deviation 1
  };

  Data scaled_data(std::size_t max_rows) const {
    const Vector all =
        Eigen::Map<const Vector>(rewards_.data(), static_cast<Eigen::Index>(rewards_.size()));
    const std::vector<std::size_t> rows = thinned(all, max_rows);
    Data out{.latents = rows_of(latents_, rows), .features = {}, .rewards = Vector(rows.size())};
    out.features = space_.domain().features(out.latents);
    for (std::size_t i = 0; i < rows.size(); ++i) {
      out.rewards[static_cast<Eigen::Index>(i)] = rewards_[rows[i]];
    }
    const double centre = out.rewards.mean();
    const double deviation = std::sqrt((out.rewards.array() - centre).square().mean());
    out.rewards = (out.rewards.array() - centre) / (deviation > 0 ? deviation : 1);
    return out;
  }

  void refit() {
    const Data data = scaled_data(kFitRows);
    const ArdEvidence evidence(groups_, data.features, data.rewards);
    std::vector<ArdTheta> starts{evidence.usual()};
    if (theta_) starts.push_back(*theta_);
    if (!theta_ || rewards_.size() <= kAlwaysRefit) {
      ArdTheta rough = evidence.usual();
      rough.head(rough.size() - 1).array() -= 1;
      starts.push_back(std::move(rough));
    }
    theta_ = evidence.best(starts);
    fitted_ = rewards_.size();
  }

  bool is_fit_due() const {
    const auto n = static_cast<double>(rewards_.size());
    return !theta_ || rewards_.size() <= kAlwaysRefit ||
           n >= kRefitGrowth * static_cast<double>(fitted_);
  }

  // Every tenth query of all.
  bool is_random(std::uint32_t t, Eigen::Index agent) const {
    return has_categories_ &&
           (std::uint64_t{t} * agents_ + static_cast<std::uint64_t>(agent)) % kRandomEvery == 0;
  }

  Points next_plan(std::uint32_t t) {
    const Eigen::Index done = latents_.rows();
    if (done < design_.rows()) return rest_of_design(done, t);
    if (is_fit_due()) refit();
    const Data data = scaled_data(kBatchGpRows);
    const ArdModel model(groups_, *theta_, data.features, data.rewards);
    return improving_points(model, data, t);
  }

  // The last round of the design may have room for more.
  Points rest_of_design(Eigen::Index done, std::uint32_t t) const {
    const Points rest = design_.bottomRows(design_.rows() - done);
    const Eigen::Index wanted = agents_;
    if (rest.rows() >= wanted) return rest.topRows(wanted);
    return stacked(rest,
                   space_.uniform(static_cast<std::size_t>(wanted - rest.rows()), kDesign, t));
  }

  // Over the points queried and, on a continuous domain, by climbing from the best of them.
  // Of mean - caution * deviation.
  Vector best_point(const ArdModel& model, const Data& data, double caution) const {
    const Points latents = space_.is_finite() ? space_.candidates() : data.latents;
    const Points features = space_.is_finite() ? space_.domain().features(latents) : data.features;
    const auto cautious = [&](const Points& x) -> Vector {
      if (caution == 0) return model.mean(x);
      const Vector explained = model.whiten(x).colwise().squaredNorm().transpose();
      const Vector deviation =
          (model.variance() * (1 - explained.array()).cwiseMax(0.0)).sqrt().matrix();
      return model.mean(x) - caution * deviation;
    };
    const Vector top_values = cautious(features);
    const auto starts = largest(top_values, space_.is_finite() ? 1 : kMeanStarts);
    Vector best = latents.row(static_cast<Eigen::Index>(starts.front()));
    if (space_.is_finite()) return best;
    const auto values = [&](const Points& x) { return cautious(space_.domain().features(x)); };
    double top = -std::numeric_limits<double>::infinity();
    for (const std::size_t start : starts) {
      const auto row = static_cast<Eigen::Index>(start);
      const Vector found =
          space_.climb(latents.row(row), top_values[row], values, kClimbStep, kClimbHalvings + 3);
      const double value = values(found.transpose())[0];
      if (value > top) {
        top = value;
        best = found;
      }
    }
    return best;
  }

  // Fresh points, and changes of the best ones.
  Points pool_of(const ArdModel& model, const Data& data, std::uint32_t t) const {
    if (space_.is_finite() && space_.candidates().rows() <= kMostCandidates) {
      return space_.candidates();
    }
    Points pool = space_.uniform(kPoolPoints, kPool, t);
    if (space_.is_finite()) return pool;
    Points centres = rows_of(data.latents, largest(model.mean(data.features), kCentres));
    centres = stacked(centres, best_point(model, data, 0).transpose());
    pool = stacked(pool, centres);
    return stacked(pool, space_.around(centres, kChangesOfEach, kAround, t));
  }

  // Expected improvement over the best mean; each point is believed before the next is chosen.
  Points improving_points(const ArdModel& model, const Data& data, std::uint32_t t) const {
    const Points pool = pool_of(model, data, t);
    const Points features = space_.domain().features(pool);
    const Vector mean = model.mean(features);
    Believer believer(model);
    // With room for a row of each point that will be believed.
    const Matrix known = believer.whiten(features);
    Matrix white(known.rows() + agents_, known.cols());
    white.topRows(known.rows()) = known;
    Vector squares = known.colwise().squaredNorm();
    double incumbent = model.mean(data.features).maxCoeff();
    const auto gain = [&](const Vector& means, const Vector& deviations) {
      Vector out(means.size());
      for (Eigen::Index i = 0; i < out.size(); ++i) {
        out[i] = log_expected_improvement(means[i], deviations[i], incumbent);
      }
      return out;
    };
    const auto gain_at = [&](const Points& x) {
      const Points seen = space_.domain().features(x);
      return gain(model.mean(seen),
                  believer.deviation(believer.whiten(seen).colwise().squaredNorm()));
    };
    Points plan(agents_, pool.cols());
    for (Eigen::Index i = 0; i < plan.rows(); ++i) {
      if (is_random(t, i)) {
        plan.row(i) =
            space_.uniform(1, kRandom, t * agents_ + static_cast<std::uint32_t>(i)).row(0);
      } else {
        Eigen::Index best = 0;
        const double top = gain(mean, believer.deviation(squares)).maxCoeff(&best);
        Vector latent = pool.row(best);
        if (!space_.is_finite()) {
          latent = space_.climb(std::move(latent), top, gain_at, kClimbStep, kClimbHalvings);
        }
        plan.row(i) = latent.transpose();
      }
      if (i + 1 == plan.rows()) break;
      const Points chosen = space_.domain().features(plan.row(i));
      believer.add(chosen);
      incumbent = std::max(incumbent, model.mean(chosen)[0]);
      const Matrix row = believer.next_row(features, white);
      white.row(known.rows() + i) = row;
      squares += row.row(0).transpose().cwiseAbs2();
    }
    return plan;
  }

  std::uint32_t agents_;
  std::uint32_t horizon_;
  SearchSpace space_;
  bool has_categories_;
  ScaleGroups groups_;
  Points design_;
  Points plan_;               // of the current round, a row for each agent
  std::vector<double> told_;  // its rewards, as the agents have them
  Points latents_;            // all queries that were reported
  std::vector<double> rewards_;
  std::optional<ArdTheta> theta_;
  std::size_t fitted_ = 0;  // rewards there were when theta was fitted
};

}  // namespace

std::unique_ptr<problems::Policy> make_batch_gp(const Setting& setting, const Tuning& /*tuning*/) {
  return std::make_unique<BatchGp>(setting);
}

}  // namespace duets::baselines
