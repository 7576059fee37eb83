#include "duets/lab/findings.h"

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

report::Value low_of(const std::optional<Interval>& interval) {
  return interval ? report::Value(interval->low) : report::Value();
}

report::Value high_of(const std::optional<Interval>& interval) {
  return interval ? report::Value(interval->high) : report::Value();
}

}  // namespace duets::lab
