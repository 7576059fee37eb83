#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "duets/cli/json_text.h"
#include "duets/cli/result_tables.h"
#include "duets/cli/verify_command.h"

namespace duets::cli {
namespace {

using protocol::Finding;
using protocol::Verification;

constexpr std::size_t kShown = 5;

std::string table(const Verification& verification) {
  struct Epoch {
    std::size_t checks = 0;
    std::size_t wrong = 0;
    double share = 0;  ///< the largest difference, of what is tolerated
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
  std::string text = "epoch  checks  wrong  largest difference / tolerance\n";
  for (const auto& [number, epoch] : epochs) {
    text += fmt::format("{:>5}  {:>6}  {:>5}  {:.2g}\n", number, epoch.checks, epoch.wrong,
                        epoch.share);
  }
  text += details;
  if (num_wrong > kShown) {
    text += fmt::format("and {} more; --format csv shows all\n", num_wrong - kShown);
  }
  text += verification.finished ? "the records go to the end of the study\n"
                                : "the records do not go to the end of the study\n";
  return text;
}

std::string csv(const Verification& verification) {
  std::string text = "epoch,what,recorded,recomputed,difference,tolerance,ok\n";
  for (const Finding& f : verification.findings) {
    text += fmt::format("{},{},{},{},{},{},{}\n", base::value(f.epoch), csv_field(f.what),
                        csv_field(f.recorded), csv_field(f.recomputed), f.difference, f.tolerance,
                        f.ok ? 1 : 0);
  }
  return text;
}

std::string json(const Verification& verification) {
  nlohmann::ordered_json json;
  json["ok"] = verification.ok();
  json["finished"] = verification.finished;
  json["records"] = verification.num_checked;
  json["findings"] = nlohmann::ordered_json::array();
  for (const Finding& f : verification.findings) {
    json["findings"].push_back({{"epoch", base::value(f.epoch)},
                                {"what", f.what},
                                {"recorded", f.recorded},
                                {"recomputed", f.recomputed},
                                {"difference", f.difference},
                                {"tolerance", f.tolerance},
                                {"ok", f.ok}});
  }
  return json_text(json);
}

}  // namespace

std::string verified_text(const Verification& verification, std::size_t num_answers) {
  return fmt::format(
      "verified: {} checks of {} records; points, digests, inducing sets, weights and cuts follow "
      "from the study and the secret\n{}\nnot checked: study.toml, trials.csv and the other "
      "tables; "
      "they only repeat journal.bin and the agents' journals\n",
      verification.findings.size(), verification.num_checked,
      num_answers > 0
          ? fmt::format("uploads were compared with {} answers of the agents' journals",
                        num_answers)
          : "uploads were taken as recorded: --trials JOURNAL... compares them with the answers");
}

std::string findings_text(const Verification& verification, Format format) {
  switch (format) {
    case Format::kJson:
      return json(verification);
    case Format::kCsv:
      return csv(verification);
    case Format::kTable:
      break;
  }
  return table(verification);
}

}  // namespace duets::cli
