#include "duets/protocol/learner.h"

#include <algorithm>
#include <cmath>

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

/// With fewer rewards nothing can be called usual.
constexpr std::size_t kFewestUsual = 8;
/// In median absolute deviations from the median; the limits of counted_rewards() are about as
/// wide.
constexpr double kUsualBelow = 16;
constexpr double kUsualAbove = 0x1p14;

double median(Vector values) {
  double* const middle = values.data() + values.size() / 2;
  std::nth_element(values.data(), middle, values.data() + values.size());
  return *middle;
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

// A median is not moved by a few absurd rewards, as a mean and a variance are. Later epochs query
// near the top only, beside which ordinary early rewards would look absurd: so the first ones say
// what is usual. Far below only says "bad", so such rewards stay, at the limit; far above is where
// the optimum would be, so only what can hardly be anything but an error counts as an average
// reward.
Vector Learner::limited(Vector rewards) const {
  Replay::KnownRewards first;
  for (const auto& [epoch, known] : rewards_) {
    append(first, known);
    if (static_cast<std::size_t>(first.rewards.size()) >= kFewestUsual) break;
  }
  if (static_cast<std::size_t>(first.rewards.size()) < kFewestUsual) return rewards;
  const double centre = median(first.rewards);
  const double deviation = median((first.rewards.array() - centre).abs());
  if (deviation == 0) return rewards;
  for (double& one : rewards) {
    one = one > centre + kUsualAbove * deviation ? centre
                                                 : std::max(one, centre - kUsualBelow * deviation);
  }
  return rewards;
}

std::optional<gp::Parameters> Learner::fit(const base::Executor& executor) const {
  if (num_rewards() == 0) return std::nullopt;
  const Replay::KnownRewards all = before(base::next(rewards_.rbegin()->first));
  gp::FitOptions options;
  options.relevance = study_->relevance;
  options.family = study_->family;
  options.max_rows = kLearnedRows;
  gp::Parameters found = gp::fit_parameters(study_->kernel, study_->domain->features(all.latents),
                                            limited(all.rewards), options)
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
                          limited(all.rewards));
}

std::optional<double> Learner::surprise(base::EpochId epoch,
                                        const gp::Parameters& parameters) const {
  const Replay::KnownRewards seen = before(epoch);
  const auto now = rewards_.find(epoch);
  if (now == rewards_.end() || now->second.rewards.size() == 0 || seen.rewards.size() == 0) {
    return std::nullopt;
  }
  const Vector residuals = gp::standardised_residuals(
      parameters, study_->domain->features(seen.latents), limited(seen.rewards),
      study_->domain->features(now->second.latents), limited(now->second.rewards));
  return residuals.squaredNorm() / static_cast<double>(residuals.size());
}

}  // namespace duets::protocol
