#include "duets/lab/comparison_text.h"

#include <algorithm>

#include "duets/report/chart_number.h"

namespace duets::lab {
namespace {

constexpr const char* kPlusMinus = " \xC2\xB1 ";  // U+00B1
constexpr int kDigits = 3;

bool consecutive(const std::vector<std::uint64_t>& seeds) {
  for (std::size_t i = 1; i < seeds.size(); ++i) {
    if (seeds[i] != seeds[i - 1] + 1) return false;
  }
  return true;
}

}  // namespace

std::string interval_text(const std::optional<Interval>& interval) {
  if (!interval) return "none";
  return report::plain_number(interval->low, kDigits) + " to " +
         report::plain_number(interval->high, kDigits);
}

std::string difference_text(const PairedDifference& difference) {
  const std::string mean = report::plain_number(difference.mean, kDigits);
  if (!difference.interval) return mean + ", no interval from one run";
  return mean + ", interval " + interval_text(difference.interval);
}

std::string beta_text(const ContenderAnalysis& contender) {
  return contender.beta ? report::plain_number(*contender.beta) : report::kDash;
}

std::string mean_text(const Summary& summary) {
  const std::string mean = report::plain_number(summary.mean, kDigits);
  const std::optional<double> error = summary.standard_error();
  return error ? mean + kPlusMinus + report::plain_number(*error, 2) : mean;
}

std::string communication_text(const ContenderAnalysis& contender, Ledger ledger) {
  if (!contender.counts_communication()) return report::kDash;
  return report::plain_number(contender.communication[static_cast<std::size_t>(ledger)].mean,
                              kDigits);
}

std::string list_text(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (i > 0) out += i + 1 == words.size() ? " and " : ", ";
    out += words[i];
  }
  return out;
}

std::string seeds_text(const std::vector<std::uint64_t>& seeds) {
  const std::string count = std::to_string(seeds.size()) + (seeds.size() == 1 ? " run" : " runs");
  if (seeds.size() == 1) return count + " (seed " + std::to_string(seeds.front()) + ")";
  std::string which;
  if (seeds.size() > 2 && consecutive(seeds)) {
    which = std::to_string(seeds.front()) + " to " + std::to_string(seeds.back());
  } else {
    for (const std::uint64_t seed : seeds)
      which += (which.empty() ? "" : ", ") + std::to_string(seed);
  }
  return count + " (seeds " + which + ")";
}

std::string function_title(const std::string& function) {
  if (function == "branin") return "Branin";
  if (function == "hartmann4") return "Hartmann-4D";
  if (function == "hartmann6") return "Hartmann-6D";
  return function;
}

}  // namespace duets::lab
