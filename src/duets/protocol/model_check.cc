#include "duets/protocol/model_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "duets/protocol/learner.h"

namespace duets::protocol {
namespace {

constexpr std::uint64_t kEnoughRewards = 16;
constexpr double kFarOff = 4;

ModelCheck checked(const EpochReport& report) {
  ModelCheck check;
  check.epoch = report.epoch;
  check.num_rewards = std::min<std::uint64_t>(
      kLearnedRows, std::uint64_t{report.num_participants} * report.length - report.num_holes);
  check.surprise = report.surprise;
  const bool near = check.surprise < kFarOff && check.surprise > 1 / kFarOff;
  check.fits = near || check.num_rewards < kEnoughRewards;
  return check;
}

// Epochs that can decide come before all others, whatever theirs is.
std::pair<bool, double> rank_of(const ModelCheck& check) {
  return {check.num_rewards >= kEnoughRewards, std::abs(std::log(check.surprise))};
}

}  // namespace

std::optional<ModelCheck> check_model(const std::vector<EpochReport>& reports) {
  std::optional<ModelCheck> worst;
  std::size_t num_epochs = 0;
  for (const EpochReport& report : reports) {
    if (!(report.surprise > 0)) continue;
    ++num_epochs;
    const ModelCheck check = checked(report);
    if (!worst || rank_of(check) >= rank_of(*worst)) worst = check;
  }
  if (worst) worst->num_epochs = num_epochs;
  return worst;
}

std::string model_check_text(const ModelCheck& check) {
  std::string figure = fmt::format(
      "{} rewards of epoch {} lay {:.2f} times as far from their prediction as the "
      "model expects",
      check.num_rewards, base::value(check.epoch), std::sqrt(check.surprise));
  if (check.num_epochs > 1) {
    figure += fmt::format(", the worst of {} epochs that were predicted", check.num_epochs);
  }
  if (check.fits) return figure;
  return figure +=
         (check.surprise > 1
              ? ": it does not fit. The function is rougher, or the noise has more outliers, "
                "than the kernel allows; kernel.name = \"matern-3/2\" may do better"
              : ": the function is less noisy than the model assumes, so cuts are wider than "
                "necessary, which does no harm");
}

}  // namespace duets::protocol
