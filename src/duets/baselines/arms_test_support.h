// Settings and runs that the tests of several policies share.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "duets/baselines/setting.h"
#include "duets/problems/channel.h"
#include "duets/problems/policy.h"

namespace duets::baselines {

inline random::Coin test_coin(std::uint64_t seed) {
  return random::StudySecret::from_seed(seed).problem_coin();
}

/// n uniform points of the unit cube.
inline numeric::Points random_points(std::uint64_t seed, std::uint32_t n, Eigen::Index d) {
  numeric::Points points(n, d);
  for (std::uint32_t i = 0; i < n; ++i) {
    test_coin(seed).uniforms({.purpose = random::Purpose::kCandidate, .slot = i},
                             {points.row(i).data(), static_cast<std::size_t>(d)});
  }
  return points;
}

/// A finite domain, Matern 3/2 (whose Gram matrices are far from singular).
inline Setting finite_setting(std::uint32_t agents, std::uint32_t horizon,
                              const numeric::Points& points, double lambda = 0.2,
                              std::uint64_t seed = 7) {
  const kernel::Kernel kernel{kernel::Family::kMatern32, {0.4}, 1.0};
  return {.agents = agents,
          .horizon = horizon,
          .domain = std::make_shared<const domain::Domain>(domain::Domain::finite(points)),
          .arms = std::make_shared<const gp::Arms>(kernel, points),
          .latents = points,
          .lambda = lambda,
          .coin = test_coin(seed)};
}

/// Reward of a query.
using Reward =
    std::function<double(base::AgentId agent, std::uint32_t t, const numeric::Vector& x)>;

/// A smooth function with its maximum inside the cube, and Gaussian noise of deviation 0.2.
inline double noisy_reward(base::AgentId agent, std::uint32_t t, const numeric::Vector& x) {
  double noise = 0;
  test_coin(99).normals(
      {.purpose = random::Purpose::kNoise, .agent = base::value(agent), .slot = t},
      std::span(&noise, 1));
  return std::exp(-4 * (x.array() - 0.3).square().sum()) + 0.2 * noise;
}

struct Query {
  base::AgentId agent;
  std::uint32_t t;
  numeric::Vector x;
  double reward;
};

/// Plays one round as the harness does.
inline std::vector<Query> play_round(problems::Policy& policy, std::uint32_t agents,
                                     std::uint32_t t, problems::Channel& channel,
                                     const Reward& reward = noisy_reward) {
  std::vector<Query> queries;
  for (std::uint32_t a = 0; a < agents; ++a) {
    const numeric::Vector x = policy.choose(base::AgentId{a}, t);
    const double y = reward(base::AgentId{a}, t, x);
    policy.learn(base::AgentId{a}, t, y);
    queries.push_back({base::AgentId{a}, t, x, y});
  }
  policy.end_round(t, channel);
  return queries;
}

/// All queries of a whole run, in order.
inline std::vector<Query> play_all(problems::Policy& policy, const Setting& setting,
                                   const Reward& reward = noisy_reward) {
  problems::Channel channel(setting.agents);
  std::vector<Query> queries;
  for (std::uint32_t t = 0; t < setting.horizon; ++t) {
    for (Query& query : play_round(policy, setting.agents, t, channel, reward)) {
      queries.push_back(std::move(query));
    }
  }
  return queries;
}

/// The points of some queries, one a row, and their rewards.
inline std::pair<numeric::Points, numeric::Vector> data_of(const std::vector<Query>& queries) {
  const Eigen::Index d = queries.empty() ? 0 : queries.front().x.size();
  numeric::Points points(static_cast<Eigen::Index>(queries.size()), d);
  numeric::Vector rewards(static_cast<Eigen::Index>(queries.size()));
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    points.row(i) = queries[static_cast<std::size_t>(i)].x.transpose();
    rewards[i] = queries[static_cast<std::size_t>(i)].reward;
  }
  return {points, rewards};
}

/// The points that were played, for comparing runs.
inline std::vector<std::vector<double>> trace(const std::vector<Query>& queries) {
  std::vector<std::vector<double>> out;
  for (const Query& query : queries) out.emplace_back(query.x.begin(), query.x.end());
  return out;
}

/// The row of `points` that equals x, or -1.
inline Eigen::Index row_equal(const numeric::Points& points, const numeric::Vector& x) {
  for (Eigen::Index i = 0; i < points.rows(); ++i) {
    if (points.row(i).transpose() == x) return i;
  }
  return -1;
}

}  // namespace duets::baselines
