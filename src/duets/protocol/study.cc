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
  const bool extended = !study.earlier_horizons.empty();
  const std::uint32_t horizon = extended ? study.earlier_horizons.front() : study.horizon;
  require(sum == horizon, "duets.epochs", fmt::format("[{}]", fmt::join(study.epochs, ", ")),
          fmt::format("must sum to {} = {}, not {}",
                      extended ? "the first of study.earlier_horizons" : "study.horizon", horizon,
                      sum));
}

// The lengths that a stage of `count` queries is planned with.
std::vector<std::uint32_t> stage_lengths(const Study& study, bool is_first, std::uint32_t count) {
  if (study.schedule == ScheduleRule::kExplicit) {
    return is_first ? study.epochs : std::vector{count};
  }
  return epoch_lengths(study.schedule, count,
                       first_length(study.schedule, study.agents, count, study.t1));
}

// One stage for each horizon, while `accept` says of its first, done and horizon that it can be.
template <class Accept>
std::vector<Stage> make_stages(const Study& study, const Accept& accept) {
  std::vector<Stage> all;
  auto ended = study.ended_after.begin();
  for (std::size_t i = 0; i <= study.earlier_horizons.size(); ++i) {
    Stage stage;
    if (!all.empty()) {
      const Stage& before = all.back();
      stage.first = before.end();
      stage.done = std::accumulate(before.lengths.begin(), before.lengths.end(), before.done);
    }
    const bool is_last = i == study.earlier_horizons.size();
    stage.horizon = is_last ? study.horizon : study.earlier_horizons[i];
    if (!accept(stage)) return all;
    stage.planned = stage_lengths(study, all.empty(), stage.horizon - stage.done);
    stage.lengths = stage.planned;
    const std::size_t last = stage.first + stage.planned.size();
    if (ended != study.ended_after.end() && *ended > stage.first && *ended < last) {
      stage.lengths.resize(*ended - stage.first);
      stage.lengths.push_back(0);
      ++ended;
    }
    all.push_back(std::move(stage));
  }
  return all;
}

constexpr std::size_t kMostStages = 1000;

void validate_stages(const Study& study) {
  require(study.earlier_horizons.size() < kMostStages, "study.earlier_horizons",
          fmt::format("{} horizons", study.earlier_horizons.size()),
          fmt::format("must be fewer than {}", kMostStages));
  const auto accept = [&](const Stage& stage) {
    const bool is_only = study.earlier_horizons.empty();
    require(stage.horizon > stage.done, is_only ? "study.horizon" : "study.earlier_horizons",
            fmt::format("{}", stage.horizon),
            fmt::format("every horizon must be larger than the {} queries of each agent before it",
                        stage.done));
    return true;
  };
  std::size_t num_early = 0;
  for (const Stage& stage : make_stages(study, accept)) {
    if (stage.lengths.back() == 0) ++num_early;
  }
  require(num_early == study.ended_after.size(), "study.ended_after",
          fmt::format("[{}]", fmt::join(study.ended_after, ", ")),
          "must have increasing numbers of epochs, at most one of each horizon and not its last");
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

std::uint64_t bits_of(const Study& study, bool rewards) {
  if (study.numbers == Numbers::kDouble) return 64;
  constexpr std::uint64_t kRewardBits = 4;
  constexpr std::uint64_t kProjectionBits = 16;
  constexpr std::uint64_t kSlotBits = 5;
  if (rewards) return kRewardBits;
  return kProjectionBits + (keeps_inducing(study) ? kSlotBits : 0);
}

bool rewards_save_closing(const Study& study, base::EpochId epoch) {
  return study.numbers == Numbers::kShort && study.upload == UploadRule::kAuto &&
         recalls_all(study, base::EpochId{stage_of(study, epoch).end()});
}

void validate(const Study& study) {
  require(study.domain != nullptr, "space", "missing", "a study needs a domain");
  require(study.agents >= 1, "study.agents", fmt::format("{}", study.agents), "must be at least 1");
  require(study.horizon >= 1, "study.horizon", fmt::format("{}", study.horizon),
          "must be at least 1");
  kernel::validate(study.kernel, study.domain->num_features());
  validate_settings(study);
  validate_schedule(study);
  validate_stages(study);
  validate_learning(study);
  if (study.mode == Mode::kTuned) {
    validate_tuned(study);
  } else {
    validate_theory(study);
  }
  require(study.data == DataPolicy::kEpoch || study.upload != UploadRule::kRewards, "duets.upload",
          text(study.upload), "data = \"surviving\" needs upload = \"auto\" or \"projection\"");
}

std::vector<Stage> stages(const Study& study) {
  // A horizon of 0 is refused where the lengths are computed.
  return make_stages(
      study, [](const Stage& stage) { return stage.first == 0 || stage.horizon > stage.done; });
}

Stage stage_of(const Study& study, base::EpochId epoch) {
  std::vector<Stage> all = stages(study);
  const auto holds = [&](const Stage& stage) { return base::value(epoch) <= stage.end(); };
  const auto found = std::ranges::find_if(all, holds);
  return std::move(found == all.end() ? all.back() : *found);
}

std::vector<std::uint32_t> lengths(const Study& study) {
  std::vector<std::uint32_t> all;
  for (const Stage& stage : stages(study)) {
    all.insert(all.end(), stage.lengths.begin(), stage.lengths.end());
  }
  return all;
}

std::vector<std::uint32_t> planned_lengths(const Study& study, base::EpochId epoch) {
  const Stage stage = stage_of(study, epoch);
  std::vector<std::uint32_t> all = lengths(study);
  all.resize(stage.first);
  all.insert(all.end(), stage.planned.begin(), stage.planned.end());
  // Nothing follows on an early end once it is there.
  if (base::value(epoch) == stage.end()) all.resize(stage.end());
  return all;
}

std::uint32_t planned_length(const Study& study, base::EpochId epoch) {
  const Stage stage = stage_of(study, epoch);
  const std::uint32_t count = stage.horizon - stage.done;
  return planned_length(study.schedule, count,
                        first_length(study.schedule, study.agents, count, study.t1), stage.planned,
                        base::value(epoch) - stage.first - 1);
}

std::uint32_t num_queries_each(const Study& study) {
  const std::vector<std::uint32_t> all = lengths(study);
  return std::accumulate(all.begin(), all.end(), std::uint32_t{0});
}

bool closes(const Study& study, base::EpochId epoch) {
  return stage_of(study, epoch).end() == base::value(epoch);
}

bool is_last(const Study& study, base::EpochId epoch) {
  return stages(study).back().end() == base::value(epoch);
}

// An epoch without queries tells the posterior of its cut nothing new.
bool sends_values(const Study& study, base::EpochId epoch) {
  const Stage stage = stage_of(study, epoch);
  if (stage.end() != base::value(epoch)) return true;
  if (study.closing == ClosingRule::kBest) return false;
  return stage.lengths.back() > 0 || recalls_all(study, epoch);
}

Study extended(const Study& study, std::uint32_t horizon) {
  const std::uint32_t done = num_queries_each(study);
  require(horizon > done, "horizon", fmt::format("{}", horizon),
          fmt::format("must be larger than {}, the queries of each agent so far: a study can be "
                      "extended, not shortened",
                      done));
  Study more = study;
  more.earlier_horizons.push_back(study.horizon);
  more.horizon = horizon;
  return more;
}

Study ended_early(const Study& study, base::EpochId epoch) {
  const Stage last = stages(study).back();
  const std::uint32_t number = base::value(epoch);
  require(number > last.first && number < last.end() && last.lengths.back() > 0, "epoch",
          fmt::format("{}", number), "must be open, and not the one that ends the study");
  Study less = study;
  less.ended_after.push_back(number);
  return less;
}

std::optional<Study> before_last_change(const Study& study) {
  Study before = study;
  if (stages(study).back().lengths.back() == 0) {
    before.ended_after.pop_back();
  } else if (!study.earlier_horizons.empty()) {
    before.horizon = study.earlier_horizons.back();
    before.earlier_horizons.pop_back();
  } else {
    return std::nullopt;
  }
  return before;
}

bool recalls_all(const Study& study, base::EpochId epoch) {
  const Stage stage = stage_of(study, epoch);
  return study.closing == ClosingRule::kAll && base::value(epoch) == stage.end() &&
         std::uint64_t{study.agents} * stage.horizon <= kMostRecalled;
}

bool has_floor(const Study& study) { return study.volume_floor > 0 || study.side_floor > 0; }

double kept_share(const Study& study, base::EpochId epoch) {
  if (!has_floor(study)) return 0;
  const auto num_cuts = static_cast<double>(stage_of(study, epoch).planned.size()) - 1;
  if (num_cuts < 1) return 1;
  const auto dimension = static_cast<double>(study.domain->dimension());
  // The log of a floor that is not set is minus infinity, and the other one decides.
  const double log_floor =
      std::max(std::log(study.volume_floor), dimension * std::log(study.side_floor));
  return std::min(study.epoch_floor, std::exp(log_floor / num_cuts));
}

gp::TheoryInputs theory_inputs(const Study& study, base::EpochId epoch) {
  const Stage stage = stage_of(study, epoch);
  return {.norm_bound = study.norm_bound,
          .subgaussian = study.subgaussian,
          .delta = study.delta,
          .lambda = study.lambda,
          .num_candidates = static_cast<std::uint64_t>(study.domain->candidates().rows()),
          .num_epochs = static_cast<std::uint32_t>(stage.first + stage.planned.size()),
          .agents = study.agents,
          .horizon = stage.horizon};
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

bool has_digest(const Study& study, const base::Digest& digest) {
  for (std::optional<Study> form = study; form; form = before_last_change(*form)) {
    if (study_digest(*form) == digest) return true;
  }
  return false;
}

}  // namespace duets::protocol
