#include "duets/lab/findings.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::lab {

const report::Table& Findings::table(std::string_view name) const {
  for (const NamedTable& one : tables) {
    if (one.name == name) return one.table;
  }
  base::refuse("table", std::string(name), "there is no such table");
}

report::Report begin_page(const PageHead& head) {
  return {.title = head.title, .heading = {}, .lead = report::text(head.lead), .sections = {}};
}

report::Section run_section(report::Blocks words, const PageHead& head) {
  report::Section out{.title = "What was run", .blocks = std::move(words)};
  out.blocks.push_back(report::facts_table(head.facts));
  return out;
}

report::Markup recommendation_text(const Recommendations& recommendations) {
  const Summary& regret = recommendations.regret;
  if (!regret.interval) return report::text(fmt::format("{:.3g}", regret.mean));
  return report::text(fmt::format("{:.3g} ({:.3g} to {:.3g})", regret.mean, regret.interval->low,
                                  regret.interval->high));
}

report::Markup lost_text(const Recommendations& recommendations) {
  return report::text(fmt::format("{:.0f} %", 100 * recommendations.lost));
}

report::Value low_of(const std::optional<Interval>& interval) {
  return interval ? report::Value(interval->low) : report::Value();
}

report::Value high_of(const std::optional<Interval>& interval) {
  return interval ? report::Value(interval->high) : report::Value();
}

}  // namespace duets::lab
