#include "duets/cli/agent_report.h"

#include "duets/report/table.h"
#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"

namespace duets::cli {
namespace {

report::Columns<AgentReport> agent_report_columns() {
  using R = AgentReport;
  return {{"study", &R::study},
          {"agent", &R::agent},
          {"outcome", [](const R& r) { return r.finished ? "finished" : "stopped"; }},
          {"answers", &R::answers},
          {"infeasible", &R::infeasible},
          {"holes", &R::holes}};
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
  if (format == Format::kTable) return {};
  return formatted(report::make_table(agent_report_columns(), reports), format);
}

}  // namespace duets::cli
