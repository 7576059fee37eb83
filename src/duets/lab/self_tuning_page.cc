#include "duets/lab/self_tuning_page.h"

#include <fmt/format.h>

#include "duets/lab/comparison_text.h"
#include "duets/lab/self_tuning_figure.h"
#include "duets/lab/self_tuning_tables.h"
#include "duets/report/html.h"

namespace duets::lab {
namespace {

report::Markup self_tuning_facts_section(const ComparisonPage& page_facts) {
  return report::section(
      "What was run",
      report::join(
          {report::paragraph(report::text(fmt::format(
               "Unless a condition says otherwise: ten agents, 50 queries each, 2000 candidates on "
               "the sphere (h1, h2) or in the cube, fresh for each seed; noise of deviation 0.2; "
               "regret against the best candidate (on boxes and balls against the optimum, where "
               "DisKernelUCB starts from 2000 points and climbs). DisKernelUCB (D = 10) is given "
               "the beta and the "
               "lambda that turn out best for each function, and with preset \"paper\" (beta = {}) "
               "the length scales of the published study where there are any. The other presets "
               "know nothing: not the noise, not the units, and of the length scale a guess from "
               "the size of the domain. All meet the same candidates, functions and noise, so that "
               "ratios are paired.",
               kSelfTuningPaperBeta))),
           report::facts_table(page_facts.facts)}));
}

// Regret with its error, then the ratios of each preset.
report::Markup functions_section(const SelfTuningAnalysis& analysis, const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::vector<std::string> names = presets_in(*tasks.front());
  report::Table rows{
      .caption = report::text("Regret with its standard error; below, ratios of mean regret and "
                              "mean reals (paper ledger) to DisKernelUCB, with 95 % intervals."),
      .head = {report::text("function"), report::text("DisKernelUCB"), report::text("its reals")},
      .rows = {}};
  for (const std::string& name : names) {
    rows.head.push_back(report::text(name));
    rows.head.push_back(report::text("regret ratio"));
    rows.head.push_back(report::text("reals ratio"));
  }
  for (const SelfTuningTask* task : tasks) {
    const SelfTuningEntry& rival = task->entries.front();
    std::vector<report::Markup> row{
        report::text(function_title(task->function)),
        report::text(fmt::format("{} ({})", mean_text(rival.regret), rival.setting)),
        report::number(rival.communication[0].mean)};
    for (const std::string& name : names) {
      const SelfTuningEntry& entry = *task->find(name);
      row.push_back(report::text(mean_text(entry.regret)));
      row.push_back(report::text(ratio_text(entry.ratios[0])));
      row.push_back(report::text(ratio_text(entry.ratios[1])));
    }
    rows.rows.push_back(std::move(row));
  }
  return report::section(fmt::format("{}: {}", condition, find_condition(condition).title),
                         report::table(rows));
}

report::Markup figure_section(const SelfTuningAnalysis& analysis) {
  return report::section(
      "Regret and communication",
      {"<figure>\n" + self_tuning_figure(analysis) + "<figcaption>" +
       report::text("Lower and further left is better. On the line a preset has the regret of "
                    "DisKernelUCB with the settings that turned out best.")
           .html +
       "</figcaption>\n</figure>\n"});
}

report::Markup means_section(const SelfTuningAnalysis& analysis) {
  report::Table rows{
      .caption = report::text("Geometric means over functions of the ratios to DisKernelUCB."),
      .head = {report::text("condition"), report::text("functions"), report::text("preset"),
               report::text("regret"), report::text("reals, paper"), report::text("every link")},
      .rows = {}};
  for (const SelfTuningMean& mean : analysis.means) {
    if (mean.reference != kRivalName) continue;
    rows.rows.push_back({report::text(find_condition(mean.condition).title),
                         report::text(fmt::format("{} ({})", mean.functions, mean.group)),
                         report::text(mean.name), report::text(ratio_text(mean.ratios[0])),
                         report::text(ratio_text(mean.ratios[1])),
                         report::text(ratio_text(mean.ratios[2]))});
  }
  return report::section("All conditions", report::table(rows));
}

report::Markup ingredients_section(const SelfTuningAnalysis& analysis) {
  report::Table rows{
      .caption = report::text("Geometric means over functions of the ratios to \"auto\": above 1, "
                              "the change makes it worse."),
      .head = {report::text("change"), report::text("functions"), report::text("regret"),
               report::text("reals, paper"), report::text("every link")},
      .rows = {}};
  for (const SelfTuningMean& mean : analysis.means) {
    if (mean.reference == kRivalName) continue;
    rows.rows.push_back(
        {report::text(mean.name), report::text(fmt::format("{} ({})", mean.functions, mean.group)),
         report::text(ratio_text(mean.ratios[0])), report::text(ratio_text(mean.ratios[1])),
         report::text(ratio_text(mean.ratios[2]))});
  }
  if (rows.rows.empty()) return {};
  return report::section("What each ingredient contributes", report::table(rows));
}

report::Markup method_section(const SelfTuningAnalysis& analysis) {
  return report::section(
      "Method",
      report::paragraph(report::text(fmt::format(
          "{}; stress cases and continuous domains have the first 20 of them. A ratio is that of "
          "two means over the same seeds; its interval is a bootstrap-t interval of the logarithm, "
          "to first order in how each seed pulls at the two means. Geometric means take the "
          "functions as given: the intervals speak of other seeds, not of other functions. Each "
          "interval holds by itself, at 95 %. The best setting of DisKernelUCB was chosen on the "
          "same runs, which favours it.",
          seeds_text(analysis.seeds)))));
}

}  // namespace

std::string self_tuning_html(const SelfTuningAnalysis& analysis, const ComparisonPage& page_facts) {
  report::Markup body = report::element("h1", report::text(page_facts.title));
  if (!page_facts.lead.empty()) {
    body.html += "<p class=\"lead\">" + report::text(page_facts.lead).html + "</p>\n";
  }
  body = report::join({body, self_tuning_facts_section(page_facts), figure_section(analysis),
                       means_section(analysis), ingredients_section(analysis)});
  for (const std::string& condition : analysis.conditions()) {
    body.html += functions_section(analysis, condition).html;
  }
  return report::page(page_facts.title, report::join({body, method_section(analysis)}));
}

}  // namespace duets::lab
