#include "duets/lab/instance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "duets/base/error.h"
#include "duets/harness/trials_test_support.h"
#include "duets/problems/functions.h"
#include "duets/region/draw.h"

namespace duets::lab {
namespace {

using base::AgentId;
using domain::Domain;
using numeric::Vector;

harness::Simulation small_simulation(Domain domain, std::uint64_t seed = 3) {
  protocol::Study study;
  study.agents = 3;
  study.horizon = 6;
  study.domain = std::make_shared<const Domain>(std::move(domain));
  study.kernel.lengthscales = {0.3};
  study.beta = 0.5;
  harness::Simulation simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  simulation.problem = problems::make_branin();
  simulation.seed = seed;
  return simulation;
}

Domain forty_candidates() {
  return Domain::finite(region::random_candidates(random::StudySecret::from_seed(5).public_coin(),
                                                  region::CandidateShape::kCube, 40, 2, 1.0));
}

// Plays given arms and remembers what it was told; sends one real for each agent in every round.
class Script final : public problems::Policy {
 public:
  Script(const baselines::Setting& setting, std::size_t stride)
      : setting_(setting), stride_(stride) {}

  Vector choose(AgentId agent, std::uint32_t t) override {
    return setting_.latents.row(static_cast<Eigen::Index>(arm(agent, t)));
  }
  void learn(AgentId, std::uint32_t, double reward) override { rewards.push_back(reward); }
  void end_round(std::uint32_t t, problems::Channel& channel) override {
    for (std::uint32_t a = 0; a < setting_.agents; ++a) channel.uplink(AgentId{a}, {1});
    if (t == 3) channel.broadcast({1, 2});
  }
  std::size_t arm(AgentId agent, std::uint32_t t) const {
    return (t * setting_.agents + base::value(agent)) * stride_ % setting_.arms->size();
  }

  std::vector<double> rewards;

 private:
  const baselines::Setting& setting_;
  std::size_t stride_;
};

TEST(Play, RegretAndLedgersOverTime) {
  const Instance instance = make_instance(small_simulation(forty_candidates()));
  Script script(instance.setting, 1);
  const Curves curves = play(instance, script);
  EXPECT_EQ(curves.t, (std::vector<std::uint32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_THAT(curves.figure, testing::ElementsAre(3, 6, 9, 12, 15, 18));
  EXPECT_THAT(curves.paper, testing::ElementsAre(1, 2, 3, 6, 7, 8));
  EXPECT_THAT(curves.links, testing::ElementsAre(3, 6, 9, 18, 21, 24));
  EXPECT_EQ(curves.indices, curves.paper) << "it sends no points";
  EXPECT_EQ(curves.literal, curves.paper);
  EXPECT_EQ(curves.rounds, 6u);

  double best = -std::numeric_limits<double>::infinity();
  double regret = 0;
  const auto& problem = *instance.simulation.problem;
  const auto value = [&](std::size_t arm) {
    const auto row = instance.setting.latents.row(static_cast<Eigen::Index>(arm));
    return problem.value({row.data(), 2});
  };
  for (std::size_t arm = 0; arm < 40; ++arm) best = std::max(best, value(arm));
  for (std::size_t arm = 0; arm < 18; ++arm) regret += best - value(arm);
  EXPECT_NEAR(curves.regret.back(), regret, 1e-12);  // 18 additions of numbers below 10
}

// The truth of a point is compared with the best one, whoever names it; without a name it is the
// query that looked best, noise included.
TEST(Play, RegretOfTheRecommendation) {
  const Instance instance = make_instance(small_simulation(forty_candidates()));
  class Named final : public problems::Policy {
   public:
    Named(const baselines::Setting& setting, Vector point)
        : script_(setting, 1), point_(std::move(point)) {}
    Vector choose(AgentId agent, std::uint32_t t) override { return script_.choose(agent, t); }
    void learn(AgentId, std::uint32_t, double) override {}
    std::optional<Vector> recommend() override { return point_; }

   private:
    Script script_;
    Vector point_;
  };
  const auto truth = [&](std::size_t arm) {
    const auto row = instance.setting.latents.row(static_cast<Eigen::Index>(arm));
    return instance.simulation.problem->value({row.data(), 2});
  };
  std::vector<double> values(40);
  for (std::size_t arm = 0; arm < 40; ++arm) values[arm] = truth(arm);
  const double best = *std::max_element(values.begin(), values.end());
  double mean = 0, square = 0;
  for (const double value : values) mean += value / 40;
  for (const double value : values) square += (value - mean) * (value - mean) / 40;
  EXPECT_NEAR(instance.deviation, std::sqrt(square), 1e-14);  // a few tens of roundings
  for (std::size_t arm = 0; arm < 40; ++arm) {
    Named named(instance.setting, instance.setting.latents.row(static_cast<Eigen::Index>(arm)));
    const Curves curves = play(instance, named);
    EXPECT_DOUBLE_EQ(curves.recommendation_regret, best - values[arm]);
    EXPECT_EQ(curves.lost, best - values[arm] > 0.1 * instance.deviation) << arm;
  }
  Script script(instance.setting, 1);
  const Curves silent = play(instance, script);
  const auto top = std::max_element(script.rewards.begin(), script.rewards.end());
  const auto arm = static_cast<std::size_t>(top - script.rewards.begin());
  EXPECT_DOUBLE_EQ(silent.recommendation_regret, best - values[arm]);
  Named outside(instance.setting, Vector::Constant(2, std::nan("")));
  EXPECT_THROW(play(instance, outside), base::Error);
}

// Common random numbers: the noise at an agent and time is the same whatever was played before, for
// a policy and for DUETS.
TEST(Play, NoiseDependsOnAgentAndTimeOnly) {
  const Instance instance = make_instance(small_simulation(forty_candidates()));
  Script one(instance.setting, 1);
  Script three(instance.setting, 3);
  play(instance, one);
  play(instance, three);

  harness::Trials trials;
  harness::simulate(instance.simulation, base::SerialExecutor(), trials);
  ASSERT_EQ(trials.all.size(), one.rewards.size());

  const auto& problem = *instance.simulation.problem;
  for (const harness::Trial& trial : trials.all) {
    const std::size_t place = trial.t * 3 + trial.agent;
    const double duets_noise = trial.value - problem.value(trial.values);
    for (const Script* script : {&one, &three}) {
      const auto row = instance.setting.latents.row(
          static_cast<Eigen::Index>(script->arm(AgentId{trial.agent}, trial.t)));
      // One rounding of numbers below 10 on each side.
      EXPECT_NEAR(script->rewards[place] - problem.value({row.data(), 2}), duets_noise, 1e-14);
    }
    EXPECT_NE(duets_noise, 0);
  }
}

TEST(Play, ModelUnits) {
  harness::Simulation simulation = small_simulation(forty_candidates());
  const Instance plain = make_instance(simulation);
  simulation.direction = protocol::Direction::kMinimize;
  simulation.offset = 2;
  simulation.scale = 4;
  const Instance turned = make_instance(simulation);
  Script a(plain.setting, 1);
  Script b(turned.setting, 1);
  play(plain, a);
  const Curves curves = play(turned, b);
  for (std::size_t i = 0; i < a.rewards.size(); ++i) {
    EXPECT_DOUBLE_EQ(b.rewards[i], (-a.rewards[i] - 2) / 4);
  }
  EXPECT_GE(curves.regret.front(), 0);  // against the smallest value
}

TEST(Play, RefusesPointsThatAreNone) {
  const Instance instance = make_instance(small_simulation(Domain::box(2)));
  class Bad final : public problems::Policy {
   public:
    explicit Bad(Vector point) : point_(std::move(point)) {}
    Vector choose(AgentId agent, std::uint32_t t) override {
      return base::value(agent) == 1 && t == 2 ? point_ : Vector::Constant(2, 0.5);
    }
    void learn(AgentId, std::uint32_t, double) override {}

   private:
    Vector point_;
  };
  for (const Vector& point :
       {Vector(Vector::Constant(2, 1.5)), Vector(Vector::Constant(3, 0.5)),
        Vector(Vector::Constant(2, std::numeric_limits<double>::quiet_NaN()))}) {
    Bad bad(point);
    try {
      play(instance, bad);
      ADD_FAILURE() << "accepted " << point.transpose();
    } catch (const base::Error& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr("agent 1 at t = 2"));
    }
  }
}

TEST(MakeInstance, ContinuousDomainsHaveAPool) {
  const Instance instance = make_instance(small_simulation(Domain::box(2)));
  EXPECT_EQ(instance.setting.arms->size(), kPoolArms);
  EXPECT_GE(instance.setting.latents.minCoeff(), 0);
  EXPECT_LE(instance.setting.latents.maxCoeff(), 1);
  EXPECT_DOUBLE_EQ(*instance.simulation.reference, instance.simulation.problem->maximum());
}

// However the horizon came about: rivals know it from the start, and so does DUETS.
TEST(MakeInstance, IsOfOneHorizon) {
  harness::Simulation simulation = small_simulation(forty_candidates());
  protocol::Study planned = *simulation.study;
  planned.horizon = 9;
  simulation.study = std::make_shared<const protocol::Study>(
      protocol::extended(protocol::ended_early(*simulation.study, base::EpochId{1}), 9));
  const Instance instance = make_instance(simulation);
  EXPECT_EQ(protocol::study_digest(*instance.simulation.study), protocol::study_digest(planned));
  simulation.study = std::make_shared<const protocol::Study>(planned);
  EXPECT_EQ(play_duets(instance, *instance.simulation.study).regret,
            play_duets(make_instance(simulation), planned).regret);
}

TEST(PlayDuets, IsTheSimulation) {
  const Instance instance = make_instance(small_simulation(forty_candidates()));
  harness::Observer nobody;
  const harness::RunResult result =
      harness::simulate(instance.simulation, base::SerialExecutor(), nobody);
  const Curves curves = play_duets(instance, *instance.simulation.study);
  EXPECT_EQ(curves.regret, result.cumulative_regret);
  EXPECT_EQ(curves.paper.back(), result.communication.back().paper);
  EXPECT_EQ(curves.links.back(), result.communication.back().links);
  EXPECT_EQ(curves.paper.front(), 0);  // the first epoch is two queries long
  EXPECT_GT(curves.paper[1], 0);
  EXPECT_DOUBLE_EQ(curves.recommendation_regret,
                   *result.optimum - *result.recommendation->true_value);
}

// One epoch has no posterior to recommend from: the best reward stands in.
TEST(PlayDuets, WithoutARecommendationTheBestTrialStandsIn) {
  const Instance instance = make_instance(small_simulation(forty_candidates()));
  protocol::Study study = *instance.simulation.study;
  study.schedule = protocol::ScheduleRule::kExplicit;
  study.epochs = {6};
  const Curves curves = play_duets(instance, study);
  class Best final : public harness::Observer {
   public:
    void trial(const harness::Trial& trial) override {
      if (trial.value <= value) return;
      value = trial.value;
      regret = trial.regret;
    }
    double value = -1e9, regret = 0;
  } best;
  harness::Simulation simulation = instance.simulation;
  simulation.study = std::make_shared<const protocol::Study>(study);
  const auto result = harness::simulate(simulation, base::SerialExecutor(), best);
  EXPECT_FALSE(result.recommendation);
  EXPECT_EQ(curves.recommendation_regret, best.regret);
}

TEST(PlayDuets, AnotherReferenceShiftsTheRegret) {
  harness::Simulation simulation = small_simulation(forty_candidates());
  const Instance usual = make_instance(simulation);
  simulation.reference = *usual.simulation.reference + 0.5;
  const Instance shifted = make_instance(simulation);
  const Curves a = play_duets(usual, *usual.simulation.study);
  const Curves b = play_duets(shifted, *shifted.simulation.study);
  EXPECT_NEAR(b.regret.back() - a.regret.back(), 18 * 0.5, 1e-12);
}

// The messages of every exchange by hand: S down, projections up, weights and threshold down.
TEST(PlayDuets, CountsIndicesAndWhatCoinsSelected) {
  harness::Simulation simulation = small_simulation(forty_candidates());
  protocol::Study study = *simulation.study;
  study.agents = 4;
  study.horizon = 60;
  study.p0 = 3;
  study.upload = protocol::UploadRule::kProjection;
  simulation.study = std::make_shared<const protocol::Study>(study);
  const Instance instance = make_instance(simulation);
  const Curves curves = play_duets(instance, study);
  harness::Observer nobody;
  const harness::RunResult result =
      harness::simulate(instance.simulation, base::SerialExecutor(), nobody);
  double paper = 0, indices = 0, literal = 0;
  bool repeated = false;
  for (const protocol::EpochReport& epoch : result.epochs) {
    const auto s = static_cast<double>(epoch.num_inducing);
    const auto n = static_cast<double>(epoch.num_selected);
    paper += 2 * s + s + s + 1;
    indices += s + s + s + 1;
    literal += 2 * n + n + n + 1;
    repeated = repeated || n > s;
  }
  ASSERT_TRUE(repeated) << "the three must be told apart";
  EXPECT_EQ(curves.paper.back(), paper);
  EXPECT_EQ(curves.indices.back(), indices);
  EXPECT_EQ(curves.literal.back(), literal);
  EXPECT_EQ(curves.rounds, result.epochs.size());
  // Public slots are indices already.
  study.inducing = protocol::Inducing::kPublic;
  const Curves with_public = play_duets(instance, study);
  EXPECT_EQ(with_public.indices, with_public.paper);
  EXPECT_EQ(with_public.literal, with_public.paper);
}

}  // namespace
}  // namespace duets::lab
