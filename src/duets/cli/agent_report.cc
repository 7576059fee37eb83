#include "duets/cli/agent_report.h"

#include <fmt/format.h>

#include "duets/cli/json_text.h"
#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"

namespace duets::cli {
namespace {

const char* outcome(const AgentReport& report) { return report.finished ? "finished" : "stopped"; }

std::string reports_json(const std::vector<AgentReport>& reports) {
  auto list = nlohmann::ordered_json::array();
  for (const AgentReport& r : reports) {
    list.push_back({{"study", r.study},
                    {"agent", r.agent},
                    {"outcome", outcome(r)},
                    {"answers", r.answers},
                    {"infeasible", r.infeasible},
                    {"holes", r.holes}});
  }
  return json_text(list);
}

}  // namespace

AgentReport report_of(const std::filesystem::path& journals, const std::string& study,
                      std::uint32_t agent, bool finished) {
  using Kind = service::JournalTrial::Kind;
  AgentReport report{.study = study, .agent = agent, .finished = finished};
  const auto contents = service::read_agent_journal(journals / service::journal_name(study, agent));
  for (const service::JournalTrial& trial : contents.trials) {
    if (trial.kind == Kind::kValue) ++report.answers;
    if (trial.kind == Kind::kInfeasible) ++report.infeasible;
    if (trial.kind == Kind::kHole) ++report.holes;
  }
  return report;
}

std::string reports_text(const std::vector<AgentReport>& reports, Format format) {
  if (format == Format::kJson) return reports_json(reports);
  if (format != Format::kCsv) return {};
  std::string text = "study,agent,outcome,answers,infeasible,holes\n";
  for (const AgentReport& r : reports) {
    text += fmt::format("{},{},{},{},{},{}\n", r.study, r.agent, outcome(r), r.answers,
                        r.infeasible, r.holes);
  }
  return text;
}

}  // namespace duets::cli
