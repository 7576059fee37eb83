#include "duets/lab/findings.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/lab/prose.h"

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

report::Table ask_tell_table(const std::vector<AskTellRow>& rows) {
  using R = AskTellRow;
  report::Columns<R> columns = {{"task", &R::task, "task"},
                                {"function", &R::function, "function"},
                                {"agents", [](const R& r) { return r.size.agents; }, "N"},
                                {"horizon", [](const R& r) { return r.size.horizon; }, "T"},
                                {"dimension", [](const R& r) { return r.size.dimension; }, "d"},
                                {"rounds", [](const R& r) { return r.size.horizon; }, "rounds"}};
  for (const Ledger ledger : kLedgers) {
    const std::string name(base::name_of(ledger));
    columns.push_back({"communication_" + name,
                       [ledger](const R& r) { return r.size.reals(ledger); }, "reals: " + name});
  }
  return make_table(columns, rows, prose().line("ask-tell: costs"));
}

}  // namespace duets::lab
