#include "duets/protocol/model_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/protocol/learner.h"

namespace duets::protocol {
namespace {

constexpr std::uint64_t kEnoughRewards = 16;
constexpr double kFarOff = 4;

}  // namespace

std::optional<ModelCheck> check_model(const std::vector<EpochReport>& reports) {
  const auto last = std::find_if(reports.rbegin(), reports.rend(),
                                 [](const EpochReport& report) { return report.surprise > 0; });
  if (last == reports.rend()) return std::nullopt;
  ModelCheck check;
  check.epoch = last->epoch;
  check.num_rewards = std::min<std::uint64_t>(
      kLearnedRows, std::uint64_t{last->num_participants} * last->length - last->num_holes);
  check.surprise = last->surprise;
  const bool near = check.surprise < kFarOff && check.surprise > 1 / kFarOff;
  check.fits = near || check.num_rewards < kEnoughRewards;
  return check;
}

std::string model_check_text(const ModelCheck& check) {
  std::string figure = fmt::format(
      "{} rewards of epoch {} lay {:.2f} times as far from their prediction as the "
      "model expects",
      check.num_rewards, base::value(check.epoch), std::sqrt(check.surprise));
  if (check.fits) return figure;
  return figure +=
         (check.surprise > 1
              ? ": it does not fit. The function is rougher, or the noise has more outliers, "
                "than the kernel allows; preset = \"safe\" or a Matern kernel may do better"
              : ": it does not fit. The noise is smaller than the model assumes, so cuts are "
                "wider than necessary");
}

}  // namespace duets::protocol
