#include "duets/protocol/settings.h"

#include <fmt/format.h>

#include <array>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

using base::at;
using base::Place;

constexpr double kMost = 2147483647;  // queries of all agents
constexpr double kBelowOne = 1 - 0x1p-53;
constexpr double kAboveZero = 0x1p-1074;

// Why a setting does not apply; empty: it does.
std::string_view unless_learned(const Study& s) {
  if (s.parameters == Parameters::kFixed) return {};
  return "is learned from the rewards: leave it out, or set duets.parameters = \"fixed\"";
}
std::string_view when_learned(const Study& s) {
  return s.parameters == Parameters::kLearned ? "" : "needs parameters = \"learned\"";
}
std::string_view when_tuned(const Study& s) {
  if (s.mode == Mode::kTuned) return {};
  return "mode = \"theory\" computes it from noise.bound, noise.subgaussian and noise.delta";
}
std::string_view in_theory(const Study& s) {
  return s.mode == Mode::kTheory ? "" : "belongs to duets.mode = \"theory\"";
}
std::string_view with_coins(const Study& s) {
  if (s.mode != Mode::kTuned) return when_tuned(s);
  return s.inducing == Inducing::kCoin ? "" : "belongs to inducing = \"coin\"";
}
std::string_view with_rule(const Study& s) {
  if (s.schedule != ScheduleRule::kExplicit) return {};
  return "does not go with a list of epochs, which says how long the first is";
}
std::string_view with_list(const Study& s) {
  return s.schedule == ScheduleRule::kExplicit ? "" : "belongs to schedule = \"explicit\"";
}
std::string_view with_decision(const Study& s) {
  return s.cut == CutRule::kDecision ? "" : "belongs to cut = \"decision\"";
}
std::string_view with_floor(const Study& s) {
  return has_floor(s) ? "" : "belongs to a volume_floor or side_floor above 0";
}

template <auto kMember>
constexpr Place (*kAt)(Study&) = at<Study, kMember>;

constexpr std::array kSettings{
    Setting{.field = {.table = "study",
                      .key = "earlier_horizons",
                      .place = kAt<&Study::earlier_horizons>,
                      .range = {1, kMost},
                      .meaning = "horizons that the study had before it was extended "
                                 "(`duets study extend`), the first one first. Written by duets",
                      .usual = "none"}},
    Setting{.field = {.table = "study",
                      .key = "ended_after",
                      .place = kAt<&Study::ended_after>,
                      .range = {1, kMost},
                      .meaning = "epochs after which it was ended early (`--for`, `--until-gain`), "
                                 "increasing. Written by duets",
                      .usual = "none"}},
    Setting{.field = {.table = "noise",
                      .key = "lambda",
                      .place = kAt<&Study::lambda>,
                      .range = base::kPositive,
                      .why_not = unless_learned,
                      .constraint = "must be positive and finite",
                      .meaning = "positive: variance of the noise the model assumes; not with "
                                 "`parameters = \"learned\"`"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets", .key = "mode", .place = kAt<&Study::mode>},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "beta",
                      .place = kAt<&Study::beta>,
                      .range = {0, 1e100},
                      .why_not = when_tuned,
                      .constraint = "must be at least 0 and finite",
                      .meaning = "at least 0; 0 on finite sets only. The cut is 2 beta sigma_max"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "p0",
                      .place = kAt<&Study::p0>,
                      .range = base::kPositive,
                      .why_not = with_coins,
                      .constraint = "must be positive and finite",
                      .meaning = "positive; scales p_j, see `rate`; for `inducing = \"coin\"`"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "rate",
                      .place = kAt<&Study::rate>,
                      .why_not = with_coins,
                      .meaning = "For `inducing = \"coin\"`"},
            .digest = InDigest::kBare},
    Setting{.field = {.table = "noise",
                      .key = "bound",
                      .place = kAt<&Study::norm_bound>,
                      .range = base::kPositive,
                      .why_not = in_theory,
                      .constraint = "must be positive and finite",
                      .required = "mode = \"theory\" needs a bound on the norm of the function",
                      .meaning = "theory only: B, positive, a bound on the norm of the function"},
            .digest = InDigest::kAlways},
    Setting{
        .field = {.table = "noise",
                  .key = "subgaussian",
                  .place = kAt<&Study::subgaussian>,
                  .range = base::kPositive,
                  .why_not = in_theory,
                  .constraint = "must be positive and finite",
                  .required = "mode = \"theory\" needs the sub-Gaussian constant of the noise",
                  .meaning = "theory only: R, positive, the sub-Gaussian constant of the noise"},
        .digest = InDigest::kAlways},
    Setting{.field = {.table = "noise",
                      .key = "delta",
                      .place = kAt<&Study::delta>,
                      .range = {1e-100, kBelowOne},
                      .why_not = in_theory,
                      .constraint = "must be a probability between 0 and 1",
                      .meaning = "theory only: probability that the guarantee fails, below 1"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "schedule",
                      .place = kAt<&Study::schedule>,
                      .meaning = "Explicit when `epochs` is given"},
            .digest = InDigest::kAlways},
    Setting{.field =
                {.table = "duets",
                 .key = "t1",
                 .place = kAt<&Study::t1>,
                 .range = {1, kMost},
                 .why_not = with_rule,
                 .meaning =
                     "length of the first epoch, at least 1; not with `epochs`; \"appendix\": what "
                     "is added to ceil(sqrt(horizon / agents))"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "epochs",
                      .place = kAt<&Study::epochs>,
                      .range = {1, kMost},
                      .why_not = with_list,
                      .required = "schedule = \"explicit\" needs a list of epoch lengths",
                      .meaning = "list of lengths that sum to `horizon`, the first one if the "
                                 "study was extended",
                      .usual = "required for `\"explicit\"`, not allowed otherwise"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "inducing",
                      .place = kAt<&Study::inducing>,
                      .meaning = "Theory: coin"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets", .key = "upload", .place = kAt<&Study::upload>},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "data",
                      .place = kAt<&Study::data>,
                      .meaning = "Theory: epoch; surviving excludes `upload = \"rewards\"`"},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets", .key = "closing", .place = kAt<&Study::closing>},
            .digest = InDigest::kAlways},
    Setting{.field = {.table = "duets",
                      .key = "volume_floor",
                      .place = kAt<&Study::volume_floor>,
                      .range = {0, kBelowOne},
                      .constraint = "must be 0 (no floor) or between 0 and 1",
                      .meaning = "eps: 0 (no floor), or below 1: share of the domain that all cuts "
                                 "together leave at least. Of J - 1 cuts each keeps at least "
                                 "min(`epoch_floor`, eps^(1/(J-1))) of its region; of a finite set "
                                 "it may always drop one candidate"},
            .digest = InDigest::kTuning},
    Setting{.field = {.table = "duets",
                      .key = "side_floor",
                      .place = kAt<&Study::side_floor>,
                      .range = {0, kBelowOne},
                      .constraint = "must be 0 (no floor) or between 0 and 1",
                      .meaning =
                          "s: 0 (no floor), or below 1. As `volume_floor` with eps = s^d in d "
                          "dimensions; the larger of the two counts"}},
    Setting{
        .field = {.table = "duets",
                  .key = "epoch_floor",
                  .place = kAt<&Study::epoch_floor>,
                  .range = {kAboveZero, 1},
                  .why_not = with_floor,
                  .constraint = "must be above 0 and at most 1",
                  .meaning = "above 0, at most 1; needs a `volume_floor` or `side_floor` above 0"},
        .digest = InDigest::kTuning},
    Setting{.field = {.table = "duets",
                      .key = "cut",
                      .place = kAt<&Study::cut>,
                      .meaning = "Theory: width"}},
    Setting{.field = {.table = "duets",
                      .key = "epoch_cap",
                      .place = kAt<&Study::epoch_cap>,
                      .range = {kAboveZero, 1},
                      .why_not = with_decision,
                      .constraint = "must be above 0 and at most 1",
                      .meaning = "above 0, at most 1: a cut keeps at most this share of its "
                                 "region, or the floor's share where that is larger; for `cut = "
                                 "\"decision\"`"}},
    Setting{.field = {.table = "duets",
                      .key = "parameters",
                      .place = kAt<&Study::parameters>,
                      .holds =
                          [](const Study& s) {
                            return s.mode == Mode::kTuned || s.parameters == Parameters::kFixed;
                          },
                      .constraint =
                          "mode = \"theory\" needs parameters = \"fixed\": a known kernel",
                      .meaning = "Learned needs `upload = "
                                 "\"auto\"` and `inducing` `\"greedy\"` or `\"public\"`; theory: "
                                 "fixed"},
            .digest = InDigest::kTuning},
    Setting{.field = {.table = "duets",
                      .key = "relevance",
                      .place = kAt<&Study::relevance>,
                      .why_not = when_learned,
                      .meaning = "`true`: learn a length scale for each feature; needs `parameters "
                                 "= \"learned\"`"},
            .digest = InDigest::kTuning},
    Setting{.field = {.table = "duets",
                      .key = "family",
                      .place = kAt<&Study::family>,
                      .why_not = when_learned,
                      .meaning = "`true`: choose between the kernel of this file, squared "
                                 "exponential and Matern 5/2 by evidence; needs `parameters = "
                                 "\"learned\"`"}},
    Setting{.field = {.table = "duets",
                      .key = "raw_rewards",
                      .place = kAt<&Study::raw_rewards>,
                      .range = {1, kMost},
                      .why_not = when_learned,
                      .meaning = "at least 1: agents send rewards instead of projections until "
                                 "this many are known; needs `parameters = \"learned\"`"}},
    Setting{.field = {.table = "duets",
                      .key = "coins",
                      .place = kAt<&Study::coins>,
                      .meaning = "Theory: independent"},
            .digest = InDigest::kTuning},
    Setting{.field = {.table = "duets",
                      .key = "numbers",
                      .place = kAt<&Study::numbers>,
                      .holds =
                          [](const Study& s) {
                            return s.mode == Mode::kTuned || s.numbers == Numbers::kDouble;
                          },
                      .constraint = "mode = \"theory\" needs numbers = \"double\": its rewards and "
                                    "weights are not rounded",
                      .meaning = "Theory: double"}},
};

/// Writes what a place points to.
struct ValueWriter {
  base::ByteWriter& out;
  void operator()(const double* value) const { out.f64(*value); }
  void operator()(const std::uint32_t* value) const { out.u32(*value); }
  void operator()(const std::uint64_t* value) const { out.u64(*value); }
  void operator()(const bool* value) const { out.u8(*value ? 1 : 0); }
  void operator()(const std::string* value) const { out.text(*value); }
  void operator()(const std::vector<double>* value) const { out.f64s(*value); }
  void operator()(const std::vector<std::uint32_t>* value) const { out.u32s(*value); }
  void operator()(const std::vector<std::string>* value) const {
    out.u32(static_cast<std::uint32_t>(value->size()));
    for (const std::string& text : *value) out.text(text);
  }
  void operator()(const base::EnumPlace& place) const { out.u8(*place.number); }
  template <class Value>
  void operator()(const std::optional<Value>* value) const {
    out.u8(value->has_value() ? 1 : 0);
    if (*value) (*this)(&**value);
  }
};

void write_value(const Place& place, base::ByteWriter& out) { std::visit(ValueWriter{out}, place); }

void check_number(const base::Field<Study>& field, double value) {
  if (value >= field.range.low && value <= field.range.high) return;
  base::refuse(fmt::format("{}.{}", field.table, field.key), fmt::format("{}", value),
               field.constraint.empty()
                   ? fmt::format("must be {} to {}", field.range.low, field.range.high)
                   : std::string(field.constraint));
}

bool switches_tuning_on(const Study& study) {
  return has_floor(study) || study.parameters != Parameters::kFixed ||
         study.coins != Coins::kIndependent;
}

}  // namespace

std::span<const Setting> settings() { return kSettings; }

void validate_settings(const Study& given) {
  Study study = given;
  for (const auto& [field, digest] : kSettings) {
    if (!field.applies_to(study)) continue;
    const Place place = field.place(study);
    if (const auto* number = std::get_if<double*>(&place)) check_number(field, **number);
    if (const auto* number = std::get_if<std::uint32_t*>(&place)) check_number(field, **number);
  }
}

void write_settings_digest(std::span<const Setting> list, const Study& given,
                           base::ByteWriter& out) {
  Study study = given;
  Study usual;
  const auto write_all = [&](InDigest rule, auto&& write) {
    for (const auto& [field, digest] : list) {
      if (digest == rule) write(field, field.place(study), field.place(usual));
    }
  };
  write_all(InDigest::kAlways, [&](const auto& /*field*/, const Place& place, const Place&) {
    write_value(place, out);
  });
  write_all(InDigest::kBare, [&](const auto& /*field*/, const Place& place, const Place& other) {
    if (!base::equal(place, other)) write_value(place, out);
  });
  if (switches_tuning_on(study)) {
    out.text("self-tuning");
    write_all(InDigest::kTuning, [&](const auto& /*field*/, const Place& place, const Place&) {
      write_value(place, out);
    });
  }
  write_all(InDigest::kWhenChanged, [&](const auto& field, const Place& place, const Place& other) {
    if (base::equal(place, other)) return;
    out.text(field.key);
    write_value(place, out);
  });
}

}  // namespace duets::protocol
