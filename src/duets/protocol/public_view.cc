#include "duets/protocol/public_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "duets/base/error.h"
#include "duets/numeric/rows.h"

namespace duets::protocol {
namespace {

void check(bool ok, EpochId epoch, const char* what) {
  if (ok) return;
  throw base::Error(base::ErrorKind::kProtocol,
                    fmt::format("broadcast for epoch {}: {}", base::value(epoch), what));
}

// Other modules report a bad argument as kInvalid; here it came from a peer.
template <typename Body>
void as_broadcast(EpochId epoch, const Body& body) {
  try {
    body();
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kInvalid) throw;
    check(false, epoch, error.what());
  }
}

bool all_inside(const region::Region& region, const numeric::Points& latents) {
  for (Eigen::Index i = 0; i < latents.rows(); ++i) {
    const std::span<const double> row(latents.row(i).data(),
                                      static_cast<std::size_t>(latents.cols()));
    if (!region.domain().contains(row)) return false;
  }
  const region::Membership membership = region.contains(latents);
  return std::count(membership.inside.begin(), membership.inside.end(), 0) == 0;
}

// Categoricals have several features; then all coordinates have the same unit.
region::SideUnits side_units(const domain::Domain& domain, const kernel::Kernel& kernel) {
  const bool one_each = domain.num_features() == domain.dimension() &&
                        kernel.lengthscales.size() == domain.dimension();
  return one_each ? kernel.lengthscales : region::SideUnits{};
}

// In deviations of a learned model: what lies farther below its level counts as this far below.
constexpr double kFarBelow = 12;
// Likewise: what lies farther above is an error, and counts as the level itself.
constexpr double kAbsurd = 8192;

}  // namespace

numeric::Vector counted_rewards(const Study& study, const Model& model,
                                const numeric::Vector& rewards) {
  numeric::Vector counted = rewards.array() - model.reward_offset;
  if (study.parameters != Parameters::kLearned) return counted;
  const double deviation = std::sqrt(model.kernel.variance);
  for (double& one : counted) {
    one = one > kAbsurd * deviation ? 0.0 : std::max(one, -kFarBelow * deviation);
  }
  return counted;
}

bool is_learned(const Study& study, const Model& model) {
  return study.parameters == Parameters::kLearned &&
         (model.kernel != study.kernel || model.reward_offset != 0);
}

const Model& model_of_cut(const ResolvedInducing& inducing, const Trim& trim) {
  return trim.learned ? *trim.learned : inducing.model;
}

region::SamplerSettings initial_sampler(const domain::Domain& domain) {
  region::SamplerSettings settings;
  settings.method = domain.is_finite() ? region::Method::kIndex : region::Method::kRejection;
  settings.max_attempts = 1;  // the whole domain accepts its own points
  return region::own_numbers(settings);
}

PublicView::PublicView(std::shared_ptr<const Study> study, const random::Coin& public_coin,
                       const base::Executor& executor)
    : study_(std::move(study)), public_coin_(public_coin), executor_(executor) {
  add_sampler(EpochId{1},
              region::Sampler(region::Region(study_->domain), initial_sampler(*study_->domain)),
              study_->kernel);
  models_.emplace(EpochId{1}, Model{study_->kernel, 0.0});
}

void PublicView::apply(const Message& message) {
  if (const auto* inducing = std::get_if<InducingSet>(&message)) apply(*inducing);
  if (const auto* trim = std::get_if<Trim>(&message)) apply(*trim);
}

void PublicView::apply(const InducingSet& message) {
  if (knows_inducing(message.epoch)) return;
  check(knows_region(message.epoch), message.epoch, "its region is not known yet");
  ResolvedInducing resolved{message, model(message.epoch), message.points, {}, message.exponent};
  if (message.upload == UploadKind::kRewards) {
    if (message.exponent) reward_exponent_ = message.exponent;
    resolved.exponent = reward_exponent_;
  } else {
    check(message.exponent || study_->numbers == Numbers::kDouble, message.epoch,
          "a projection without its exponent");
  }
  if (!message.public_slots.empty()) {
    resolved.latents = public_latents(message.epoch, message.public_slots);
  }
  if (resolved.latents.rows() == 0) {
    const bool unused = message.upload == UploadKind::kRewards &&
                        (recalls_all(*study_, message.epoch) || keeps_inducing(*study_));
    check(unused, message.epoch, "the inducing set is empty");
    inducing_.emplace(message.epoch, std::move(resolved));
    return;
  }
  check(resolved.latents.cols() == static_cast<Eigen::Index>(study_->domain->dimension()),
        message.epoch, "inducing points have the wrong dimension");
  check(resolved.latents.allFinite(), message.epoch, "inducing points are not finite");
  resolved.features = study_->domain->features(resolved.latents);
  inducing_.emplace(message.epoch, std::move(resolved));
}

void PublicView::apply(const Trim& message) {
  if (knows_region(base::next(message.epoch))) return;
  check(knows_region(message.epoch), message.epoch, "a trim out of order");
  const bool cuts = message.weights.size() > 0;
  check(cuts != closes(*study_, message.epoch), message.epoch,
        cuts ? "a trim in an epoch that ends without one" : "a trim without weights");
  if (!cuts) return go_on(message);
  check(knows_inducing(message.epoch), message.epoch, "a trim before its inducing set");
  if (message.learned) {
    check(study_->parameters == Parameters::kLearned, message.epoch,
          "a model, which this study does not learn");
    check(std::isfinite(message.learned->reward_offset), message.epoch,
          "the reward offset is not finite");
  }
  as_broadcast(message.epoch, [&] {
    if (message.learned) {
      kernel::validate(message.learned->kernel, study_->domain->num_features());
    }
    apply(message, trimmed_region(message));
  });
}

void PublicView::apply(const Trim& message, region::Region next, const numeric::Points& starts) {
  add_sampler(base::next(message.epoch), next_sampler(message, std::move(next), starts),
              model_of_cut(inducing_.at(message.epoch), message).kernel);
  trims_.emplace(message.epoch, message);
  models_.emplace(base::next(message.epoch), model_of_cut(inducing_.at(message.epoch), message));
}

void PublicView::go_on(const Trim& message) {
  const EpochId next = base::next(message.epoch);
  add_sampler(next, samplers_.at(message.epoch), model(message.epoch).kernel);
  trims_.emplace(message.epoch, message);
  models_.emplace(next, model(message.epoch));
}

region::Region PublicView::trimmed_region(const Trim& message) const {
  const ResolvedInducing& inducing = inducing_.at(message.epoch);
  const Model& model = model_of_cut(inducing, message);
  const numeric::Points features =
      message.public_slots.empty()
          ? inducing.features
          : study_->domain->features(public_latents(message.epoch, message.public_slots));
  return region(message.epoch)
      .trimmed(std::make_shared<const region::Cut>(model.kernel, model.reward_offset, features,
                                                   message.weights, message.tau));
}

region::Sampler PublicView::next_sampler(const Trim& message, region::Region next,
                                         const numeric::Points& found) const {
  const region::Sampler& current = samplers_.at(message.epoch);
  numeric::Points starts = message.starts.rows() > 0 ? message.starts : found;
  const bool walks = region::is_walk(message.sampler.method);
  if (walks && starts.rows() == 0) {
    starts =
        region::find_starts(current, next, message.sampler, public_coin_, message.epoch, executor_);
  }
  region::Sampler sampler(std::move(next), message.sampler, std::move(starts));
  if (walks && message.starts.rows() > 0) {
    check(all_inside(sampler.region(), message.starts), message.epoch,
          "a start point lies outside the region");
  }
  return sampler;
}

void PublicView::add_sampler(EpochId epoch, region::Sampler sampler, const kernel::Kernel& kernel) {
  const std::vector<std::uint32_t> all = lengths(*study_);
  const std::uint32_t length =
      base::value(epoch) <= all.size() ? all[base::value(epoch) - 1] : std::uint32_t{0};
  if (study_->coins == Coins::kStratified && length > 0) {
    const region::EpochSlots slots{epoch, study_->agents, length};
    strata_.emplace(epoch, region::Strata::make(sampler, public_coin_, slots,
                                                side_units(*study_->domain, kernel), executor_));
  }
  samplers_.emplace(epoch, std::move(sampler));
}

region::Draw PublicView::private_points(AgentId agent, const random::Coin& coin,
                                        const region::SlotRange& slots,
                                        const base::Executor& executor) const {
  if (const region::Strata* stratified = strata(slots.epoch)) {
    return stratified->draw(coin, agent, slots);
  }
  return sampler(slots.epoch).draw(coin, region::Lane::kPrivate, slots, executor);
}

numeric::Points PublicView::public_candidates(EpochId epoch) const {
  numeric::Points all = public_points(epoch, kPublicPool).latents;
  if (!recalls_all(*study_, epoch)) return all;
  for (std::uint32_t e = 1; e < base::value(epoch); ++e) {
    const EpochId earlier{e};
    const auto set = inducing_.find(earlier);
    if (set != inducing_.end() && set->second.latents.rows() > 0) {
      all = numeric::stacked(all, set->second.latents);
    }
    const auto cut = trims_.find(earlier);
    if (cut != trims_.end() && !cut->second.public_slots.empty()) {
      all = numeric::stacked(all, public_latents(earlier, cut->second.public_slots));
    }
  }
  return all;
}

numeric::Points PublicView::public_latents(EpochId epoch,
                                           const std::vector<std::uint32_t>& slots) const {
  const std::uint32_t largest = *std::ranges::max_element(slots);
  const numeric::Points candidates =
      largest < kPublicPool ? public_points(epoch, largest + 1).latents : public_candidates(epoch);
  check(largest < candidates.rows(), epoch, "a public slot lies outside the pool");
  return numeric::select_rows(candidates, slots);
}

region::Draw PublicView::public_points(EpochId epoch, std::uint32_t count) const {
  return sampler(epoch).draw(public_coin_, region::Lane::kPublic, {epoch, 0, count}, executor_);
}

}  // namespace duets::protocol
