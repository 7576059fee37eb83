#include "duets/protocol/verify_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>

#include "duets/base/digest.h"

namespace duets::protocol {
namespace {

constexpr double kRelative = 1e-9;
// A search stops at gains of 1e-9; two builds may stop a few of them apart.
constexpr double kRelativeSearch = 1e-6;
// Variances come from sums of numbers as large as the prior, so their rounding error is absolute.
constexpr double kOfPrior = 1e-3;
constexpr double kConditionFactor = 16 * std::numeric_limits<double>::epsilon();
constexpr double kMeanErrors = 64;

bool same_bits(double a, double b) {
  return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

std::string number_text(double value) { return fmt::format("{}", value); }

}  // namespace

void FindingList::add(Finding finding) {
  finding.epoch = epoch_;
  finding.from_answers = from_answers_;
  findings_.push_back(std::move(finding));
}

void FindingList::same_text(const std::string& what, const std::string& recorded,
                            const std::string& recomputed) {
  add({{}, what, recorded, recomputed, 0, 0, recorded == recomputed});
}

void FindingList::same_number(const std::string& what, double recorded, double recomputed) {
  add({{},
       what,
       number_text(recorded),
       number_text(recomputed),
       std::abs(recorded - recomputed),
       0,
       same_bits(recorded, recomputed)});
}

void FindingList::same_vector(const std::string& what, const numeric::Vector& recorded,
                              const numeric::Vector& recomputed) {
  Finding finding{{},
                  what,
                  fmt::format("{} numbers", recorded.size()),
                  fmt::format("{} numbers", recomputed.size()),
                  0,
                  0,
                  recorded.size() == recomputed.size()};
  for (Eigen::Index i = 0; finding.ok && i < recorded.size(); ++i) {
    if (same_bits(recorded[i], recomputed[i])) continue;
    finding.ok = false;
    finding.difference = std::abs(recorded[i] - recomputed[i]);
    finding.recorded = fmt::format("number {} is {}", i, recorded[i]);
    finding.recomputed = number_text(recomputed[i]);
  }
  add(std::move(finding));
}

void FindingList::same_digest(const std::string& what, const base::Digest& recorded,
                              const base::Digest& recomputed) {
  same_text(what, base::to_hex(recorded), base::to_hex(recomputed));
}

void FindingList::close_number(const std::string& what, double recorded, double recomputed,
                               double tolerance) {
  const double difference = std::abs(recorded - recomputed);
  add({{},
       what,
       number_text(recorded),
       number_text(recomputed),
       difference,
       tolerance,
       difference <= tolerance});
}

void FindingList::wrong(const std::string& what, const std::string& recorded,
                        const std::string& recomputed) {
  add({{}, what, recorded, recomputed, 0, 0, false});
}

void FindingList::note(const std::string& what, const std::string& recorded,
                       const std::string& recomputed) {
  add({{}, what, recorded, recomputed, 0, 0, true});
}

VerifyTolerance::VerifyTolerance(const Study& study, const EpochReport& report,
                                 std::uint64_t num_points)
    : prior(report.kernel.variance) {
  const double condition = 1 + static_cast<double>(num_points) * prior / report.lambda;
  relative = std::max(kRelative, kConditionFactor * condition);
  relative_supremum = study.domain->is_finite() ? relative : std::max(kRelativeSearch, relative);
}

double VerifyTolerance::variance(double value) const {
  return relative_supremum * (std::abs(value) + kOfPrior * prior);
}

// d sqrt(v) = dv / (2 sqrt v), or at worst sqrt(dv).
double VerifyTolerance::stddev(double value) const {
  const double of_variance = variance(value * value);
  return std::min(std::sqrt(of_variance), value > 0 ? of_variance / value : 1.0);
}

double VerifyTolerance::mean(double scale, double mean_error) const {
  return relative * scale + kMeanErrors * mean_error;
}

std::string describe(const InducingSet& set) {
  return fmt::format("{} points, {} public slots, uploads of kind {}", set.points.rows(),
                     set.public_slots.size(), static_cast<int>(set.upload));
}

std::string list_text(const std::vector<std::uint32_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, ","));
}

std::string describe(const region::SamplerSettings& settings) {
  std::string text(base::name_of(settings.method));
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    text += fmt::format(" {}={}", number.name, settings.*number.member);
  }
  return text;
}

}  // namespace duets::protocol
