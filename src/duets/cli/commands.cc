#include "duets/cli/commands.h"

#include <iostream>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/build_info.h"
#include "duets/cli/config_check.h"
#include "duets/cli/json_text.h"
#include "duets/cli/print_to.h"
#include "duets/cli/study_file.h"
#include "duets/report/table.h"
#include "duets/study/fields.h"

namespace duets::cli {

void tell(const CommonFlags& flags, const std::string& text) {
  if (flags.verbosity != Verbosity::kQuiet) print_to(stderr, "{}\n", text);
}

void check_config(const CommonFlags& flags, const Extensions& extensions) {
  const StudyFile file =
      load_study(flags.study, {flags.seed, extensions.functions, /*measures=*/true});
  const ConfigCheck result = check(file);
  if (flags.format == Format::kJson) {
    std::cout << config_json(file, result);
    return;
  }
  const Rows facts = config_rows(file, result);
  std::cout << (flags.format == Format::kCsv ? report::to_csv(report::facts_table(facts))
                                             : table_text(facts))
            << std::flush;
  for (const ConfigWarning& warning : result.warnings) tell(flags, "warning: " + warning.text);
  tell(flags, result.warnings.empty()
                  ? "no warnings"
                  : base::count_text(result.warnings.size(), "warning", "warnings"));
}

void print_keys(Format format) {
  using study::KeyReference;
  std::vector<KeyReference> keys = study::reference();
  for (KeyReference& key : keys) {
    for (std::string* text : {&key.value, &key.usual}) std::erase(*text, '`');
  }
  if (format != Format::kTable) {
    const report::Columns<KeyReference> columns = {{"table", &KeyReference::table},
                                                   {"key", &KeyReference::key},
                                                   {"value", &KeyReference::value},
                                                   {"default", &KeyReference::usual}};
    std::cout << formatted(report::make_table(columns, keys), format);
    return;
  }
  std::string table;
  for (const KeyReference& key : keys) {
    if (key.table != table) std::cout << (table.empty() ? "" : "\n") << "[" << key.table << "]\n";
    table = key.table;
    std::cout << key.key << "\n    " << key.value << "\n";
    if (key.usual.empty()) continue;
    std::cout << "    " << (key.usual.starts_with("required") ? "" : "default: ") << key.usual
              << "\n";
  }
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
  const report::Columns<Line> columns = {{"kind", &Line::kind, "kind"},
                                         {"name", &Line::name, "name"},
                                         {"description", &Line::description, "description"}};
  std::cout << formatted(report::make_table(columns, lines), format);
}

void print_version(Format format) {
  Rows facts = build_facts();
  if (format == Format::kJson) {
    nlohmann::ordered_json json;
    for (const auto& [name, value] : facts) json[name] = value;
    std::cout << json_text(json);
    return;
  }
  if (format == Format::kCsv) {
    std::cout << report::to_csv(report::facts_table(facts));
    return;
  }
  std::erase_if(facts, [](const auto& fact) { return fact.first == "version"; });
  std::cout << "duets " << version() << "\n" << table_text(facts);
}

}  // namespace duets::cli
