// The public state of a run: the regions X_1, X_2, ... and how each is sampled, computed from the
// study, the public coin and the broadcasts. Every party has its own; agents in one process may
// share one.
#pragma once

#include <map>
#include <memory>

#include "duets/base/executor.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"
#include "duets/region/sampler.h"
#include "duets/region/strata.h"

namespace duets::protocol {

/// How many points of the public stream on X_j `inducing = "public"` may choose from.
inline constexpr std::uint32_t kPublicPool = 200;
/// The last epoch may choose this many points at most, of earlier sets too.
inline constexpr std::uint32_t kMostPublic = 512;

/// S_j with its coordinates, however it was sent, and the model known when it arrived.
struct ResolvedInducing {
  InducingSet message;
  Model model;
  numeric::Points latents;
  numeric::Points features;
  std::optional<std::int32_t> exponent{};  ///< of uploads, where it is known
};

/// Rewards as a projection counts them: without the model's level. A few absurd ones do not
/// outweigh all others: a learned model limits them, at no cost, since everyone knows its variance.
/// Strict.
numeric::Vector counted_rewards(const Study& study, const Model& model,
                                const numeric::Vector& rewards);

class PublicView {
 public:
  /// The executor must outlive the view.
  PublicView(std::shared_ptr<const Study> study, const random::Coin& public_coin,
             const base::Executor& executor);

  /// Applies a broadcast. A repeated one is ignored. Throws kProtocol for one that does not fit: an
  /// epoch out of order, a Trim before its inducing set, wrong shapes, numbers that are not finite.
  /// A Trim costs O(survivors s d) on a finite set, and the search for walk starts or the cells of
  /// a cover otherwise; with coins = "stratified" also the strata (strata.h).
  void apply(const InducingSet& message);
  void apply(const Trim& message);
  /// A broadcast among all messages; others change nothing.
  void apply(const Message& message);
  /// A Trim whose region the caller has already computed, and the starts of its walks if it has any
  /// (find_starts): the coordinator's own.
  void apply(const Trim& message, region::Region next, const numeric::Points& starts = {});

  bool knows_inducing(EpochId epoch) const { return inducing_.contains(epoch); }
  bool knows_region(EpochId epoch) const { return samplers_.contains(epoch); }

  const ResolvedInducing& inducing(EpochId epoch) const { return inducing_.at(epoch); }
  /// How rewards are rounded unless the next inducing set says otherwise.
  std::optional<std::int32_t> reward_exponent() const { return reward_exponent_; }
  /// The Trim that ended an epoch.
  const Trim& trim(EpochId epoch) const { return trims_.at(epoch); }
  /// The model with which an epoch begins: the study's, or the last one learned before it.
  const Model& model(EpochId epoch) const { return models_.at(epoch); }
  const region::Sampler& sampler(EpochId epoch) const { return samplers_.at(epoch); }
  const region::Region& region(EpochId epoch) const { return samplers_.at(epoch).region(); }

  /// The strata of an epoch; null where every slot draws independently (coins = "independent", or
  /// more slots than region::Strata supports).
  const region::Strata* strata(EpochId epoch) const {
    const auto found = strata_.find(epoch);
    return found == strata_.end() ? nullptr : found->second.get();
  }

  /// The points of an agent in some slots of an epoch, drawn with its own coin: the only way to
  /// these points, for the agent and for a replay.
  region::Draw private_points(AgentId agent, const random::Coin& coin,
                              const region::SlotRange& slots, const base::Executor& executor) const;

  /// The points that public slots of an epoch refer to: kPublicPool of the public stream on X_j
  /// and, where all rows of the run are used, of each earlier epoch its inducing set, then the
  /// points of its cut where they are others.
  numeric::Points public_candidates(EpochId epoch) const;

  /// Some of them. Throws kProtocol for a slot that there is none of.
  numeric::Points public_latents(EpochId epoch, const std::vector<std::uint32_t>& slots) const;

  /// Points `0 .. count - 1` of the public stream on X_j.
  region::Draw public_points(EpochId epoch, std::uint32_t count) const;

  const Study& study() const { return *study_; }
  const random::Coin& public_coin() const { return public_coin_; }
  const base::Executor& executor() const { return executor_; }

 private:
  void go_on(const Trim& message);
  region::Region trimmed_region(const Trim& message) const;
  region::Sampler next_sampler(const Trim& message, region::Region next,
                               const numeric::Points& found) const;
  void add_sampler(EpochId epoch, region::Sampler sampler, const kernel::Kernel& kernel);

  std::shared_ptr<const Study> study_;
  random::Coin public_coin_;
  const base::Executor& executor_;
  std::map<EpochId, ResolvedInducing> inducing_;
  std::optional<std::int32_t> reward_exponent_;  ///< the last one that was sent
  std::map<EpochId, Trim> trims_;
  std::map<EpochId, Model> models_;
  std::map<EpochId, region::Sampler> samplers_;
  /// Made with the sampler, not on demand: agents share the view from many threads.
  std::map<EpochId, std::shared_ptr<const region::Strata>> strata_;
};

/// Whether a model is more than what a study begins with.
bool is_learned(const Study& study, const Model& model);

/// The model of a Trim's cut.
const Model& model_of_cut(const ResolvedInducing& inducing, const Trim& trim);

/// How the whole domain is sampled in epoch 1.
region::SamplerSettings initial_sampler(const domain::Domain& domain);

}  // namespace duets::protocol
