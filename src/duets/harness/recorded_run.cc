#include "duets/harness/recorded_run.h"

#include <algorithm>
#include <limits>

#include "duets/harness/picture.h"
#include "duets/harness/simulate_answers.h"
#include "duets/problems/regret.h"
#include "duets/protocol/found.h"

namespace duets::harness {
namespace {

/// Follows the records, then the queries that they imply.
class Follower {
 public:
  Follower(const RecordedRun& run, const base::Executor& executor)
      : run_(run),
        study_(*run.study),
        executor_(executor),
        lengths_(protocol::lengths(study_)),
        summary_(study_) {
    if (run.secret) view_.emplace(run.study, run.secret->public_coin(), executor);
    for (const base::Bytes& bytes : run.records) {
      const protocol::Record record = protocol::decode_record(bytes);
      summary_.add(record);
      if (!view_) continue;
      for (const protocol::Message& message : protocol::broadcasts(study_, record)) {
        view_->apply(message);
      }
    }
  }

  RecordedResult result() {
    all_.run = result_of(study_, run_.scale, summary_);
    if (run_.truth) add_truth();
    if (view_) add_points();
    return std::move(all_);
  }

 private:
  void add_truth() {
    optimum_ = best_value(*run_.truth, executor_);
    all_.run.optimum = run_.scale.upward(optimum_);
    const auto recommendation = summary_.recommendation();
    if (!recommendation) return;
    const numeric::Points latent = recommendation->point.transpose();
    all_.run.recommendation->true_value = true_values(*run_.truth, latent).front();
  }

  void add_points() {
    if (const auto best = protocol::best_trial_of(run_.scale, summary_, *view_, *run_.secret)) {
      all_.run.best_trial->values = best->values;
    }
    PictureRecorder picture(*study_.domain, std::uint64_t{study_.agents} * all_.run.horizon);
    std::optional<problems::RegretCurve> regret;
    if (run_.truth) regret.emplace(study_.agents, all_.run.horizon, optimum_);
    std::uint32_t first_t = 0;
    for (std::uint32_t epoch = 1; epoch <= summary_.num_closed(); ++epoch) {
      const std::uint32_t length = lengths_[epoch - 1];
      if (regret) regret->expect(first_t + length);
      const auto& away = protocol::absence_in(summary_.participation(), epoch);
      for (std::uint32_t agent = 0; agent < study_.agents; ++agent) {
        if (away.excluded.contains(agent)) continue;
        const numeric::Points latents = points(agent, epoch, length);
        for (std::uint32_t slot = 0; slot < length; ++slot) {
          if (picture.thinning().keeps(agent, first_t + slot)) {
            picture.point(latents, slot, epoch);
          }
        }
        if (regret) add_regret(agent, epoch, first_t, latents, *regret);
      }
      first_t += length;
    }
    if (regret && summary_.finished()) all_.run.cumulative_regret = regret->cumulative();
    const std::size_t last = std::min(summary_.num_closed() + 1, lengths_.size());
    all_.run.picture =
        picture.finish(view_->region(base::EpochId{static_cast<std::uint32_t>(last)}),
                       summary_.recommendation(), run_.truth ? run_.truth->problem.get() : nullptr);
  }

  numeric::Points points(std::uint32_t agent, std::uint32_t epoch, std::uint32_t length) const {
    const base::AgentId id{agent};
    return view_
        ->private_points(id, run_.secret->agent_coin(id), {base::EpochId{epoch}, 0, length},
                         executor_)
        .latents;
  }

  void add_regret(std::uint32_t agent, std::uint32_t epoch, std::uint32_t first_t,
                  const numeric::Points& latents, problems::RegretCurve& regret) {
    const auto& holes = protocol::absence_in(summary_.participation(), epoch).holes;
    const auto failed = holes.find(agent);
    std::vector<double> instant = true_values(*run_.truth, latents);
    for (std::uint32_t slot = 0; slot < instant.size(); ++slot) {
      if (failed != holes.end() &&
          std::binary_search(failed->second.begin(), failed->second.end(), slot)) {
        instant[slot] = std::numeric_limits<double>::quiet_NaN();
        continue;
      }
      const double value = run_.scale.upward(instant[slot]);
      regret.add(base::AgentId{agent}, first_t + slot, value);
      instant[slot] = optimum_ - value;
    }
    all_.regrets.emplace(std::pair(epoch, agent), std::move(instant));
  }

  const RecordedRun& run_;
  const protocol::Study& study_;
  const base::Executor& executor_;
  std::vector<std::uint32_t> lengths_;
  protocol::RunSummary summary_;
  std::optional<protocol::PublicView> view_;
  double optimum_ = 0;
  RecordedResult all_;
};

}  // namespace

RecordedResult result_of(const RecordedRun& run, const base::Executor& executor) {
  return Follower(run, executor).result();
}

}  // namespace duets::harness
