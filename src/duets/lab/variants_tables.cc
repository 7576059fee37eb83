#include "duets/lab/variants_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "duets/lab/comparison_text.h"

namespace duets::lab {
namespace {

constexpr std::uint32_t kHorizon = 50;

std::string variant_difference_line(const VariantsTask& task, const VariantPair& pair,
                                    std::string_view measure, const PairedDifference& difference) {
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", task.function, measure,
                     task.results[pair.first].label(), task.results[pair.second].label(),
                     difference.runs, difference.mean, or_empty(difference.stddev),
                     bounds(difference.interval), order_name(difference.order));
}

std::string cell(const VariantResult& result) {
  const char* mark = result.standing == Standing::kFrontier    ? "*"
                     : result.standing == Standing::kDominated ? "-"
                                                               : " ";
  return fmt::format("{:.0f} / {:.0f} {}", result.regret.mean, result.communication[0].mean, mark);
}

}  // namespace

std::string epochs_text(const Variant& variant) {
  const protocol::Study settings = variant_settings(variant);
  return fmt::format(
      "{}", fmt::join(protocol::epoch_lengths(settings.schedule, kHorizon, settings.t1), ", "));
}

std::size_t num_exchanges(const Variant& variant, std::uint32_t horizon) {
  const protocol::Study settings = variant_settings(variant);
  return protocol::epoch_lengths(settings.schedule, horizon, settings.t1).size() - 1;
}

std::string variants_csv(const VariantsAnalysis& analysis) {
  std::string out =
      "function,algorithm,variant,beta,runs,regret_mean,regret_std,regret_low,regret_high,"
      "communication_paper,communication_figure,communication_links,exchanges,standing,"
      "dominated_by\n";
  for (const VariantsTask& task : analysis.tasks) {
    for (const VariantResult& r : task.results) {
      const std::string exchanges =
          r.is_duets() ? fmt::format("{}", num_exchanges(find_variant(r.variant), kHorizon)) : "";
      fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
                     task.function, r.algorithm, r.variant, r.beta, r.regret.runs, r.regret.mean,
                     or_empty(r.regret.stddev), bounds(r.regret.interval), r.communication[0].mean,
                     r.communication[1].mean, r.communication[2].mean, exchanges,
                     standing_text(r.standing), r.dominated_by);
    }
  }
  return out;
}

std::string variant_differences_csv(const VariantsAnalysis& analysis) {
  std::string out = "function,measure,first,second,runs,mean,std,low,high,verdict\n";
  for (const VariantsTask& task : analysis.tasks) {
    for (const VariantPair& pair : task.pairs) {
      if (pair.first > pair.second) continue;
      out += variant_difference_line(task, pair, "regret", pair.regret);
      out += variant_difference_line(task, pair, "communication_paper", pair.reals);
    }
  }
  return out;
}

std::string variant_costs_csv() {
  std::string out = "variant,epochs,exchanges,exchange_growth,theorem_left\n";
  for (const Variant& variant : duets_variants()) {
    fmt::format_to(std::back_inserter(out), "{},\"{}\",{},{},\"{}\"\n", variant.name,
                   epochs_text(variant), num_exchanges(variant, kHorizon), exchange_growth(variant),
                   theorem_left(variant));
  }
  return out;
}

std::string variants_text(const VariantsAnalysis& analysis) {
  if (analysis.tasks.empty()) return "Nothing was run.\n";
  std::string out = fmt::format("{:<46}", "regret / reals (paper ledger)");
  for (const VariantsTask& task : analysis.tasks) {
    out += fmt::format("{:>16}", function_title(task.function));
  }
  out += "\n";
  for (const VariantResult& first : analysis.tasks.front().results) {
    out += fmt::format("{:<46}", first.label());
    for (const VariantsTask& task : analysis.tasks) {
      const VariantResult* result = task.find(first.algorithm, first.variant);
      out += fmt::format("{:>16}", result != nullptr ? cell(*result) : "");
    }
    out += "\n";
  }
  return out + fmt::format(
                   "* nobody has less of both, - somebody does: established by paired runs at "
                   "95 %, {}.\n",
                   seeds_text(analysis.seeds));
}

}  // namespace duets::lab
