// The two records of an epoch, compared field by field.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "duets/kernel/kernel.h"
#include "duets/numeric/rows.h"
#include "duets/protocol/mean_error.h"
#include "duets/protocol/short_weights.h"
#include "duets/protocol/verify_findings.h"

namespace duets::protocol {
namespace {

using numeric::Points;
using numeric::Vector;

// Which point or slot is the first that differs, in words.
std::string first_difference(const InducingSet& recorded, const InducingSet& recomputed) {
  const Eigen::Index rows = std::min(recorded.points.rows(), recomputed.points.rows());
  for (Eigen::Index i = 0; i < rows; ++i) {
    if (recorded.points.row(i) != recomputed.points.row(i)) {
      return fmt::format("; point {} differs", i);
    }
  }
  const std::size_t slots = std::min(recorded.public_slots.size(), recomputed.public_slots.size());
  for (std::size_t i = 0; i < slots; ++i) {
    if (recorded.public_slots[i] != recomputed.public_slots[i]) {
      return fmt::format("; public slot {} differs", i);
    }
  }
  return "; kind or number of points differ";
}

// How coarsely agents round comes from outside the boundary: the last bits of a deviation may halve
// or double it.
InducingSet with_exponent(InducingSet recomputed, const EpochOpened& recorded) {
  const std::optional<std::int32_t>& theirs = recorded.inducing.exponent;
  if (theirs && recomputed.exponent && std::abs(*theirs - *recomputed.exponent) <= 1) {
    recomputed.exponent = theirs;
  }
  return recomputed;
}

void compare_inducing(FindingList& out, const EpochOpened& recorded,
                      const EpochOpened& recomputed) {
  if (recorded.has_inducing != recomputed.has_inducing) {
    out.wrong("inducing set", recorded.has_inducing ? "one" : "none",
              recomputed.has_inducing ? "one" : "none");
  } else if (encode(recorded.inducing) == encode(with_exponent(recomputed.inducing, recorded))) {
    out.note("inducing set", describe(recorded.inducing), describe(recomputed.inducing));
  } else {
    out.wrong(
        "inducing set",
        describe(recorded.inducing) + first_difference(recorded.inducing, recomputed.inducing),
        describe(recomputed.inducing));
  }
}

// The numbers that say themselves how far they may differ.
void compare_tolerant(FindingList& out, const EpochReport& recorded, EpochReport& recomputed) {
  for (const ReportNumber& number : kReportNumbers) {
    if (number.tolerance == 0) continue;
    const auto compare = [&](auto member) {
      const auto theirs = static_cast<double>(recorded.*member);
      const auto ours = static_cast<double>(recomputed.*member);
      out.close_number(std::string(number.column), theirs, ours,
                       number.tolerance * (1 + std::abs(ours)));
      recomputed.*member = recorded.*member;
    };
    std::visit(compare, number.member);
  }
}

// Everything that was not compared separately: without these fields the reports must have the same
// bytes.
void compare_rest(FindingList& out, const EpochReport& recorded, EpochReport recomputed) {
  compare_tolerant(out, recorded, recomputed);
  recomputed.sigma2_max = recorded.sigma2_max;
  recomputed.width = recorded.width;
  recomputed.max_stddev = recorded.max_stddev;
  recomputed.information_gain = recorded.information_gain;
  recomputed.best_stddev = recorded.best_stddev;
  recomputed.kept_share = recorded.kept_share;
  recomputed.shortfall = recorded.shortfall;
  recomputed.lost = recorded.lost;
  recomputed.mean_error = recorded.mean_error;
  recomputed.surprise = recorded.surprise;
  // How often rounding clamped a variance, and where low-rank pivots stopped, depends on the last
  // bits.
  recomputed.num_clamped = recorded.num_clamped;
  recomputed.variance_rank = recorded.variance_rank;
  recomputed.variance_tolerance = recorded.variance_tolerance;
  recomputed.max_mean = recorded.max_mean;
  recomputed.tau = recorded.tau;
  recomputed.printed_tau = recorded.printed_tau;
  recomputed.best_point = recorded.best_point;
  recomputed.run_digest = recorded.run_digest;
  recomputed.state_digest = recorded.state_digest;
  base::ByteWriter ours;
  base::ByteWriter theirs;
  write_report(theirs, recorded);
  write_report(ours, recomputed);
  out.same_text("other numbers of the report", base::to_hex(base::digest_of(theirs.bytes())),
                base::to_hex(base::digest_of(ours.bytes())));
}

Vector mean_of(const ResolvedInducing& inducing, const Points& points, const CutForm& cut) {
  return kernel::weighted_sum(inducing.model.kernel, points, cut.features, cut.weights);
}

Vector mean_of(const ResolvedInducing& inducing, const Points& features, const Vector& weights) {
  return kernel::weighted_sum(inducing.model.kernel, features, inducing.features, weights);
}

double largest(const Vector& values) {
  return values.size() == 0 ? 0 : values.lpNorm<Eigen::Infinity>();
}

// The points at which the means of two weight vectors are compared.
Points probes(const Study& study, const PublicView& view, const ResolvedInducing& inducing) {
  const Points pool = study.domain->features(supremum_pool(view, inducing.message.epoch));
  return numeric::stacked(inducing.features, pool);
}

// How far two cuts may be apart at each point. Weights are rounded one after another: one that
// falls to the other side moves the rest, and another choice of points is as good, but no mean is
// off by more than near_enough() allows. Where there are many points they were rounded on a part of
// them, hence three times as much.
Vector allowed_difference(const Study& study, const ResolvedInducing& inducing,
                          const Points& points, const RecomputedClosing& recomputed, double tau,
                          double of_mean) {
  if (study.numbers == Numbers::kDouble) return Vector::Constant(points.rows(), of_mean);
  const Vector means = mean_of(inducing, points, recomputed.weights);
  return 3 * near_enough(means, tau, recomputed.max_stddev).array() + of_mean;
}

void compare_weights(FindingList& out, const ResolvedInducing& inducing, const Points& points,
                     const CutForm& recorded, const CutForm& recomputed, const Vector& allowed) {
  if (recorded.weights.size() != recorded.features.rows()) {
    out.wrong("weights", fmt::format("{} numbers", recorded.weights.size()),
              fmt::format("{} numbers", recorded.features.rows()));
    return;
  }
  const Vector theirs = mean_of(inducing, points, recorded);
  const Vector ours = mean_of(inducing, points, recomputed);
  Eigen::Index worst = 0;
  (theirs - ours).cwiseAbs().cwiseQuotient(allowed).maxCoeff(&worst);
  out.close_number("weights (as the mean they give)", theirs[worst], ours[worst], allowed[worst]);
}

// The last epoch sends no weights, so its maximum is not strict: the recorded point has to be as
// good as the one found here.
// Likewise: the recorded answer has to be worth what it says, and as good as the one found here.
void compare_final_point(FindingList& out, const ResolvedInducing& inducing,
                         const EpochReport& recorded, const RecomputedClosing& recomputed,
                         double of_mean, double of_stddev) {
  const double offset = inducing.model.reward_offset;
  const FinalPoint& there = recomputed.recorded_point;
  out.close_number("mean at the best point", recorded.max_mean, there.mean + offset, of_mean);
  out.close_number("deviation at the best point", recorded.best_stddev, there.stddev, of_stddev);
  out.close_number("cautious value of the best point", there.cautious() + offset,
                   recomputed.final_point->cautious(), of_mean + kCaution * of_stddev);
}

void compare_last_mean(FindingList& out, const Study& study, const ResolvedInducing& inducing,
                       const EpochReport& recorded, const RecomputedClosing& recomputed,
                       double tolerance) {
  const EpochReport& ours = recomputed.record.report;
  out.close_number("largest mean", recorded.max_mean, ours.max_mean, tolerance);
  const double of_tau =
      tolerance + 2 * recorded.width * std::abs(recorded.max_stddev - ours.max_stddev);
  out.close_number("tau", recorded.tau, ours.tau, of_tau);
  out.close_number("tau without the floor", recorded.printed_tau, ours.printed_tau, of_tau);
  if (recorded.best_point.size() != ours.best_point.size()) {
    out.wrong("best point", fmt::format("{} coordinates", recorded.best_point.size()),
              fmt::format("{} coordinates", ours.best_point.size()));
    return;
  }
  const Points point = recorded.best_point.transpose();
  const double there = mean_of(inducing, study.domain->features(point), recomputed.weights)[0] +
                       inducing.model.reward_offset;
  out.close_number("mean at the best point", there, ours.max_mean, tolerance);
}

// Several models may be equally plausible; what was recorded has to be as plausible as the best
// found here. The evidence is a sum over at most a few hundred rewards.
void compare_model(FindingList& out, const RecomputedClosing& recomputed) {
  if (!recomputed.recorded_evidence) return;
  constexpr double kOfEvidence = 1e-6;
  out.close_number("evidence of the learned model", *recomputed.recorded_evidence,
                   recomputed.own_evidence, kOfEvidence * (1 + std::abs(recomputed.own_evidence)));
}

// Rounding moves a sample by about the root of the jitter's rounding, far below this, so that the
// same share is the cheapest one.
void compare_decision(FindingList& out, const Study& study, const EpochReport& recorded,
                      const RecomputedClosing& recomputed) {
  const Decision& ours = recomputed.decision;
  const double of_samples = 1e-4 * std::sqrt(recorded.kernel.variance);
  out.close_number("expected shortfall", recorded.shortfall, ours.shortfall, of_samples);
  if (study.cut != CutRule::kDecision || recomputed.final_point) return;
  out.close_number("share that the cut keeps", recorded.kept_share, ours.share, 1e-9);
  out.close_number("expected loss of the cut", recorded.lost, ours.lost, of_samples);
}

void compare_trim(FindingList& out, const EpochClosed& recorded, const EpochClosed& recomputed) {
  const Trim& theirs = recorded.trim;
  const Trim& ours = recomputed.trim;
  out.same_number("largest mean", recorded.report.max_mean, recomputed.report.max_mean);
  out.same_vector("best point", recorded.report.best_point, recomputed.report.best_point);
  out.same_number("tau", theirs.tau, ours.tau);
  out.same_number("tau of the report", recorded.report.tau, recomputed.report.tau);
  out.same_number("tau without the floor", recorded.report.printed_tau,
                  recomputed.report.printed_tau);
  out.same_text("excluded agents", list_text(theirs.excluded), list_text(ours.excluded));
  out.same_text("sampler", describe(theirs.sampler), describe(ours.sampler));
  base::ByteWriter their_starts;
  base::ByteWriter our_starts;
  write_points(their_starts, theirs.starts);
  write_points(our_starts, ours.starts);
  if (their_starts.bytes() != our_starts.bytes()) {
    out.wrong("start points", fmt::format("{}", theirs.starts.rows()),
              fmt::format("{}, or others", ours.starts.rows()));
  }
}

}  // namespace

void compare_opening(FindingList& out, const Study& study, const EpochOpened& recorded,
                     const EpochOpened& recomputed) {
  compare_inducing(out, recorded, recomputed);
  const EpochReport& theirs = recorded.report;
  EpochReport ours = recomputed.report;
  const VerifyTolerance tolerance(study, ours, std::uint64_t{study.agents} * theirs.length);
  if (recomputed.has_inducing) {
    out.close_number("largest variance at the start", theirs.sigma2_max_open, ours.sigma2_max_open,
                     tolerance.variance(ours.sigma2_max_open));
    out.close_number("probability of joining the inducing set", theirs.p, ours.p,
                     tolerance.relative * ours.p);
    out.close_number("that probability before it is cut at 1", theirs.p_unclipped, ours.p_unclipped,
                     tolerance.relative * ours.p_unclipped);
  }
  // Compared above; a closing repeats the numbers of its opening to the bit.
  ours.sigma2_max_open = theirs.sigma2_max_open;
  ours.p = theirs.p;
  ours.p_unclipped = theirs.p_unclipped;
  compare_rest(out, theirs, ours);
}

void compare_closing(FindingList& out, const Study& study, const PublicView& view,
                     const EpochClosed& recorded, const RecomputedClosing& recomputed) {
  const EpochReport& theirs = recorded.report;
  const EpochReport& ours = recomputed.record.report;
  if (recomputed.record.has_report) {
    const VerifyTolerance tolerance(study, ours, ours.num_points);
    out.close_number("largest variance", theirs.sigma2_max, ours.sigma2_max,
                     tolerance.variance(ours.sigma2_max));
    out.close_number("width", theirs.width, recomputed.width,
                     tolerance.relative * recomputed.width);
    out.close_number("largest deviation", theirs.max_stddev, recomputed.max_stddev,
                     tolerance.stddev(recomputed.max_stddev));
    compare_decision(out, study, theirs, recomputed);
    const ResolvedInducing& inducing = recomputed.inducing;
    compare_model(out, recomputed);
    out.close_number("surprise", theirs.surprise, ours.surprise,
                     tolerance.relative * (1 + ours.surprise));
    const Points points = probes(study, view, inducing);
    const double of_mean =
        tolerance.mean(largest(mean_of(inducing, points, recomputed.weights)), ours.mean_error);
    out.close_number("information gain", theirs.information_gain, ours.information_gain,
                     tolerance.relative * (1 + ours.information_gain));
    if (!recomputed.final_point) {
      out.close_number("deviation at the best point", theirs.best_stddev, ours.best_stddev,
                       tolerance.stddev(ours.best_stddev));
    }
    if (recomputed.record.has_trim) {
      compare_weights(
          out, inducing, points, recomputed.recorded_cut, recomputed.cut,
          allowed_difference(study, inducing, points, recomputed, recorded.trim.tau, of_mean));
      const double error = estimated_mean_error(inducing.model.kernel, recorded.trim.weights);
      out.close_number("estimated error of a mean", theirs.mean_error, error,
                       tolerance.relative * error);
      compare_trim(out, recorded, recomputed.record);
    } else if (recomputed.final_point) {
      compare_final_point(out, inducing, theirs, recomputed, of_mean,
                          tolerance.stddev(recomputed.recorded_point.stddev));
    } else {
      compare_last_mean(out, study, inducing, theirs, recomputed, of_mean);
    }
  }
  compare_rest(out, theirs, ours);
  out.same_digest("run digest", recorded.run_digest, recomputed.record.run_digest);
  out.same_digest("state digest", recorded.state_digest, recomputed.record.state_digest);
  out.same_digest("run digest of the report", theirs.run_digest, recorded.run_digest);
  out.same_digest("state digest of the report", theirs.state_digest, recorded.state_digest);
}

}  // namespace duets::protocol
