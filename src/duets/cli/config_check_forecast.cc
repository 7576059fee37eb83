#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>

#include "duets/cli/config_check.h"
#include "duets/gp/exact.h"
#include "duets/gp/explained.h"
#include "duets/gp/sparse.h"
#include "duets/protocol/epoch_model.h"
#include "duets/protocol/learner.h"
#include "duets/region/draw.h"

namespace duets::cli {
namespace {

using protocol::Study;

numeric::Points draw_latents(const Study& study, std::uint64_t seed, std::size_t count) {
  const domain::Domain& domain = *study.domain;
  const random::Coin coin = random::StudySecret::from_seed(seed).public_coin();
  numeric::Points points(static_cast<Eigen::Index>(count),
                         static_cast<Eigen::Index>(domain.dimension()));
  for (std::size_t i = 0; i < count; ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const random::Address address{.purpose = random::Purpose::kPublicPoint,
                                  .slot = static_cast<std::uint32_t>(i)};
    if (domain.is_finite()) {
      std::array<std::uint64_t, 1> word{};
      coin.words(address, word);
      const auto num_candidates = static_cast<std::uint64_t>(domain.candidates().rows());
      points.row(row) = domain.candidates().row(
          static_cast<Eigen::Index>(random::index_below(word[0], num_candidates)));
    } else {
      region::draw_point(coin, address, domain, {points.row(row).data(), domain.dimension()});
    }
  }
  return points;
}

std::size_t forecast_inducing(const Study& study, const numeric::Points& data,
                              std::uint64_t queries, double sigma2_max) {
  if (study.inducing == protocol::Inducing::kGreedy) {
    constexpr double kResidualShare = 0.1;
    return gp::greedy_pivots(study.kernel, data, kResidualShare * sigma2_max,
                             static_cast<std::size_t>(data.rows()))
        .size();
  }
  if (study.inducing == protocol::Inducing::kPublic) {
    // The last points represent the pool, the first all queries.
    const Eigen::Index pool =
        std::min(data.rows(), static_cast<Eigen::Index>(protocol::kPublicPool));
    const double thinned = static_cast<double>(data.rows()) / static_cast<double>(queries);
    return gp::explaining_rows(study.kernel, data.bottomRows(pool), data,
                               protocol::kExplainedGain * thinned * study.lambda,
                               protocol::kPublicPool)
        .size();
  }
  const double p =
      std::min(1.0, protocol::inducing_probability(study, base::EpochId{1}, sigma2_max, queries));
  const double expected = p * static_cast<double>(queries);
  // The points are independent, so the first ones are as good as those that a coin would pick.
  const double size = std::clamp(std::round(expected), 1.0, static_cast<double>(data.rows()));
  const numeric::Points chosen = data.topRows(static_cast<Eigen::Index>(size));
  return gp::prune_to_pivots(study.kernel, chosen).size();
}

// Fewer pivots than points leave a residual of a hundredth of sigma2_max. Otherwise there are too
// few points to tell.
std::size_t forecast_rank(const Study& study, const numeric::Points& data, double sigma2_max) {
  constexpr double kVarianceShare = 0.01;
  const auto size = static_cast<std::size_t>(data.rows());
  const std::size_t rank =
      gp::greedy_pivots(study.kernel, data, kVarianceShare * sigma2_max, size).size();
  return rank < size || size < kForecastPoints ? rank : kForecastMaxRank;
}

// The theory trims by the sparse deviation; the exact one is its lower estimate.
double forecast_cut(const Study& study, double sigma2_max) {
  const double beta =
      study.mode == protocol::Mode::kTuned ? study.beta : gp::sparse_beta(theory_inputs(study));
  return 2 * beta * std::sqrt(sigma2_max);
}

// Everything except the length. With more queries than points, every point counts several times.
ExchangeForecast forecast_exchange(const Study& study, const numeric::Points& data,
                                   std::uint64_t queries, const numeric::Points& probes) {
  const double count = static_cast<double>(queries) / static_cast<double>(data.rows());
  const gp::ExactPosterior posterior(study.kernel, data,
                                     numeric::Vector::Constant(data.rows(), count), study.lambda);
  ExchangeForecast forecast;
  forecast.sigma2_max = posterior.variance(probes).variance.maxCoeff();
  forecast.cut = forecast_cut(study, forecast.sigma2_max);
  forecast.inducing = forecast_inducing(study, data, queries, forecast.sigma2_max);
  forecast.rank = forecast_rank(study, data, forecast.sigma2_max);
  return forecast;
}

// Values that are not known yet, in units of the prior deviation.
Study with_guesses(Study study) {
  constexpr double kGuessedLambda = 0.1;
  if (study.parameters == protocol::Parameters::kFixed) return study;
  study.kernel.variance = 1;
  study.lambda = kGuessedLambda;
  return study;
}

// Which exchanges send rewards. With surviving data only as long as all before them did; for
// learned parameters rewards are sent until there are enough.
void forecast_uploads(const Study& study, std::vector<ExchangeForecast>& exchanges) {
  const bool learned = study.parameters == protocol::Parameters::kLearned;
  bool allowed = true;
  std::uint64_t known = 0;
  protocol::EpochId epoch{};
  for (ExchangeForecast& exchange : exchanges) {
    do epoch = base::next(epoch);
    while (protocol::closes(study, epoch));
    const bool shorter = study.upload == protocol::UploadRule::kAuto &&
                         protocol::bits_of(study, true) * exchange.length <
                             protocol::bits_of(study, false) * exchange.inducing;
    const bool wanted =
        (learned && known < study.raw_rewards) || protocol::rewards_save_closing(study, epoch);
    exchange.rewards =
        allowed && (study.upload == protocol::UploadRule::kRewards || shorter || wanted);
    if (exchange.rewards) known += std::uint64_t{study.agents} * exchange.length;
    if (study.data == protocol::DataPolicy::kSurviving) allowed = exchange.rewards;
  }
}

// Distance, in length scales, at which the kernel has fallen to the share `left` of its peak.
double reach(kernel::Family family, double left) {
  if (left <= 0) return std::numeric_limits<double>::infinity();
  const kernel::Kernel kernel{.family = family, .lengthscales = {1.0}, .variance = 1.0};
  const auto fallen = [&kernel](double r) {
    const numeric::Points peak = numeric::Points::Zero(1, 1);
    const numeric::Points away = numeric::Points::Constant(1, 1, r);
    return kernel::cross(kernel, peak, away)(0, 0);
  };
  double low = 0;
  double high = 1;
  while (fallen(high) > left && high < 1e6) high *= 2;
  for (int i = 0; i < 100; ++i) {
    const double middle = (low + high) / 2;
    (fallen(middle) > left ? low : high) = middle;
  }
  return low;
}

double log_unit_ball_volume(double dimension) {
  return dimension / 2 * std::log(std::numbers::pi) - std::lgamma(dimension / 2 + 1);
}

// Length scale of a latent coordinate; a categorical's features share one.
double lengthscale_of(const Study& study, std::size_t coordinate) {
  const std::vector<double>& lengthscales = study.kernel.lengthscales;
  if (lengthscales.size() == 1) return lengthscales.front();
  std::size_t feature = coordinate;
  const auto& parameters = study.domain->parameters();
  if (!parameters.empty()) {
    feature = 0;
    for (std::size_t i = 0; i < coordinate; ++i) feature += domain::num_features(parameters[i]);
  }
  return lengthscales[feature];
}

std::vector<std::uint32_t> lengths_with_cut(const Study& study) {
  std::vector<std::uint32_t> all;
  for (const protocol::Stage& stage : protocol::stages(study)) {
    all.insert(all.end(), stage.lengths.begin(), stage.lengths.end() - 1);
  }
  return all;
}

}  // namespace

std::vector<ExchangeForecast> forecast_exchanges(const Study& given, std::uint64_t seed) {
  const Study study = with_guesses(given);
  const std::vector<std::uint32_t> lengths = lengths_with_cut(study);
  if (lengths.empty()) return {};
  const numeric::Points features =
      study.domain->features(draw_latents(study, seed, kForecastPoints + kForecastProbes));
  const numeric::Points probes = features.bottomRows(static_cast<Eigen::Index>(kForecastProbes));
  // A list of epochs may be long; equal lengths have equal forecasts.
  std::map<std::uint32_t, ExchangeForecast> known;
  std::vector<ExchangeForecast> forecasts;
  for (const std::uint32_t length : lengths) {
    ExchangeForecast& forecast = known[length];
    if (forecast.length == 0) {
      const std::uint64_t queries = std::uint64_t{study.agents} * length;
      const std::uint64_t used = std::min<std::uint64_t>(queries, kForecastPoints);
      forecast = forecast_exchange(study, features.topRows(static_cast<Eigen::Index>(used)),
                                   queries, probes);
      forecast.length = length;
    }
    forecasts.push_back(forecast);
  }
  forecast_uploads(study, forecasts);
  return forecasts;
}

std::optional<double> forecast_acceptance(const Study& given, double cut) {
  const Study study = with_guesses(given);
  const domain::Domain& domain = *study.domain;
  if (domain.is_finite()) return std::nullopt;
  const double left = 1 - cut / std::sqrt(study.kernel.variance);
  const double r = reach(study.kernel.family, left);
  if (std::isinf(r)) return 1.0;
  const auto dimension = static_cast<double>(domain.dimension());
  const bool ball = domain.shape() == domain::Shape::kBall;
  double log_share = ball ? 0.0 : log_unit_ball_volume(dimension);
  for (std::size_t i = 0; i < domain.dimension(); ++i) {
    log_share += std::log(r * lengthscale_of(study, i) / (ball ? domain.radius() : 1.0));
  }
  return std::max(floor_of_all_cuts(study), std::exp(std::min(0.0, log_share)));
}

double floor_of_all_cuts(const Study& study) {
  double floor = 1;
  for (const protocol::Stage& stage : protocol::stages(study)) {
    const auto num_cuts = static_cast<double>(stage.lengths.size()) - 1;
    floor *= std::pow(protocol::kept_share(study, base::EpochId{stage.end()}), num_cuts);
  }
  return floor;
}

TheoryForecast forecast_theory(const Study& study, const std::vector<ExchangeForecast>& exchanges) {
  const double range = 2 * study.norm_bound * std::sqrt(study.kernel.variance);
  const auto agents = static_cast<double>(study.agents);
  const auto d = static_cast<double>(study.domain->dimension());
  TheoryForecast out;
  out.trivial_regret = agents * protocol::num_queries_each(study) * range;
  double gap = range;
  auto exchange = exchanges.begin();
  for (const protocol::Stage& stage : protocol::stages(study)) {
    for (std::size_t j = 0; j < stage.lengths.size(); ++j) {
      const double queries = agents * stage.lengths[j];
      out.regret += queries * gap;
      if (j + 1 == stage.lengths.size() || exchange == exchanges.end()) continue;
      const double sigma2_max = exchange->sigma2_max;
      gap = std::min(gap, 2 * exchange++->cut);
      const double p = protocol::inducing_probability(study, base::EpochId{1}, sigma2_max,
                                                      static_cast<std::uint64_t>(queries));
      out.literal_reals += std::min(1.0, p) * queries * (d + 2) + 1;
    }
  }
  return out;
}

bool gain_is_sampled(const Study& study) {
  const domain::Domain& domain = *study.domain;
  return !domain.is_finite() ||
         domain.candidates().rows() > static_cast<Eigen::Index>(kGainCandidates);
}

gp::LargestGain forecast_gain(const Study& study, std::uint64_t seed) {
  const domain::Domain& domain = *study.domain;
  const numeric::Points points =
      gain_is_sampled(study) ? draw_latents(study, seed, kGainSample) : domain.candidates();
  return gp::largest_gain(study.kernel, domain.features(points), study.lambda,
                          static_cast<double>(study.agents) * protocol::num_queries_each(study));
}

RealsForecast forecast_reals(const protocol::Study& study,
                             const std::vector<ExchangeForecast>& exchanges) {
  const auto agents = static_cast<double>(study.agents);
  // A point as its coordinates or as an index of the public stream, and a weight; the threshold.
  const bool indices = study.inducing == protocol::Inducing::kPublic;
  const double point = indices ? 1 : static_cast<double>(study.domain->dimension());
  RealsForecast reals;
  for (const ExchangeForecast& exchange : exchanges) {
    const auto inducing = static_cast<double>(exchange.inducing);
    const double up = exchange.rewards ? static_cast<double>(exchange.length) : inducing;
    const double down = inducing * (point + 1) + 1;
    reals.paper += up + down;
    reals.figure += agents * up;
    reals.links += agents * (up + down);
  }
  return reals;
}

}  // namespace duets::cli
