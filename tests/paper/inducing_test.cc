// Lemma 4.5 (size of the inducing set) and lemma A.3 (its accuracy).
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

#include "duets/gp/confidence.h"
#include "duets/gp/sparse.h"
#include "duets/numeric/rows.h"
#include "duets/problems/functions.h"
#include "duets/protocol/epoch_model.h"
#include "duets/protocol/variance.h"
#include "lemma_constant.h"
#include "protocol_run.h"

namespace duets::paper {
namespace {

using base::AgentId;
using base::EpochId;
using numeric::Points;
using numeric::Vector;
using protocol::EpochReport;
using protocol::Study;

const base::SerialExecutor kSerial;

// Ten agents on the unit square; S by coins with p = p0 sigma2_max, never clipped.
Study coin_study() {
  Study s;
  s.agents = 10;
  s.horizon = 50;
  s.t1 = 5;
  s.domain = std::make_shared<const domain::Domain>(domain::Domain::box(2));
  s.kernel = {kernel::Family::kSquaredExponential, {0.2}, 1.0};
  s.lambda = 0.2;
  s.beta = 2;
  s.p0 = 1;
  return s;
}

std::vector<EpochReport> reports_of(const Study& study, std::uint64_t seed, bool first_epoch) {
  const auto problem = problems::make_branin();
  ProtocolRun run(std::make_shared<const Study>(study), *problem,
                  {problems::NoiseKind::kGaussian, 0.2}, seed);
  run.until_epoch(first_epoch ? 2 : static_cast<std::uint32_t>(-1));
  return run.coordinator().summary().epochs();
}

// |S_j| is binomial with N T_j trials and probability p_j; p_j depends on the points only. Chernoff
// as in the paper: |S_j| > (3 + ln(1/delta')) N T_j p_j has probability at most delta' when
// N T_j p_j >= 1 (here always). About 60 epochs and delta' = 1e-8: false alarm 6e-7.
// The sum over all epochs, as a normal deviate: P(|Z| > 5) = 5.7e-7.
TEST(PaperLemmas, InducingSetSize) {
  constexpr double kDeltaPrime = 1e-8;
  const double factor = 3 + std::log(1 / kDeltaPrime);
  const Study study = coin_study();
  double expected = 0;
  double variance = 0;
  double selected = 0;
  int num_epochs = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    for (const EpochReport& report : reports_of(study, seed, false)) {
      const double mean = static_cast<double>(report.num_points) * report.p;
      ASSERT_GE(mean, 1) << "Chernoff's bound needs it";
      ASSERT_LT(report.p, 1);
      EXPECT_DOUBLE_EQ(report.p, study.p0 * report.sigma2_max);
      EXPECT_LE(static_cast<double>(report.num_selected), factor * mean);
      EXPECT_LE(report.num_inducing, report.num_selected);
      selected += static_cast<double>(report.num_selected);
      expected += mean;
      variance += mean * (1 - report.p);
      ++num_epochs;
    }
  }
  EXPECT_GE(num_epochs, 40);
  EXPECT_LT(std::abs(selected - expected), 5 * std::sqrt(variance));
}

// Lemma 4.5's other side, |S_j| = O(gamma): with lemma 4.3, N T_j p_j <= C p0 gamma. The gain is
// that of the epoch's points, seen through S_j: less than the largest possible one, so the test
// asks for more than the lemma. No logarithm is allowed for: |S_j| of 10 seeds together is a sum of
// coins with a mean of at most C p0 gamma each, and exceeds it by five deviations with probability
// below 1e-6 (Chernoff: mean above 100).
//
// That the bound says something: it is within a factor of 6 of what is there at every size, and a
// coin whose p stays what it is at the smallest size goes beyond it.
TEST(PaperLemmas, InducingSetGrowsLikeTheGain) {
  constexpr std::uint64_t kSeeds = 10;
  double p_of_smallest = 0;
  double queries = 0;
  double limit = 0;
  for (const std::uint32_t length : {5, 20, 80, 200}) {
    Study study = coin_study();
    study.schedule = protocol::ScheduleRule::kExplicit;
    study.epochs = {length, 1};
    study.horizon = length + 1;
    const double constant = variance_constant(2, study.lambda);
    double selected = 0;
    double p = 0;
    limit = 0;
    for (std::uint64_t seed = 1; seed <= kSeeds; ++seed) {
      const EpochReport report = reports_of(study, seed, true).front();
      selected += static_cast<double>(report.num_selected);
      limit += constant * study.p0 * report.information_gain;
      p += report.p / kSeeds;
    }
    std::printf("N T = %4u: selected %5.1f, bound %6.1f\n", 10 * length, selected / kSeeds,
                limit / kSeeds);
    ASSERT_GT(limit, 100);
    EXPECT_LE(selected, limit + 5 * std::sqrt(limit));
    EXPECT_GT(selected, limit / 6);
    if (p_of_smallest == 0) p_of_smallest = p;
    queries = 10.0 * length;
  }
  EXPECT_GT(p_of_smallest * queries * kSeeds, 1.5 * limit) << "the control";
}

// X_j for the accuracy lemma: 24 islands of [0, 1], five length scales apart and a tenth of one
// wide, so that each is worth about one degree of freedom and none tells about another.
constexpr int kIslands = 24;
constexpr double kLengthscale = 1.0 / (5 * kIslands);
constexpr double kInducingLambda = 50;
constexpr std::uint32_t kAgents = 100;
constexpr std::uint32_t kLength = 1000;
const kernel::Kernel kInducingKernel{kernel::Family::kSquaredExponential, {kLengthscale}, 1.0};

region::Region islands() {
  Points centers(kIslands, 1);
  for (int i = 0; i < kIslands; ++i) centers(i, 0) = (i + 0.5) / kIslands;
  const auto cut = std::make_shared<const region::Cut>(kInducingKernel, 0.0, centers,
                                                       Vector::Ones(kIslands), 0.999);
  return region::Region(std::make_shared<const domain::Domain>(domain::Domain::box(1)))
      .trimmed(cut);
}

// A dense grid of the region.
Points grid_of(const region::Region& region) {
  constexpr Eigen::Index kFine = 200000;
  Points all(kFine, 1);
  for (Eigen::Index i = 0; i < kFine; ++i) all(i, 0) = (static_cast<double>(i) + 0.5) / kFine;
  const region::Membership membership = region.contains(all);
  std::vector<std::uint32_t> rows;
  for (std::uint32_t i = 0; i < kFine; ++i) {
    if (membership.inside[i] != 0) rows.push_back(i);
  }
  return numeric::select_rows(all, rows);
}

// One epoch on that region with the protocol's own functions: points by the agents' coins, p_j and
// S_j by choose_inducing.
class AccuracyEpoch {
 public:
  explicit AccuracyEpoch(const region::Region& region) : region_(region) {
    study_.agents = kAgents;
    study_.horizon = kLength + 2;
    study_.schedule = protocol::ScheduleRule::kExplicit;
    study_.epochs = {1, kLength, 1};
    study_.domain = region.shared_domain();
    study_.kernel = kInducingKernel;
    study_.lambda = kInducingLambda;
    replay_.emplace(std::make_shared<const Study>(study_), random::StudySecret::from_seed(5),
                    kSerial);
    replay_->open(kEpoch, kLength, view_of(study_));
    std::vector<std::uint32_t> everybody(kAgents);
    std::iota(everybody.begin(), everybody.end(), 0U);
    const protocol::Dataset data = replay_->dataset(everybody);
    data_ = gp::whole(data.blocks, kSerial).points;
    report_.length = kLength;
    report_.sigma2_max_open =
        protocol::variance_supremum(study_, kInducingKernel, kInducingLambda, data, region,
                                    grid_of(region).topRows(2048), kSerial, report_);
  }

  const Points& data() const { return data_; }
  double sigma2_max() const { return report_.sigma2_max_open; }

  // S_1 for a p0 in convention R, that is, applied to sigma2_max / lambda.
  Points inducing(double p0, EpochReport& report) const {
    Study study = study_;
    study.p0 = p0 / kInducingLambda;
    report = report_;
    return protocol::choose_inducing(study, kEpoch, view_of(study), *replay_, {.allowed = false},
                                     sigma2_max(), report)
        .points;
  }

 private:
  // The region's only cut ends epoch 1.
  protocol::PublicView view_of(const Study& study) const {
    protocol::PublicView view(std::make_shared<const Study>(study),
                              random::StudySecret::from_seed(5).public_coin(), kSerial);
    const region::Cut& cut = *region_.cuts().front();
    protocol::InducingSet set;
    set.epoch = EpochId{1};
    set.points = cut.inducing();
    view.apply(set);
    protocol::Trim trim;
    trim.epoch = EpochId{1};
    trim.weights = cut.weights();
    trim.tau = cut.tau();
    trim.sampler = {.method = region::Method::kRejection, .max_attempts = 1U << 14};
    view.apply(trim);
    return view;
  }

  static constexpr EpochId kEpoch{2};
  region::Region region_;
  Study study_;
  std::optional<protocol::Replay> replay_;
  Points data_;
  EpochReport report_;
};

Vector sparse_variance(const Points& inducing, const Points& data, const Points& x) {
  return gp::SparsePosterior(kInducingKernel, inducing, data, Vector(), kInducingLambda, kSerial)
      .variance(x)
      .variance;
}

// Lemma A.3 with m = 1e5: S_j is 0.5-accurate, s~^2 / 3 <= s^2 <= 3 s~^2 on the whole region. By
// lemma A.2 it fails with probability 4 m exp(-3 72 ln(4 m / delta') / 32) < 1e-50.
//
// The reference: a sparse posterior on all pivots of the region down to a residual of 1e-12. What
// it leaves out of the data's Gram matrix has a trace below m 1e-12 = 1e-7, so its variance is the
// exact one to a relative 1e-7 / lambda; that is far below the factor of 3 at stake.
//
// The control at p0 / 1000 takes about two points an island, so it misses some of the 24 islands
// with probability 0.988, and there s~^2 is the prior variance. (On the whole interval p0 / 1000 is
// still accurate, for every kernel of this project: the constant is that generous.)
TEST(PaperLemmas, InducingSetAccuracy) {
  const region::Region region = islands();
  const AccuracyEpoch epoch(region);
  ASSERT_EQ(epoch.data().rows(), 100000);
  const Points grid = grid_of(region);
  ASSERT_GT(grid.rows(), 2000);
  std::vector<std::uint32_t> pivots = gp::prune_to_pivots(kInducingKernel, grid, 1e-12);
  const Vector exact = sparse_variance(numeric::select_rows(grid, pivots), epoch.data(), grid);
  EXPECT_NEAR(epoch.sigma2_max(), exact.maxCoeff(), 0.02 * exact.maxCoeff());

  const gp::TheoryInputs inputs{.delta = 0.1,
                                .lambda = kInducingLambda,
                                .num_candidates = 100,
                                .num_epochs = 2,
                                .agents = kAgents,
                                .horizon = kLength};
  const double p0 = gp::theory_p0(inputs);
  EpochReport report;
  const Points s = epoch.inducing(p0, report);
  EXPECT_LT(report.p, 0.5) << "otherwise S_j would be nearly D_j";
  EXPECT_GT(report.num_selected, 30000U);
  const Vector ratio = sparse_variance(s, epoch.data(), grid).cwiseQuotient(exact);
  EXPECT_LE(ratio.maxCoeff(), 3.0);
  EXPECT_GE(ratio.minCoeff(), 1.0 / 3);

  const Points few = epoch.inducing(p0 / 1000, report);
  EXPECT_LT(report.num_selected, 80U);
  const Vector control = sparse_variance(few, epoch.data(), grid).cwiseQuotient(exact);
  EXPECT_GT(control.maxCoeff(), 3.0);
}

}  // namespace
}  // namespace duets::paper
