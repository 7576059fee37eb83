// The public definition of a study, which every party knows. A run is a pure function of the study
// file, the coins, the rewards and the record of who took part.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duets/base/digest.h"
#include "duets/base/enum_table.h"
#include "duets/base/ids.h"
#include "duets/domain/domain.h"
#include "duets/gp/confidence.h"
#include "duets/kernel/kernel.h"
#include "duets/protocol/numbers.h"
#include "duets/protocol/schedule.h"

namespace duets::protocol {

/// Where the confidence width and p0 come from.
enum class Mode : std::uint8_t { kTuned = 0, kTheory = 1 };
constexpr auto enum_entries(Mode /*tag*/) {
  return base::entries<Mode>(
      {{Mode::kTuned, "tuned",
        "`beta` and `p0` are given; the cut is 2 beta sigma_max, as printed"},
       {Mode::kTheory, "theory",
        "the theorem chooses them, from `bound`, `subgaussian` and `delta`; finite sets only"}});
}

/// How the inducing set S_j is chosen.
enum class Inducing : std::uint8_t { kCoin = 0, kGreedy = 1, kPublic = 2 };
constexpr auto enum_entries(Inducing /*tag*/) {
  return base::entries<Inducing>(
      {{Inducing::kCoin, "coin", "every point of D_j joins with probability p_j (the paper)"},
       {Inducing::kGreedy, "greedy",
        "pivoted Cholesky over D_j until the residual is 0.1 sigma2_max"},
       {Inducing::kPublic, "public",
        "points of the public coin that explain D_j best, as long as each adds at least a quarter "
        "of a reward's information: sends indices, reveals no agent's points"}});
}

/// How the probability p_j of `kCoin` is computed (mode kTuned).
enum class CoinRate : std::uint8_t { kVariance = 0, kCount = 1 };
constexpr auto enum_entries(CoinRate /*tag*/) {
  return base::entries<CoinRate>(
      {{CoinRate::kVariance, "variance", "p_j = min(1, p0 sigma2_max) (the paper's text)"},
       {CoinRate::kCount, "count",
        "p_j = min(1, p0 ln(m)/m) with m = N T_j, what the published curves used"}});
}

/// What agents send up.
enum class UploadRule : std::uint8_t { kAuto = 0, kProjection = 1, kRewards = 2 };
constexpr auto enum_entries(UploadRule /*tag*/) {
  return base::entries<UploadRule>(
      {{UploadRule::kAuto, "auto", "whichever is shorter, decided for each epoch"},
       {UploadRule::kProjection, "projection",
        "u_a = K_{S,D_a} y_a (the paper, up to a change of basis)"},
       {UploadRule::kRewards, "rewards",
        "the raw rewards; the coordinator projects them itself, to the same bits"}});
}

/// Which data an epoch's posterior uses.
enum class DataPolicy : std::uint8_t { kEpoch = 0, kSurviving = 1 };
constexpr auto enum_entries(DataPolicy /*tag*/) {
  return base::entries<DataPolicy>(
      {{DataPolicy::kEpoch, "epoch", "only this epoch's (the confidence bound needs it)"},
       {DataPolicy::kSurviving, "surviving",
        "all pairs, of any epoch, whose point is still in X_j; no theorem"}});
}

/// Where kernel, lambda and the level of the rewards come from.
enum class Parameters : std::uint8_t { kFixed = 0, kLearned = 1 };
constexpr auto enum_entries(Parameters /*tag*/) {
  return base::entries<Parameters>(
      {{Parameters::kFixed, "fixed", "kernel and lambda of this file"},
       {Parameters::kLearned, "learned",
        "length scale, variance, lambda and level of the rewards come from the raw rewards of the "
        "first epochs; the length scale of this file is the first guess"}});
}

/// How the agents' points spread over X_j.
enum class Coins : std::uint8_t { kIndependent = 0, kStratified = 1 };
constexpr auto enum_entries(Coins /*tag*/) {
  return base::entries<Coins>(
      {{Coins::kIndependent, "independent", "every query draws independently (the paper)"},
       {Coins::kStratified, "stratified",
        "every query of an epoch in its own part of X_j, all parts equally large"}});
}

/// How much of its region a cut keeps.
enum class CutRule : std::uint8_t { kWidth = 0, kDecision = 1 };
constexpr auto enum_entries(CutRule /*tag*/) {
  return base::entries<CutRule>(
      {{CutRule::kWidth, "width",
        "means from 2 beta sigma_max below the largest (the paper), and at least the floor"},
       {CutRule::kDecision, "decision",
        "the share between floor and `epoch_cap` whose cost is least by joint samples of the "
        "posterior: what queries in it lose against what its best point loses; a category, or a "
        "value of an int with at most 8, stays until the samples say that it cannot hold the "
        "optimum"}});
}

/// What an agent sends after its last query.
enum class ClosingRule : std::uint8_t { kBest = 0, kProjection = 1, kAll = 2 };
constexpr auto enum_entries(ClosingRule /*tag*/) {
  return base::entries<ClosingRule>({{ClosingRule::kBest, "best", "an agent's best trial"},
                                     {ClosingRule::kProjection, "projection",
                                      "its best trial and a projection of the last epoch"},
                                     {ClosingRule::kAll, "all",
                                      "its best trial and a projection of all its queries, or the "
                                      "rewards of the last epoch where the coordinator knows all "
                                      "others: the recommendation rests on every reward. Above "
                                      "65536 queries as `\"projection\"`"}});
}

/// The defaults are those of a study file and of the preset "paper".
struct Study {
  std::string name = "study";
  std::uint32_t agents = 1;   ///< N >= 1
  std::uint32_t horizon = 1;  ///< T >= 1, queries per agent
  /// A study that has ended may be extended. Its horizons before that, the first one first; each
  /// later one is larger than the number of queries made until then.
  std::vector<std::uint32_t> earlier_horizons{};
  /// The epochs after which it was ended early, increasing. The rest of the stage was not done; in
  /// its place is one epoch without queries, for the answer.
  std::vector<std::uint32_t> ended_after{};

  std::shared_ptr<const domain::Domain> domain;
  kernel::Kernel kernel;  ///< over the domain's features
  double lambda = 0.2;    ///< > 0, finite: variance of the noise the model assumes

  Mode mode = Mode::kTuned;
  double beta = 0.5;         ///< tuned: >= 0, finite; > 0 unless the domain is finite
  double p0 = 10.0;          ///< tuned, coin: > 0, finite
  double norm_bound = 1.0;   ///< theory: B > 0
  double subgaussian = 1.0;  ///< theory: R > 0
  double delta = 0.1;        ///< theory: 0 < delta < 1

  ScheduleRule schedule = ScheduleRule::kSqrtFloor;
  std::uint32_t t1 = 2;                 ///< >= 1; larger than T gives one epoch of length T
  std::vector<std::uint32_t> epochs{};  ///< kExplicit only: each >= 1, sum == the first horizon

  Inducing inducing = Inducing::kCoin;
  CoinRate rate = CoinRate::kVariance;  ///< tuned, coin
  UploadRule upload = UploadRule::kAuto;
  DataPolicy data = DataPolicy::kEpoch;
  ClosingRule closing = ClosingRule::kBest;

  /// All cuts of a stage together leave at least a share F = max(volume_floor, side_floor^d) of the
  /// region it begins with, d the dimension; each of the J - 1 cuts keeps min(epoch_floor,
  /// F^(1/(J-1))) of its region. Both are 0 (no floor) or in (0, 1). A side is as fine in six
  /// dimensions as in two.
  double volume_floor = 0;
  double side_floor = 0;
  double epoch_floor = 1;  ///< in (0, 1]
  CutRule cut = CutRule::kWidth;
  double epoch_cap = 1;  ///< decision: the largest share that a cut keeps, in (0, 1]
  Parameters parameters = Parameters::kFixed;
  bool relevance = false;  ///< learned: a length scale for each feature
  bool family = false;     ///< learned: the family of the kernel, too
  /// Learned: agents send raw rewards until this many are known, even where a projection is
  /// shorter.
  std::uint32_t raw_rewards = 32;
  Coins coins = Coins::kIndependent;
  Numbers numbers = Numbers::kDouble;
};

/// Whether S_j of an epoch that sends rewards stays with the coordinator: a cut names its points.
inline bool keeps_inducing(const Study& study) {
  return study.numbers == Numbers::kShort && study.inducing == Inducing::kPublic;
}

/// About how many bits a number takes that agents upload, over all links of an agent: a number of a
/// projection also a public slot, which is not sent where rewards are.
std::uint64_t bits_of(const Study& study, bool rewards);
/// Whether rewards take less than their part of a projection of the whole run at the end of the
/// epoch's stage, which is not needed if all of them were sent.
bool rewards_save_closing(const Study& study, base::EpochId epoch);

/// Throws kInvalid naming the study file's field, the value and the constraint.
void validate(const Study& study);

/// What a run did under one horizon. Its last epoch ends with closing messages and an answer; the
/// next stage begins in the same region. The schedule rule begins again with every stage; a list of
/// epochs is for the first, and later ones are a single epoch.
struct Stage {
  std::uint32_t first = 0;             ///< number of epochs before it
  std::uint32_t done = 0;              ///< queries of each agent before it
  std::uint32_t horizon = 0;           ///< T, `done` included
  std::vector<std::uint32_t> planned;  ///< lengths of its epochs, summing to horizon - done
  std::vector<std::uint32_t> lengths;  ///< those that were done; the last is 0 if it ended early

  std::uint32_t end() const { return first + static_cast<std::uint32_t>(lengths.size()); }
};
/// At least one; several when the study was extended. Precondition: validate().
std::vector<Stage> stages(const Study& study);
/// That of an epoch; the last one for any epoch after it.
Stage stage_of(const Study& study, base::EpochId epoch);

/// The lengths of all epochs, T_1 .. T_J.
std::vector<std::uint32_t> lengths(const Study& study);
/// The same as planned while this epoch was open; the last one is that in which agents close.
std::vector<std::uint32_t> planned_lengths(const Study& study, base::EpochId epoch);
/// T_j by the schedule rule, before the horizon shortens it.
std::uint32_t planned_length(const Study& study, base::EpochId epoch);
/// Queries of each agent, over all epochs: the horizon, or less after an early end.
std::uint32_t num_queries_each(const Study& study);

/// Whether a stage ends with the epoch: agents send closing messages, and there is no cut.
bool closes(const Study& study, base::EpochId epoch);
/// Whether the run ends with the epoch.
bool is_last(const Study& study, base::EpochId epoch);
/// Whether there is an inducing set in the epoch, for agents to send values.
bool sends_values(const Study& study, base::EpochId epoch);

/// The study extended to `horizon` queries of each agent. kInvalid unless that is more than
/// num_queries_each().
Study extended(const Study& study, std::uint32_t horizon);
/// The study ended early, after an epoch of its last stage. kInvalid when the stage ends there
/// anyway.
Study ended_early(const Study& study, base::EpochId epoch);
/// The study before it was extended or ended early for the last time; nothing if it never was.
std::optional<Study> before_last_change(const Study& study);

/// Whether cuts keep a share of their region whatever the model says.
bool has_floor(const Study& study);

/// Whether the posterior of this epoch is that of every query of the run: where a stage ends, with
/// closing = "all", unless there are more queries than a coordinator should keep.
inline constexpr std::uint64_t kMostRecalled = 65536;
bool recalls_all(const Study& study, base::EpochId epoch);

/// The share of its region that the cut of an epoch keeps at least; 0 without a floor, 1 when there
/// is no cut.
double kept_share(const Study& study, base::EpochId epoch = base::EpochId{1});

/// The theorem's inputs for an epoch (mode kTheory): those of its stage.
gp::TheoryInputs theory_inputs(const Study& study, base::EpochId epoch = base::EpochId{1});

/// Covers every public field above (the candidates of a finite set included), never a secret. Two
/// parties with different digests are not in the same study.
base::Digest study_digest(const Study& study);

/// Whether a digest is that of the study, now or before it was extended or ended early.
bool has_digest(const Study& study, const base::Digest& digest);

}  // namespace duets::protocol
