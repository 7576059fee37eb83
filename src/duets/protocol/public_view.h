// What follows from the study, the public coin and the broadcasts: the regions X_1, X_2, ... and
// how each is sampled. Every party computes it for itself; agents that live in one process may
// share one.
#pragma once

#include <map>
#include <memory>

#include "duets/base/executor.h"
#include "duets/protocol/messages.h"
#include "duets/protocol/study.h"
#include "duets/random/coin.h"
#include "duets/region/sampler.h"

namespace duets::protocol {

/// How many points of the public stream on X_j `inducing = "public"` may choose from.
inline constexpr std::uint32_t kPublicPool = 200;

/// S_j with its coordinates, however it travelled.
struct ResolvedInducing {
  InducingSet message;
  numeric::Points latents;
  numeric::Points features;
};

class PublicView {
 public:
  /// The executor must outlive the view.
  PublicView(std::shared_ptr<const Study> study, const random::Coin& public_coin,
             const base::Executor& executor);

  /// Takes a broadcast. One that was taken before is ignored. Throws kProtocol for one that does
  /// not fit: an epoch out of order, a Trim before its inducing set, wrong shapes, numbers that are
  /// not finite. A Trim costs O(survivors s d) on a finite set, and the search for walk starts
  /// or the cells of a cover otherwise.
  void apply(const InducingSet& message);
  void apply(const Trim& message);
  /// A Trim whose region the caller has computed already: the coordinator's own.
  void apply(const Trim& message, region::Region next);

  bool knows_inducing(EpochId epoch) const { return inducing_.contains(epoch); }
  bool knows_region(EpochId epoch) const { return samplers_.contains(epoch); }

  const ResolvedInducing& inducing(EpochId epoch) const { return inducing_.at(epoch); }
  /// The Trim that ended an epoch.
  const Trim& trim(EpochId epoch) const { return trims_.at(epoch); }
  const region::Sampler& sampler(EpochId epoch) const { return samplers_.at(epoch); }
  const region::Region& region(EpochId epoch) const { return samplers_.at(epoch).region(); }

  /// Points `0 .. count - 1` of the public stream on X_j.
  region::Draw public_points(EpochId epoch, std::uint32_t count) const;

  const Study& study() const { return *study_; }
  const random::Coin& public_coin() const { return public_coin_; }
  const base::Executor& executor() const { return executor_; }

 private:
  region::Region trimmed_region(const Trim& message) const;
  region::Sampler next_sampler(const Trim& message, region::Region next) const;

  std::shared_ptr<const Study> study_;
  random::Coin public_coin_;
  const base::Executor& executor_;
  std::map<EpochId, ResolvedInducing> inducing_;
  std::map<EpochId, Trim> trims_;
  std::map<EpochId, region::Sampler> samplers_;
};

/// How the whole domain is sampled in epoch 1.
region::SamplerSettings initial_sampler(const domain::Domain& domain);

}  // namespace duets::protocol
