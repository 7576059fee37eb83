#include <fmt/format.h>

#include <memory>
#include <utility>

#include "duets/base/bytes.h"
#include "duets/harness/simulate.h"
#include "duets/harness/threads.h"
#include "duets/problems/problem.h"
#include "duets/protocol/preset.h"
#include "duets/region/draw.h"
#include "lines.h"

namespace duets::determinism {
namespace {

using domain::Domain;
using kernel::Family;
using protocol::Study;

/// A study and the function it queries.
struct Case {
  std::string name;
  Study study;
  std::string function;
  problems::ProblemOptions options = {};
  protocol::Direction direction = protocol::Direction::kMaximize;
  protocol::Participation participation = {};
  std::uint32_t num_seeds = 2;
};

Study study_on(Domain domain, const kernel::Kernel& kernel, double beta) {
  Study study;
  study.agents = 4;
  study.horizon = 30;
  study.domain = std::make_shared<const Domain>(std::move(domain));
  study.kernel = kernel;
  study.lambda = 0.1;
  study.beta = beta;
  return study;
}

Domain random_set(region::CandidateShape shape, std::size_t count, std::size_t dimension) {
  const auto coin = random::StudySecret::from_seed(5).public_coin();
  return Domain::finite(region::random_candidates(coin, shape, count, dimension, 1.0));
}

const kernel::Kernel kShort{Family::kSquaredExponential, {0.2}, 1.0};
const kernel::Kernel kLong{Family::kSquaredExponential, {1.0}, 1.0};

Case finite_greedy() {
  Case c{"finite-hartmann4-greedy",
         study_on(random_set(region::CandidateShape::kCube, 400, 4),
                  {Family::kMatern32, {0.5, 0.6, 0.7, 0.8}, 2.0}, 0.3),
         "hartmann4"};
  c.study.inducing = protocol::Inducing::kGreedy;
  c.study.upload = protocol::UploadRule::kProjection;
  c.study.schedule = protocol::ScheduleRule::kDoubling;
  c.study.closing = protocol::ClosingRule::kProjection;
  return c;
}

Case box_public() {
  Case c{"box-branin-public", study_on(Domain::box(2), {Family::kMatern52, {0.4}, 1.0}, 0.4),
         "branin"};
  c.study.inducing = protocol::Inducing::kPublic;
  c.study.data = protocol::DataPolicy::kSurviving;
  c.study.closing = protocol::ClosingRule::kProjection;
  return c;
}

// What is learned is not strict; that it decides alike in every build is worth a line.
Case tuned(const std::string& name, Domain domain, protocol::Goal goal = protocol::Goal::kEarn) {
  Case c{name, study_on(std::move(domain), {}, 0.2), "camel"};
  protocol::apply_preset(*protocol::find_preset("auto"), c.study);
  protocol::apply_goal(goal, c.study);
  c.study.kernel.lengthscales = {protocol::guessed_lengthscale(*c.study.domain)};
  return c;
}

Case box_parameters() {
  using domain::ParameterType;
  Case c{
      "box-parameters",
      study_on(Domain::box(
                   {{.name = "a", .low = 150, .high = 250},
                    {.name = "b", .low = 1e-5, .high = 0.1, .log = true},
                    {.name = "c", .type = ParameterType::kInt, .low = 16, .high = 256, .step = 16},
                    {.name = "d",
                     .type = ParameterType::kCategorical,
                     .choices = {"none", "nickel", "platinum"}}}),
               {Family::kMatern52, {0.3, 0.3, 0.5, 1.0, 1.0, 1.0}, 1.0}, 0.4),
      "rkhs"};
  c.options = {.dimension = 6, .kernel = c.study.kernel, .norm = 3.0};
  c.direction = protocol::Direction::kMinimize;
  return c;
}

// Agents that are lost and queries that fail.
Case box_absences() {
  Case c{"box-branin-absences", study_on(Domain::box(2), kShort, 0.5), "branin"};
  c.study.schedule = protocol::ScheduleRule::kExplicit;
  c.study.epochs = {3, 7, 10, 10};
  c.participation[1].excluded = {2};
  c.participation[2].holes[0] = {0, 3, 6};
  c.participation[3].excluded = {0, 3};
  c.participation[3].holes[1] = {9};
  return c;
}

// The theorem's widths need many points before anything is trimmed.
Case theory() {
  Case c{"finite-theory",
         study_on(random_set(region::CandidateShape::kCube, 100, 1),
                  {Family::kSquaredExponential, {0.3}, 1.0}, 1.0),
         "rkhs"};
  c.study.mode = protocol::Mode::kTheory;
  c.study.agents = 20;
  c.study.horizon = 1000;
  c.study.t1 = 50;
  c.study.lambda = 1.0;
  c.study.norm_bound = 2.0;
  c.study.subgaussian = 0.1;
  c.options = {.dimension = 1, .kernel = c.study.kernel, .norm = 2.0};
  c.num_seeds = 1;
  return c;
}

// Small widths, so that acceptance falls below what rejection can afford and walks begin.
Case ball_walk(std::size_t dimension, double beta) {
  Case c{fmt::format("ball-h2-d{}", dimension), study_on(Domain::ball(dimension, 1.0), kLong, beta),
         "h2"};
  c.options = {.dimension = dimension};
  c.study.agents = 5;
  c.study.horizon = 40;
  return c;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.push_back({"finite-branin",
                 study_on(random_set(region::CandidateShape::kCube, 500, 2), kShort, 0.5),
                 "branin"});
  all.push_back(finite_greedy());
  all.push_back(theory());
  all.push_back({"box-branin", study_on(Domain::box(2), kShort, 0.5), "branin"});
  all.push_back(box_public());
  all.push_back(tuned("finite-camel-auto", random_set(region::CandidateShape::kCube, 500, 2)));
  all.push_back(tuned("box-camel-auto", Domain::box(2)));
  all.push_back(tuned("box-camel-find", Domain::box(2), protocol::Goal::kFind));
  all.push_back(box_parameters());
  all.push_back(box_absences());
  all.push_back(ball_walk(3, 0.1));
  all.push_back(ball_walk(5, 0.15));
  return all;
}

RunLine run(const Case& c, std::uint64_t seed, const base::Executor& executor) {
  harness::Simulation simulation;
  simulation.study = std::make_shared<const Study>(c.study);
  simulation.problem = problems::make_problem(c.function, c.options,
                                              random::StudySecret::from_seed(seed).problem_coin());
  simulation.noise = {problems::NoiseKind::kGaussian, 0.1};
  simulation.direction = c.direction;
  simulation.seed = seed;
  simulation.participation = c.participation;
  harness::Observer silent;
  const harness::RunResult result = harness::simulate(simulation, executor, silent);
  RunLine line{fmt::format("run/{}/seed{}", c.name, seed),
               result.run_digest,
               result.state_digest,
               result.smallest_margin,
               result.mean_error,
               {}};
  for (const protocol::EpochReport& report : result.epochs) {
    line.samplers += fmt::format(" {}", base::name_of(report.sampler.method));
  }
  return line;
}

}  // namespace

std::vector<Line> problem_lines() {
  std::vector<Line> lines;
  const auto secret = random::StudySecret::from_seed(11);
  for (const problems::ProblemInfo& info : problems::problem_list()) {
    const auto problem = problems::make_problem(info.name, {}, secret.problem_coin());
    const auto shape = problem->natural_shape() == problems::Shape::kBall
                           ? region::CandidateShape::kBall
                           : region::CandidateShape::kCube;
    const numeric::Points x =
        region::random_candidates(secret.public_coin(), shape, 200, problem->dimension(), 1.0);
    std::vector<double> values(200);
    problem->values(x, values);
    base::ByteWriter out;
    out.f64s(values);
    out.f64(problem->maximum());
    lines.push_back(
        {fmt::format("function/{}", info.name), base::to_hex(base::digest_of(out.bytes()))});
  }
  for (const auto kind : {problems::NoiseKind::kGaussian, problems::NoiseKind::kBounded}) {
    base::ByteWriter out;
    for (std::uint32_t t = 0; t < 200; ++t) {
      out.f64(problems::draw_noise({kind, 0.2}, secret.problem_coin(), base::AgentId{t % 7}, t));
    }
    lines.push_back(
        {fmt::format("noise/{}", base::name_of(kind)), base::to_hex(base::digest_of(out.bytes()))});
  }
  return lines;
}

std::vector<RunLine> run_lines(unsigned num_threads) {
  const harness::ThreadExecutor executor(num_threads);
  std::vector<RunLine> lines;
  for (const Case& c : cases()) {
    for (std::uint64_t seed = 1; seed <= c.num_seeds; ++seed)
      lines.push_back(run(c, seed, executor));
  }
  return lines;
}

}  // namespace duets::determinism
