#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include "coordinator_cases.h"
#include "duets/base/executor.h"
#include "duets/harness/simulate.h"
#include "process.h"

namespace duets::bench {
namespace {

constexpr std::uint32_t kAgents = 1000;

class FirstEpoch final : public harness::Observer {
 public:
  void epoch_began(std::uint32_t epoch, std::uint32_t /*length*/) override {
    if (epoch == 1) begun_ = processor_seconds();
  }
  void epoch_ended(const protocol::EpochReport& report) override {
    if (ended_) return;
    ended_ = {processor_seconds() - begun_, report.variance_rank, report.variance_tolerance,
              report.sigma2_max};
  }
  Largest result() const { return ended_.value(); }

 private:
  double begun_ = 0;
  std::optional<Largest> ended_;
};

}  // namespace

Largest time_epoch(std::string_view name, std::uint64_t m) {
  if (m < kAgents) throw std::invalid_argument("an epoch has a query of each agent");
  const Scene scene = make_scene(name, kernel::Family::kSquaredExponential, false);
  auto study = std::make_shared<protocol::Study>();
  study->agents = kAgents;
  study->domain = scene.sampler->region().shared_domain();
  study->kernel = scene.kernel;
  study->lambda = scene.lambda;
  study->beta = 0.2;
  // A second epoch of one query each: a run's last epoch is not closed.
  study->schedule = protocol::ScheduleRule::kExplicit;
  study->epochs = {static_cast<std::uint32_t>(m / kAgents), 1};
  study->horizon = study->epochs[0] + 1;
  harness::Simulation simulation;
  simulation.study = std::move(study);
  simulation.problem = problems::make_problem(
      std::string(name), {}, random::StudySecret::from_seed(simulation.seed).problem_coin());
  simulation.noise = {problems::NoiseKind::kGaussian, 0.2};
  simulation.picture = false;
  FirstEpoch first;
  harness::simulate(simulation, base::SerialExecutor(), first);
  return first.result();
}

}  // namespace duets::bench
