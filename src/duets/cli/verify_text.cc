#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "duets/cli/json_text.h"
#include "duets/cli/verify_command.h"
#include "duets/report/table.h"
#include "duets/report/table_json.h"
#include "duets/service/wire_text.h"

namespace duets::cli {
namespace {

using protocol::Finding;
using protocol::Verification;

constexpr std::size_t kShown = 5;

// The name of an added file can be anything.
std::string shown_name(const std::string& name) { return service::clean_text(name, 100); }

std::string table(const Verification& verification, const Verdicts& files) {
  struct Epoch {
    std::size_t checks = 0;
    std::size_t wrong = 0;
    double share = 0;  ///< the largest difference, relative to its tolerance
  };
  std::map<std::uint32_t, Epoch> epochs;
  std::string details;
  std::size_t num_wrong = 0;
  for (const Finding& f : verification.findings) {
    Epoch& epoch = epochs[base::value(f.epoch)];
    ++epoch.checks;
    if (f.tolerance > 0) epoch.share = std::max(epoch.share, f.difference / f.tolerance);
    if (f.ok) continue;
    ++epoch.wrong;
    if (++num_wrong > kShown) continue;
    details += fmt::format("epoch {}: {}: recorded {}, recomputed {}", base::value(f.epoch), f.what,
                           f.recorded, f.recomputed);
    if (f.tolerance > 0) {
      details += fmt::format(" (difference {:.3g}, tolerance {:.3g})", f.difference, f.tolerance);
    }
    details += "\n";
  }
  using Row = std::pair<const std::uint32_t, Epoch>;
  const report::Columns<Row> columns = {
      {"", &Row::first, "epoch"},
      {"", [](const Row& row) { return row.second.checks; }, "checks"},
      {"", [](const Row& row) { return row.second.wrong; }, "wrong"},
      {"", [](const Row& row) { return fmt::format("{:.2g}", row.second.share); },
       "largest difference / tolerance"}};
  std::string text = report::to_text(report::make_table(columns, epochs)) + details;
  if (num_wrong > kShown) {
    text += fmt::format("and {} more; --format csv shows all\n", num_wrong - kShown);
  }
  for (const auto& [name, verdict] : files) {
    if (!verdict.wrong.empty()) text += fmt::format("{}: {}\n", shown_name(name), verdict.wrong);
  }
  if (verification.num_checked == 0) return text;
  return text + (verification.finished ? "the records go to the end of the study\n"
                                       : "the records end before the study does\n");
}

/// A comparison, of a record or of a file.
struct Check {
  std::optional<std::uint32_t> epoch;
  std::string what, recorded, recomputed;
  std::optional<double> difference, tolerance;
  bool ok = false;
};

report::Table check_table(const std::vector<Check>& checks) {
  const report::Columns<Check> columns = {{"epoch", &Check::epoch},
                                          {"what", &Check::what},
                                          {"recorded", &Check::recorded},
                                          {"recomputed", &Check::recomputed},
                                          {"difference", &Check::difference},
                                          {"tolerance", &Check::tolerance},
                                          {"ok", &Check::ok}};
  return report::make_table(columns, checks);
}

std::vector<Check> checks_of(const Verification& verification) {
  std::vector<Check> checks;
  for (const Finding& f : verification.findings) {
    checks.push_back(
        {base::value(f.epoch), f.what, f.recorded, f.recomputed, f.difference, f.tolerance, f.ok});
  }
  return checks;
}

std::string csv(const Verification& verification, const Verdicts& files) {
  std::vector<Check> checks = checks_of(verification);
  for (const auto& [name, verdict] : files) {
    const bool ok = verdict.wrong.empty();
    checks.push_back({.epoch = {},
                      .what = "file " + shown_name(name),
                      .recorded = ok ? verdict.checked : verdict.wrong,
                      .recomputed = ok ? "" : "as exported",
                      .difference = {},
                      .tolerance = {},
                      .ok = ok});
  }
  return report::to_csv(check_table(checks));
}

std::string json(const Verification& verification, const Verdicts& files) {
  using File = Verdicts::value_type;
  const report::Columns<File> columns = {
      {"file", [](const File& file) { return shown_name(file.first); }},
      {"ok", [](const File& file) { return file.second.wrong.empty(); }},
      {"wrong", [](const File& file) { return file.second.wrong; }},
      {"checked", [](const File& file) { return file.second.checked; }},
      {"only_by_digest", [](const File& file) { return file.second.only_by_digest; }}};
  nlohmann::ordered_json json;
  json["ok"] = verification.ok() && num_wrong(files) == 0;
  json["finished"] = verification.finished;
  json["records"] = verification.num_checked;
  json["findings"] = report::to_json(check_table(checks_of(verification)));
  json["files"] = report::to_json(report::make_table(columns, files));
  return json_text(json);
}

}  // namespace

std::string wrong_text(const Verification& verification, const Verdicts& files) {
  std::vector<std::string> parts;
  for (const auto& [name, verdict] : files) {
    if (verdict.wrong.empty()) continue;
    if (parts.size() < kShown)
      parts.push_back(fmt::format("{}: {}", shown_name(name), verdict.wrong));
  }
  if (const std::size_t more = num_wrong(files) - parts.size(); more > 0) {
    parts.push_back(fmt::format("and {} more files", more));
  }
  const auto is_wrong = [](const Finding& f) { return !f.ok; };
  const auto& findings = verification.findings;
  const auto first = std::find_if(findings.begin(), findings.end(), is_wrong);
  if (first != findings.end()) {
    parts.push_back(fmt::format(
        "{} of {} checks failed, the first in epoch {}: {}. Changed records or the secret "
        "of another study have this effect",
        std::count_if(first, findings.end(), is_wrong), findings.size(), base::value(first->epoch),
        first->what));
  }
  return fmt::format("{}", fmt::join(parts, "; "));
}

std::string verified_text(const Verification& verification, const Verdicts& files) {
  std::string text = fmt::format(
      "verified: {} checks of {} records; points, digests, inducing sets, weights and cuts follow "
      "from the study and the secret\n",
      verification.findings.size(), verification.num_checked);
  for (const auto& [name, verdict] : files) {
    text += fmt::format("{}: {}\n", name, verdict.checked);
    if (!verdict.only_by_digest.empty()) {
      text += fmt::format("  only by its digest: {}\n", verdict.only_by_digest);
    }
  }
  return text +
         "\"only by its digest\": someone who rewrites the file together with its digest can "
         "change "
         "it, and the export alone does not show it\n";
}

std::string findings_text(const Verification& verification, const Verdicts& files, Format format) {
  switch (format) {
    case Format::kJson:
      return json(verification, files);
    case Format::kCsv:
      return csv(verification, files);
    case Format::kTable:
      break;
  }
  return table(verification, files);
}

}  // namespace duets::cli
