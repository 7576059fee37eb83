#include "duets/protocol/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/protocol/settings.h"

namespace duets::protocol {
namespace {

using base::require;

template <class Enum>
std::string text(Enum value) {
  return std::string(base::name_of(value));
}

void validate_tuned(const Study& study) {
  require(study.beta > 0 || study.domain->is_finite(), "duets.beta", "0",
          "is allowed on finite sets only: on a box or ball it would keep a single point");
}

void validate_theory(const Study& study) {
  require(study.domain->is_finite(), "duets.mode", text(study.mode),
          "needs a finite set: discretise the box or ball with space.candidates");
  require(
      study.data == DataPolicy::kEpoch, "duets.data", text(study.data),
      "mode = \"theory\" needs data = \"epoch\": the bound needs points independent of the noise");
  require(study.inducing == Inducing::kCoin, "duets.inducing", text(study.inducing),
          "mode = \"theory\" needs inducing = \"coin\": the theorem is about random inducing sets");
  require(study.rate == CoinRate::kVariance, "duets.rate", text(study.rate),
          "mode = \"theory\" needs rate = \"variance\": the theorem is about sigma2_max");
  require(
      study.parameters == Parameters::kFixed, "duets.parameters", text(study.parameters),
      "mode = \"theory\" needs parameters = \"fixed\": the bound is for a kernel that was known");
  require(study.cut == CutRule::kWidth, "duets.cut", text(study.cut),
          "mode = \"theory\" needs cut = \"width\": the theorem's");
  require(study.coins == Coins::kIndependent, "duets.coins", text(study.coins),
          "mode = \"theory\" needs coins = \"independent\": the theorem is about such points");
  require(
      study.closing != ClosingRule::kAll, "duets.closing", text(study.closing),
      "mode = \"theory\" needs closing = \"best\" or \"projection\": the bound is for the data of "
      "one epoch");
}

void validate_learning(const Study& study) {
  if (study.parameters == Parameters::kFixed) {
    require(!study.relevance, "duets.relevance", "true", "needs parameters = \"learned\"");
    require(!study.family, "duets.family", "true", "needs parameters = \"learned\"");
    return;
  }
  require(study.upload == UploadRule::kAuto, "duets.upload", text(study.upload),
          "parameters = \"learned\" needs upload = \"auto\": the first epochs send rewards, later "
          "ones what is shorter");
  require(study.inducing != Inducing::kCoin, "duets.inducing", text(study.inducing),
          "parameters = \"learned\" needs inducing = \"greedy\" or \"public\": p0 is for a known "
          "scale of the rewards");
}

void validate_schedule(const Study& study) {
  if (study.schedule != ScheduleRule::kExplicit) return;
  std::uint64_t sum = 0;
  for (const std::uint32_t length : study.epochs) {
    require(length >= 1, "duets.epochs", fmt::format("{}", length),
            "every epoch is at least 1 long");
    sum += length;
  }
  require(sum == study.horizon, "duets.epochs", fmt::format("[{}]", fmt::join(study.epochs, ", ")),
          fmt::format("must sum to study.horizon = {}, not {}", study.horizon, sum));
}

void write_domain(const domain::Domain& domain, base::ByteWriter& out) {
  out.u8(static_cast<std::uint8_t>(domain.shape()));
  out.u64(domain.dimension());
  out.f64(domain.radius());
  for (const domain::Parameter& parameter : domain.parameters()) {
    out.text(parameter.name);
    out.u8(static_cast<std::uint8_t>(parameter.type));
    out.f64(parameter.low);
    out.f64(parameter.high);
    out.u8(parameter.log ? 1 : 0);
    out.f64(parameter.step);
    out.u32(static_cast<std::uint32_t>(parameter.choices.size()));
    for (const std::string& choice : parameter.choices) out.text(choice);
  }
  const numeric::Points& candidates = domain.candidates();
  out.f64s({candidates.data(), static_cast<std::size_t>(candidates.size())});
}

}  // namespace

void validate(const Study& study) {
  require(study.domain != nullptr, "space", "missing", "a study needs a domain");
  require(study.agents >= 1, "study.agents", fmt::format("{}", study.agents), "must be at least 1");
  require(study.horizon >= 1, "study.horizon", fmt::format("{}", study.horizon),
          "must be at least 1");
  kernel::validate(study.kernel, study.domain->num_features());
  validate_settings(study);
  validate_schedule(study);
  validate_learning(study);
  if (study.mode == Mode::kTuned) {
    validate_tuned(study);
  } else {
    validate_theory(study);
  }
  require(study.data == DataPolicy::kEpoch || study.upload != UploadRule::kRewards, "duets.upload",
          text(study.upload), "data = \"surviving\" needs upload = \"auto\" or \"projection\"");
}

std::uint32_t first_length(const Study& study) {
  return first_length(study.schedule, study.agents, study.horizon, study.t1);
}

std::vector<std::uint32_t> lengths(const Study& study) {
  if (study.schedule == ScheduleRule::kExplicit) return study.epochs;
  return epoch_lengths(study.schedule, study.horizon, first_length(study));
}

bool recalls_all(const Study& study, base::EpochId epoch) {
  return study.closing == ClosingRule::kAll && base::value(epoch) == lengths(study).size() &&
         std::uint64_t{study.agents} * study.horizon <= kMostRecalled;
}

bool has_floor(const Study& study) { return study.volume_floor > 0 || study.side_floor > 0; }

double kept_share(const Study& study) {
  if (!has_floor(study)) return 0;
  const auto num_cuts = static_cast<double>(lengths(study).size()) - 1;
  if (num_cuts < 1) return 1;
  const auto dimension = static_cast<double>(study.domain->dimension());
  // The log of a floor that is not set is minus infinity, and the other one decides.
  const double log_floor =
      std::max(std::log(study.volume_floor), dimension * std::log(study.side_floor));
  return std::min(study.epoch_floor, std::exp(log_floor / num_cuts));
}

gp::TheoryInputs theory_inputs(const Study& study) {
  return {.norm_bound = study.norm_bound,
          .subgaussian = study.subgaussian,
          .delta = study.delta,
          .lambda = study.lambda,
          .num_candidates = static_cast<std::uint64_t>(study.domain->candidates().rows()),
          .num_epochs = static_cast<std::uint32_t>(lengths(study).size()),
          .agents = study.agents,
          .horizon = study.horizon};
}

base::Digest study_digest(const Study& study) {
  base::ByteWriter out;
  out.text(study.name);
  out.u32(study.agents);
  out.u32(study.horizon);
  write_domain(*study.domain, out);
  out.u8(static_cast<std::uint8_t>(study.kernel.family));
  out.f64s(study.kernel.lengthscales);
  out.f64(study.kernel.variance);
  write_settings_digest(settings(), study, out);
  return base::digest_of(out.bytes());
}

}  // namespace duets::protocol
