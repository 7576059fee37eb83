#include "duets/cli/commands.h"

#include <fmt/format.h>
#include <fmt/ostream.h>

#include <iostream>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/config_check.h"
#include "duets/cli/json_text.h"
#include "duets/cli/print_to.h"
#include "duets/cli/study_file.h"
#include "duets/report/csv.h"
#include "duets/report/table_json.h"

namespace duets::cli {

void tell(const CommonFlags& flags, const std::string& text) {
  if (flags.verbosity != Verbosity::kQuiet) print_to(stderr, "{}\n", text);
}

void check_config(const CommonFlags& flags, const Extensions& extensions) {
  const StudyFile file = load_study(flags.study, {flags.seed, extensions.functions});
  const ConfigCheck result = check(file);
  if (flags.format == Format::kJson) {
    std::cout << config_json(file, result);
    return;
  }
  if (flags.format == Format::kTable) std::cout << table_text(result.facts);
  if (flags.format == Format::kCsv) {
    for (const auto& [name, value] : result.facts) {
      std::cout << report::csv_field(name) << "," << report::csv_field(value) << "\n";
    }
  }
  std::cout << std::flush;
  for (const ConfigWarning& warning : result.warnings) tell(flags, "warning: " + warning.text);
  tell(flags, result.warnings.empty()
                  ? "no warnings"
                  : base::count_text(result.warnings.size(), "warning", "warnings"));
}

void print_list(Format format, const Extensions& extensions) {
  struct Line {
    std::string kind, name, description;
  };
  std::vector<Line> lines;
  for (const lab::Algorithm& algorithm : all_algorithms(extensions)) {
    lines.push_back({"algorithm", algorithm.key, algorithm.description});
  }
  for (const problems::ProblemInfo& info : problems::problem_list()) {
    lines.push_back({"function", std::string(info.name), std::string(info.description)});
  }
  for (const OwnFunction& own : extensions.functions) {
    lines.push_back({"function", own.name, own.description});
  }
  const report::Columns<Line> columns = {
      {"kind", &Line::kind}, {"name", &Line::name}, {"description", &Line::description}};
  const report::Table table = report::make_table(columns, lines);
  if (format == Format::kJson) std::cout << json_text(report::to_json(table));
  if (format == Format::kCsv) std::cout << report::to_csv(table);
  if (format != Format::kTable) return;
  for (const auto& [kind, name, text] : lines) {
    fmt::print(std::cout, "{:<11}{:<24}{}\n", kind, name, text);
  }
}

void print_version(Format format) {
  if (format == Format::kJson) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : build_facts()) json[name] = value;
    std::cout << json_text(json);
    return;
  }
  if (format == Format::kCsv) {
    std::cout << "name,value\n";
    for (const auto& [name, value] : build_facts()) {
      fmt::print(std::cout, "{},{}\n", name, report::csv_field(value));
    }
    return;
  }
  fmt::print(std::cout, "duets {}\n", version());
  for (const auto& [name, value] : build_facts()) {
    if (name != "version") fmt::print(std::cout, "{:<14}{}\n", name, value);
  }
}

}  // namespace duets::cli
