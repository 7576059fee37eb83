// Opening and closing epochs: where the coordinator computes what it then transmits.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <utility>

#include "duets/base/error.h"
#include "duets/gp/low_rank.h"
#include "duets/protocol/choose_sampler.h"
#include "duets/protocol/coordinator.h"
#include "duets/protocol/upload_grid.h"
#include "duets/protocol/variance.h"
#include "duets/region/pieces.h"

namespace duets::protocol {
namespace {

const std::vector<std::uint32_t>& holes_of(const Message& message) {
  if (const auto* upload = std::get_if<Upload>(&message)) return upload->holes;
  return std::get<Closing>(message).holes;
}

const std::vector<double>& values_of(const Message& message) {
  if (const auto* upload = std::get_if<Upload>(&message)) return upload->values;
  return std::get<Closing>(message).values;
}

// A few hundred rewards determine no length scale or variance any closer, and the level matters in
// relation to the deviation.
gp::Parameters shortened(gp::Parameters exact) {
  constexpr int kLevelBits = 5;
  for (double& scale : exact.kernel.lengthscales) scale = round_bits(scale, kScaleBits);
  exact.kernel.variance = round_bits(exact.kernel.variance, kScaleBits);
  exact.offset = round_down(exact.offset, std::ilogb(exact.kernel.variance) / 2 - kLevelBits);
  return exact;
}

/// With numbers = "short" the model stays while it explains the rewards as well as a new one, but
/// for this much of their log evidence: what agents have need not be sent again.
constexpr double kSameModel = 1;

bool came_as_rewards(const PublicView& view, EpochId epoch) {
  return view.knows_inducing(epoch) && view.inducing(epoch).message.upload == UploadKind::kRewards;
}

// Whether the model is learned from an epoch.
bool teaches(const PublicView& view, EpochId epoch) {
  return view.study().parameters == Parameters::kLearned && came_as_rewards(view, epoch);
}

/// A message that is so much larger than the median one may be why an epoch cannot be closed.
constexpr double kOutlierFactor = 0x1p20;

/// In size; infinity for one that is not a number, which only records can hold.
double largest_number(const Message& message) {
  double largest = 0;
  for (const double value : values_of(message)) {
    largest = std::isnan(value) ? std::numeric_limits<double>::infinity()
                                : std::max(largest, std::abs(value));
  }
  return largest;
}

// One reward a slot, 0 in the holes.
std::vector<double> spread_over_slots(const Message& message, std::uint32_t length) {
  const std::vector<double>& values = values_of(message);
  const std::vector<std::uint32_t>& holes = holes_of(message);
  std::vector<double> rewards(length, 0.0);
  std::size_t next_value = 0;
  std::size_t next_hole = 0;
  for (std::uint32_t slot = 0; slot < length; ++slot) {
    if (next_hole < holes.size() && holes[next_hole] == slot) {
      ++next_hole;
    } else {
      rewards[slot] = values[next_value++];
    }
  }
  return rewards;
}

// What was computed outside the determinism boundary is the first process's, everywhere.
void agree_on(const PublicView& view, const ResolvedInducing& inducing, Solution& solution,
              const base::Executor& executor) {
  base::ByteWriter out;
  out.f64s({solution.weights.data(), static_cast<std::size_t>(solution.weights.size())});
  out.f64(solution.width);
  out.f64(solution.max_stddev);
  out.f64(solution.decision.share);
  out.f64(solution.decision.shortfall);
  out.f64(solution.decision.lost);
  out.f64(solution.decision.missed);
  out.f64(solution.decision.lost_chance);
  Trim cut;
  cut.epoch = inducing.message.epoch;
  cut.public_slots = solution.cut.public_slots;
  cut.weights = solution.cut.weights;
  cut.format = solution.cut.format;
  out.blob(encode(cut));
  const base::Bytes agreed = executor.agree(out.take());
  base::ByteReader in(agreed);
  const std::vector<double> weights = in.f64s();
  solution.weights = Eigen::Map<const numeric::Vector>(weights.data(), solution.weights.size());
  solution.width = in.f64();
  solution.max_stddev = in.f64();
  solution.decision.share = in.f64();
  solution.decision.shortfall = in.f64();
  solution.decision.lost = in.f64();
  solution.decision.missed = in.f64();
  solution.decision.lost_chance = in.f64();
  solution.cut = cut_form(view, inducing, std::get<Trim>(decode(in.blob())));
}

}  // namespace

bool Coordinator::is_complete(const EpochReport& report) const {
  return report.num_participants == study_->agents && report.num_holes == 0;
}

bool Coordinator::sends_rewards() const {
  return view_->inducing(epoch_).message.upload == UploadKind::kRewards;
}

void Coordinator::replay_points(EpochReport& report) {
  const Replay::Opening opening = replay_.open(epoch_, lengths_[base::value(epoch_) - 1], *view_);
  point_digests_ = opening.digests;
  closes_ = protocol::closes(*study_, epoch_);
  sends_values_ = protocol::sends_values(*study_, epoch_);
  report.membership_tests += opening.tests;
  report.smallest_margin = std::min(report.smallest_margin, opening.smallest_margin);
}

const numeric::Points& Coordinator::pool() {
  if (!pool_) pool_ = supremum_pool(*view_, epoch_);
  return *pool_;
}

std::vector<std::uint32_t> Coordinator::everybody() const {
  std::vector<std::uint32_t> agents(study_->agents);
  std::iota(agents.begin(), agents.end(), 0U);
  return agents;
}

// Raw rewards serve a posterior over data of several epochs only while the coordinator knows all of
// them. The last epoch sends them only where they are the last that it lacks, and then nobody but
// the coordinator needs inducing points; in a long one a projection is shorter.
RewardWish Coordinator::reward_wish() const {
  bool knows_all = true;
  for (std::uint32_t e = 1; e < base::value(epoch_); ++e) {
    if (lengths_[e - 1] > 0 && !came_as_rewards(*view_, EpochId{e})) knows_all = false;
  }
  if (closes()) {
    const bool is_shorter =
        study_->numbers == Numbers::kShort || lengths_[base::value(epoch_) - 1] <= kPublicPool;
    const bool only = knows_all && recalls() && study_->upload == UploadRule::kAuto && is_shorter;
    return {false, false, only};
  }
  const bool saves_closing = knows_all && rewards_save_closing(*study_, epoch_);
  const bool teaches = study_->parameters == Parameters::kLearned && learner_.wants_more();
  return {knows_all || study_->data == DataPolicy::kEpoch, teaches || saves_closing};
}

EpochOpened Coordinator::make_opening(std::optional<double> recorded_sigma2) {
  EpochOpened opened;
  opened.epoch = epoch_;
  EpochReport& report = opened.report;
  report.epoch = epoch_;
  report.length = lengths_[base::value(epoch_) - 1];
  report.planned_length = planned_length(*study_, epoch_);
  const region::Sampler& sampler = view_->sampler(epoch_);
  report.sampler = sampler.settings();
  report.region_points = sampler.region().survivors().size();
  if (!summary_.epochs().empty()) {
    const EpochReport& before = summary_.epochs().back();
    report.region_fraction = before.region_fraction * before.cut_acceptance;
  }
  pool_.reset();
  taken_.clear();
  replay_points(report);
  if (!sends_values()) return opened;
  const Model& model = view_->model(epoch_);
  report.kernel = model.kernel;
  report.lambda = lambda_;
  report.reward_offset = model.reward_offset;
  report.sigma2_max_open =
      variance_supremum(*study_, model.kernel, lambda_, replay_.dataset(everybody()),
                        sampler.region(), pool(), executor_, report);
  report.pieces = region::count_pieces(sampler.region(), pool());
  opened.has_inducing = true;
  opened.inducing = choose_inducing(*study_, epoch_, *view_, replay_, reward_wish(),
                                    recorded_sigma2.value_or(report.sigma2_max_open), report);
  opened.inducing.closing = closes();
  if (study_->numbers == Numbers::kShort) opened.inducing.exponent = exponent_of(opened.inducing);
  return opened;
}

// Rewards are rounded as before unless the noise is another.
std::optional<std::int32_t> Coordinator::exponent_of(const InducingSet& message) {
  if (message.upload == UploadKind::kProjection) {
    return projection_exponent(*view_, message, replay_, pool(), lambda_);
  }
  const bool knows_noise =
      study_->parameters == Parameters::kFixed || is_learned(*study_, view_->model(epoch_));
  const std::int32_t exponent = reward_exponent(lambda_);
  if (!knows_noise || view_->reward_exponent() == exponent) return std::nullopt;
  return exponent;
}

void Coordinator::open_epoch(Effects& effects) {
  EpochOpened opened = make_opening(std::nullopt);
  effects.events.push_back(EpochBegan{epoch_, opened.report.length});
  if (opened.has_inducing) {
    view_->apply(opened.inducing);
    effects.messages.push_back({std::nullopt, opened.inducing});
  }
  open_report_ = opened.report;
  is_open_ = true;
  summary_.add(opened);
  effects.records.push_back(std::move(opened));
}

void Coordinator::settle_participation(const std::vector<std::uint32_t>& participants,
                                       EpochReport& report) {
  report.num_participants = static_cast<std::uint32_t>(participants.size());
  for (std::uint32_t a = 0; a < study_->agents; ++a) {
    if (!std::binary_search(participants.begin(), participants.end(), a)) {
      replay_.exclude(a);
      continue;
    }
    const Message& message = taken_.at(AgentId{a});
    replay_.set_holes(a, holes_of(message));
    report.num_holes += holes_of(message).size();
    if (sends_values() && sends_rewards()) {
      replay_.set_rewards(a, spread_over_slots(message, open_report_.length));
    }
  }
  if (open_report_.length > 0 && teaches(*view_, epoch_)) {
    learner_.set(epoch_, replay_.newest_rewards(participants, kLearnedRows));
  }
}

// In agent order, never in arrival order.
numeric::Vector Coordinator::summed_projections(
    const ResolvedInducing& inducing, const std::vector<std::uint32_t>& participants) const {
  numeric::Vector sum = numeric::Vector::Zero(inducing.latents.rows());
  if (sends_rewards()) {
    for (const numeric::Vector& one : replay_.projections(participants, inducing)) sum += one;
    return sum;
  }
  for (const std::uint32_t a : participants) {
    const std::vector<double>& values = values_of(taken_.at(AgentId{a}));
    sum +=
        Eigen::Map<const numeric::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
  }
  return sum;
}

void Coordinator::advance_digests(EpochClosed& closed) const {
  base::ByteWriter run;
  run.digest(summary_.run_digest());
  run.u32(base::value(epoch_));
  for (const std::uint64_t digest : point_digests_) run.u64(digest);
  run.u32s(closed.participants);
  base::ByteWriter state;
  state.digest(summary_.state_digest());
  if (sends_values()) state.blob(encode(view_->inducing(epoch_).message));
  for (const std::uint32_t a : closed.participants) {
    const Message& message = taken_.at(AgentId{a});
    run.u32s(holes_of(message));
    state.blob(encode(message));
  }
  if (closed.has_trim) {
    run.u32s(view_->region(base::next(epoch_)).survivors());
    state.blob(encode(closed.trim));
  }
  closed.run_digest = closed.report.run_digest = base::digest_of(run.bytes());
  closed.state_digest = closed.report.state_digest = base::digest_of(state.bytes());
}

// The model from all rewards that were sent as such, where this epoch's are among them. None: the
// model stays what it was. Rewards at the end of a stage cut nothing: they only check the model.
std::optional<gp::Parameters> Coordinator::learn(EpochReport& report) const {
  if (!teaches(*view_, epoch_)) return std::nullopt;
  const Model& before = view_->model(epoch_);
  report.surprise =
      learner_.surprise(epoch_, {before.kernel, lambda_, before.reward_offset}).value_or(0.0);
  if (closes()) return std::nullopt;
  std::optional<gp::Parameters> found = learner_.fit(executor_);
  if (!found || study_->numbers == Numbers::kDouble) return found;
  *found = shortened(std::move(*found));
  const gp::Parameters as_before{before.kernel, lambda_, before.reward_offset};
  if (!is_learned(*study_, before) ||
      learner_.log_evidence(as_before) < learner_.log_evidence(*found) - kSameModel) {
    return found;
  }
  return as_before;
}

// Fills lambda, and where S_j was not sent, its size.
ResolvedInducing Coordinator::inducing_with(const std::optional<gp::Parameters>& learned,
                                            EpochReport& report) const {
  ResolvedInducing inducing = view_->inducing(epoch_);
  if (learned) {
    inducing.model = {learned->kernel, learned->offset};
    report.lambda = learned->lambda;
  }
  if (inducing.latents.rows() > 0) return inducing;
  if (closes()) {
    choose_for_answer(*study_->domain, replay_.latents(), report.lambda, inducing, executor_);
  } else {
    choose_for_cut(*study_, *view_, replay_, report.lambda, inducing);
    report.num_selected = report.num_inducing = static_cast<std::uint64_t>(inducing.latents.rows());
  }
  return inducing;
}

FinalPoint Coordinator::final_point(const ResolvedInducing& inducing,
                                    const Solution& solution) const {
  const FinalPointInput input =
      final_point_input(*view_, inducing, replay_.latents(), *pool_, executor_);
  FinalPoint found =
      find_final_point(solution.posterior, solution.weights, input, view_->public_coin(), epoch_);
  base::ByteWriter out;
  out.f64s({found.point.data(), static_cast<std::size_t>(found.point.size())});
  for (const double number : {found.mean, found.stddev, found.shortfall, found.missed}) {
    out.f64(number);
  }
  const base::Bytes agreed = executor_.agree(out.take());
  base::ByteReader in(agreed);
  const std::vector<double> point = in.f64s();
  found.point = Eigen::Map<const numeric::Vector>(point.data(), found.point.size());
  for (double* number : {&found.mean, &found.stddev, &found.shortfall, &found.missed}) {
    *number = in.f64();
  }
  return found;
}

Solution Coordinator::solve(const ResolvedInducing& inducing,
                            const std::vector<std::uint32_t>& participants, EpochReport& report) {
  const Dataset data = replay_.dataset(participants);
  const region::Region& region = view_->region(epoch_);
  const kernel::Kernel& kernel = inducing.model.kernel;
  const bool as_opened =
      is_complete(report) && report.lambda == lambda_ && kernel == view_->model(epoch_).kernel;
  report.num_points = data.num_points;
  report.num_distinct = data.blocks.num_rows();
  report.kernel = kernel;
  report.reward_offset = inducing.model.reward_offset;
  report.sigma2_max = as_opened ? report.sigma2_max_open
                                : variance_supremum(*study_, kernel, report.lambda, data, region,
                                                    pool(), executor_, report);
  Solution solution =
      solve_epoch(*study_, inducing, data, summed_projections(inducing, participants), region,
                  pool(), executor_, report);
  // Of a run that is recalled final_point() draws them, once there is one.
  if (!recalls() && draws_samples(*study_, epoch_)) {
    solution.decision = decide_cut(*study_, inducing, solution, *view_, pool());
  }
  if (!closes() && study_->numbers == Numbers::kShort) {
    shorten(*view_, inducing, pool(), solution, report);
  }
  agree_on(*view_, inducing, solution, executor_);
  return solution;
}

// From here on everything follows strictly from the model, the weights, the width, the deviation
// and the decided share.
void Coordinator::cut_region(const ResolvedInducing& inducing, const Solution& solution,
                             EpochClosed& closed) {
  EpochReport& report = closed.report;
  if (recalls()) {
    write_final_point(final_point(inducing, solution), solution, inducing.model.reward_offset,
                      report);
    return;
  }
  const region::Region& region = view_->region(epoch_);
  const CutChoice cut = choose_cut(*study_, inducing, solution, region, pool(), report);
  const numeric::Points best = report.best_point.transpose();
  const gp::VarianceResult variance = solution.posterior.variance(study_->domain->features(best));
  report.num_clamped += variance.num_clamped;
  report.best_stddev = std::sqrt(variance.variance[0]);
  if (closes()) return;
  Trim& trim = closed.trim;
  closed.has_trim = true;
  trim.epoch = epoch_;
  trim.public_slots = solution.cut.public_slots;
  trim.weights = solution.cut.weights;
  trim.format = solution.cut.format;
  trim.tau = cut.tau;
  trim.excluded = absent(*study_, closed);
  const Model& before = view_->model(epoch_);
  if (inducing.model.kernel != before.kernel ||
      inducing.model.reward_offset != before.reward_offset) {
    trim.learned = inducing.model;
  }
  region::Region next = region.trimmed(
      std::make_shared<const region::Cut>(inducing.model.kernel, inducing.model.reward_offset,
                                          solution.cut.features, trim.weights, trim.tau),
      cut.sums);
  const numeric::Points starts =
      choose_sampler(*view_, epoch_, next, pool(), report.best_point, report, trim);
  view_->apply(trim, std::move(next), starts);
}

EpochClosed Coordinator::begin_closing(const std::vector<std::uint32_t>& participants) {
  EpochClosed closed;
  closed.epoch = epoch_;
  closed.participants = participants;
  closed.report = open_report_;
  closed.has_report = sends_values();
  settle_participation(participants, closed.report);
  return closed;
}

EpochClosed Coordinator::compute_closing(const std::vector<std::uint32_t>& participants) {
  EpochClosed closed = begin_closing(participants);
  if (sends_values()) {
    const std::optional<gp::Parameters> learned = learn(closed.report);
    const ResolvedInducing inducing = inducing_with(learned, closed.report);
    cut_region(inducing, solve(inducing, participants, closed.report), closed);
  }
  return closed;
}

// No usable rewards give a larger number: a projection adds up at most one product of the variance
// and a reward without its level for each query.
double Coordinator::largest_usable_number() const {
  const ResolvedInducing& inducing = view_->inducing(epoch_);
  if (inducing.message.upload == UploadKind::kRewards) return kLargestReward;
  const std::uint32_t most = stage_of(*study_, epoch_).horizon;
  return 2.0 * most * inducing.model.kernel.variance * kLargestReward;
}

// Everything computed from messages is linear in them or scales with a power of them, so only a
// message of another order of magnitude can be what closing fails on: than any rewards allow, or
// than most others.
std::vector<std::uint32_t> Coordinator::outliers(
    const std::vector<std::uint32_t>& participants) const {
  std::vector<double> sizes;
  sizes.reserve(participants.size());
  for (const std::uint32_t a : participants) sizes.push_back(largest_number(taken_.at(AgentId{a})));
  const auto above = [&](double bound) {
    std::vector<std::uint32_t> found;
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      if (sizes[i] > bound) found.push_back(participants[i]);
    }
    return found;
  };
  std::vector<std::uint32_t> impossible = above(largest_usable_number());
  if (!impossible.empty() && impossible.size() < participants.size()) return impossible;
  std::vector<double> sorted = sizes;
  const auto median = sorted.begin() + static_cast<std::ptrdiff_t>((sorted.size() - 1) / 2);
  std::nth_element(sorted.begin(), median, sorted.end());
  return above(*median * kOutlierFactor);
}

EpochClosed Coordinator::close_without_outliers(const std::vector<std::uint32_t>& participants,
                                                Effects& effects) {
  try {
    return compute_closing(participants);
  } catch (const base::Error& error) {
    const bool by_numbers = sends_values() && (error.kind() == base::ErrorKind::kNumeric ||
                                               error.kind() == base::ErrorKind::kInvalid);
    const std::vector<std::uint32_t> found =
        by_numbers ? outliers(participants) : std::vector<std::uint32_t>{};
    if (found.empty()) throw;
    std::vector<std::uint32_t> others;
    std::ranges::set_difference(participants, found, std::back_inserter(others));
    EpochClosed closed = compute_closing(others);
    for (const std::uint32_t a : found) {
      effects.events.push_back(MessageLeftOut{AgentId{a}, epoch_, error.what()});
    }
    return closed;
  }
}

void Coordinator::finish_epoch(const std::vector<std::uint32_t>& participants, Effects& effects) {
  EpochClosed closed = close_without_outliers(participants, effects);
  advance_digests(closed);
  for (const Message& message : broadcasts(*study_, closed)) {
    effects.messages.push_back({std::nullopt, message});
  }
  effects.records.push_back(closed);
  effects.events.push_back(EpochEnded{epoch_, closed.has_report, !closes(), closed.report});
  apply_closed(closed);
  if (finished_) {
    effects.events.push_back(StudyFinished{});
  } else {
    open_epoch(effects);
  }
}

}  // namespace duets::protocol
