#include "duets/harness/self_tuning_page.h"

#include <fmt/format.h>

#include "duets/harness/comparison_text.h"
#include "duets/harness/report_page_html.h"
#include "duets/harness/self_tuning_figure.h"
#include "duets/harness/self_tuning_tables.h"

namespace duets::harness {
namespace {

Markup facts_section(const ComparisonPage& page_facts) {
  return section(
      "What was run",
      join(
          {paragraph(text(fmt::format(
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
           facts_table(page_facts.facts)}));
}

// Regret with its error, then the ratios of each preset.
Markup functions_section(const SelfTuningAnalysis& analysis, const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::vector<std::string> names = presets_in(*tasks.front());
  Table rows{.caption = text("Regret with its standard error; below, ratios of mean regret and "
                             "mean reals (paper ledger) to DisKernelUCB, with 95 % intervals."),
             .head = {text("function"), text("DisKernelUCB"), text("its reals")},
             .rows = {}};
  for (const std::string& name : names) {
    rows.head.push_back(text(name));
    rows.head.push_back(text("regret ratio"));
    rows.head.push_back(text("reals ratio"));
  }
  for (const SelfTuningTask* task : tasks) {
    const SelfTuningEntry& rival = task->entries.front();
    std::vector<Markup> row{text(function_title(task->function)),
                            text(fmt::format("{} ({})", mean_text(rival.regret), rival.setting)),
                            number(rival.communication[0].mean)};
    for (const std::string& name : names) {
      const SelfTuningEntry& entry = *task->find(name);
      row.push_back(text(mean_text(entry.regret)));
      row.push_back(text(ratio_text(entry.ratios[0])));
      row.push_back(text(ratio_text(entry.ratios[1])));
    }
    rows.rows.push_back(std::move(row));
  }
  return section(fmt::format("{}: {}", condition, find_condition(condition).title), table(rows));
}

Markup figure_section(const SelfTuningAnalysis& analysis) {
  return section("Regret and communication",
                 {"<figure>\n" + self_tuning_figure(analysis) + "<figcaption>" +
                  text("Lower and further left is better. On the line a preset has the regret of "
                       "DisKernelUCB with the settings that turned out best.")
                      .html +
                  "</figcaption>\n</figure>\n"});
}

Markup means_section(const SelfTuningAnalysis& analysis) {
  Table rows{.caption = text("Geometric means over functions of the ratios to DisKernelUCB."),
             .head = {text("condition"), text("functions"), text("preset"), text("regret"),
                      text("reals, paper"), text("every link")},
             .rows = {}};
  for (const SelfTuningMean& mean : analysis.means) {
    if (mean.reference != kRivalName) continue;
    rows.rows.push_back({text(find_condition(mean.condition).title),
                         text(fmt::format("{} ({})", mean.functions, mean.group)), text(mean.name),
                         text(ratio_text(mean.ratios[0])), text(ratio_text(mean.ratios[1])),
                         text(ratio_text(mean.ratios[2]))});
  }
  return section("All conditions", table(rows));
}

Markup ingredients_section(const SelfTuningAnalysis& analysis) {
  Table rows{.caption = text("Geometric means over functions of the ratios to \"auto\": above 1, "
                             "the change makes it worse."),
             .head = {text("change"), text("functions"), text("regret"), text("reals, paper"),
                      text("every link")},
             .rows = {}};
  for (const SelfTuningMean& mean : analysis.means) {
    if (mean.reference == kRivalName) continue;
    rows.rows.push_back({text(mean.name), text(fmt::format("{} ({})", mean.functions, mean.group)),
                         text(ratio_text(mean.ratios[0])), text(ratio_text(mean.ratios[1])),
                         text(ratio_text(mean.ratios[2]))});
  }
  if (rows.rows.empty()) return {};
  return section("What each ingredient contributes", table(rows));
}

Markup method_section(const SelfTuningAnalysis& analysis) {
  return section(
      "Method",
      paragraph(text(fmt::format(
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
  Markup body = element("h1", text(page_facts.title));
  if (!page_facts.lead.empty()) {
    body.html += "<p class=\"lead\">" + text(page_facts.lead).html + "</p>\n";
  }
  body = join({body, facts_section(page_facts), figure_section(analysis), means_section(analysis),
               ingredients_section(analysis)});
  for (const std::string& condition : analysis.conditions()) {
    body.html += functions_section(analysis, condition).html;
  }
  return page(page_facts.title, join({body, method_section(analysis)}));
}

}  // namespace duets::harness
