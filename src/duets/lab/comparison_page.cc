#include "duets/lab/comparison_page.h"

#include <algorithm>

#include "duets/lab/claims.h"
#include "duets/lab/comparison_figure.h"
#include "duets/lab/comparison_page_sections.h"
#include "duets/lab/comparison_text.h"
#include "duets/report/html.h"

namespace duets::lab {
namespace {

void add_new(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

void add_fact(report::Table& table, std::string_view name, const report::Markup& value) {
  table.rows.push_back({report::text(name), value});
}

// What the analysis itself knows about the runs.
void add_known_facts(report::Table& table, const Analysis& analysis) {
  std::vector<std::string> functions;
  std::vector<std::string> algorithms;
  std::size_t runs = 0;
  for (const TaskAnalysis& task : analysis.tasks) {
    add_new(functions, function_title(task.function));
    for (const GridAnalysis& grid : task.grids) add_new(algorithms, grid.label);
    runs += task.contenders.size() * analysis.seeds.size();
  }
  add_fact(table, "presets", report::text(list_text(analysis.presets())));
  add_fact(table, "functions", report::text(list_text(functions)));
  add_fact(table, "algorithms", report::text(list_text(algorithms)));
  add_fact(table, "runs of each setting", report::text(seeds_text(analysis.seeds)));
  add_fact(table, "runs in all", report::number(static_cast<double>(runs), 9));
}

std::string preset_description(const std::string& preset) {
  if (preset == "paper") {
    return "As printed in the paper: 10 agents, 50 queries each; 2000 candidates uniform in the "
           "unit ball (h1, h2) or cube; squared exponential kernel with length scale 0.2 (Branin) "
           "or 1; noise with standard deviation 0.2; lambda 0.2; epochs by floor from T1 = 2; "
           "inducing points with p = min(1, 10 sigma\xC2\xB2); D = 10 (DisKernelUCB) and 20 "
           "(ApproxDisKernelUCB); regret against the best candidate; one grid of beta for all, "
           "extended below the printed one.";
  }
  if (preset == "as-plotted") {
    return "As the published curves seem to have been made: candidates on the sphere (h1, h2), "
           "epochs by ceil, T1 = 5 on Hartmann-4D, inducing points with p = c ln(N T_j)/(N T_j), "
           "c = 30, 10, 4, 16, and Branin's regret against 1.0474; otherwise as printed.";
  }
  return "";
}

report::Markup run_section(const Analysis& analysis, const ComparisonPage& given) {
  report::Table table{
      .caption = {}, .head = {report::text("what"), report::text("value")}, .rows = {}};
  for (const auto& [name, value] : given.facts) add_fact(table, name, report::text(value));
  add_known_facts(table, analysis);
  report::Markup content = report::table(table);
  for (const std::string& preset : analysis.presets()) {
    const std::string description = preset_description(preset);
    if (description.empty()) continue;
    content.html +=
        report::paragraph(
            report::join(
                {{"<strong>"}, report::text(preset), {".</strong> "}, report::text(description)}))
            .html;
  }
  return report::section("What was run", content);
}

std::string figure_caption(const Analysis& analysis, const ComparisonFigureOptions& options) {
  std::string out =
      "Top: regret summed over all agents, against the queries of each agent. Bottom: real numbers "
      "sent so far, in the " +
      std::string(ledger_name(options.ledger)) +
      " ledger (uplink of all agents, as in the published plots). Lines: mean of " +
      seeds_text(analysis.seeds) + ". ";
  if (analysis.seeds.size() > 1) out += "Shaded: one standard deviation on either side. ";
  out += options.plotted_betas
             ? "Betas are those whose curves the published figure seems to show, where the grid "
               "has them: 0.2 for DUETS, 5 for the others."
             : "Each algorithm at its best beta in hindsight.";
  if (options.published_points) {
    out +=
        " Faint dots: points read off the published figure, good to 1 or 2 % of its axes; where "
        "curves or the legend hid others there are none.";
  }
  return out;
}

report::Markup figure_section(const Analysis& analysis, const std::string& preset) {
  const ComparisonFigureOptions options = figure_options(preset);
  report::Markup content{"<figure>\n" + comparison_figure(analysis, preset, options) +
                         "<figcaption>" + report::text(figure_caption(analysis, options)).html +
                         "</figcaption>\n</figure>\n"};
  return report::section("Figure: " + preset, content);
}

}  // namespace

std::string comparison_html(const Analysis& analysis, const ComparisonPage& given) {
  report::Markup body = report::element("h1", report::text(given.title));
  if (!given.lead.empty()) {
    body.html += "<p class=\"lead\">" + report::text(given.lead).html + "</p>\n";
  }
  body.html += claims_section(judge_claims(analysis)).html;
  for (const std::string& preset : analysis.presets()) {
    body.html += figure_section(analysis, preset).html + results_section(analysis, preset).html;
  }
  body.html += published_section(analysis).html;
  for (const std::string& preset : analysis.presets()) {
    body.html += grids_section(analysis, preset).html;
  }
  body.html += run_section(analysis, given).html + methods_section(analysis).html;
  return report::page(given.title, body);
}

}  // namespace duets::lab
