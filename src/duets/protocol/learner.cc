#include "duets/protocol/learner.h"

#include <algorithm>

#include "duets/base/bytes.h"
#include "duets/numeric/rows.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

void append(Replay::KnownRewards& all, const Replay::KnownRewards& more) {
  Vector rewards(all.rewards.size() + more.rewards.size());
  rewards << all.rewards, more.rewards;
  all.latents = numeric::stacked(all.latents, more.latents);
  all.rewards = std::move(rewards);
}

}  // namespace

void Learner::set(base::EpochId epoch, Replay::KnownRewards rewards) {
  rewards_.insert_or_assign(epoch, std::move(rewards));
}

std::size_t Learner::num_rewards() const {
  std::size_t sum = 0;
  for (const auto& [epoch, known] : rewards_) sum += static_cast<std::size_t>(known.rewards.size());
  return sum;
}

// At most kLearnedRows of them, the earliest: their regions are the largest.
Replay::KnownRewards Learner::before(base::EpochId epoch) const {
  Replay::KnownRewards all;
  for (const auto& [e, known] : rewards_) {
    if (e < epoch) append(all, known);
  }
  const auto rows = std::min(all.rewards.size(), static_cast<Eigen::Index>(kLearnedRows));
  all.latents.conservativeResize(rows, all.latents.cols());
  all.rewards.conservativeResize(rows);
  return all;
}

std::optional<gp::Parameters> Learner::fit(const base::Executor& executor) const {
  if (num_rewards() == 0) return std::nullopt;
  const Replay::KnownRewards all = before(base::next(rewards_.rbegin()->first));
  gp::FitOptions options;
  options.relevance = study_->relevance;
  options.family = study_->family;
  options.max_rows = kLearnedRows;
  gp::Parameters found = gp::fit_parameters(study_->kernel, study_->domain->features(all.latents),
                                            all.rewards, options)
                             .parameters;
  base::ByteWriter out;
  out.u8(static_cast<std::uint8_t>(found.kernel.family));
  out.f64s(found.kernel.lengthscales);
  for (const double number : {found.kernel.variance, found.lambda, found.offset}) out.f64(number);
  const base::Bytes agreed = executor.agree(out.take());
  base::ByteReader in(agreed);
  found.kernel.family = base::enum_of<kernel::Family>(in.u8(), "kernel", base::ErrorKind::kDecode);
  found.kernel.lengthscales = in.f64s();
  found.kernel.variance = in.f64();
  found.lambda = in.f64();
  found.offset = in.f64();
  return found;
}

double Learner::log_evidence(const gp::Parameters& parameters) const {
  const Replay::KnownRewards all = before(base::next(rewards_.rbegin()->first));
  return gp::log_evidence(study_->kernel, parameters, study_->domain->features(all.latents),
                          all.rewards);
}

std::optional<double> Learner::surprise(base::EpochId epoch,
                                        const gp::Parameters& parameters) const {
  const Replay::KnownRewards seen = before(epoch);
  const auto now = rewards_.find(epoch);
  if (now == rewards_.end() || now->second.rewards.size() == 0 || seen.rewards.size() == 0) {
    return std::nullopt;
  }
  const Vector residuals = gp::standardised_residuals(
      parameters, study_->domain->features(seen.latents), seen.rewards,
      study_->domain->features(now->second.latents), now->second.rewards);
  return residuals.squaredNorm() / static_cast<double>(residuals.size());
}

}  // namespace duets::protocol
