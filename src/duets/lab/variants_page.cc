#include "duets/lab/variants_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/lab/comparison_text.h"
#include "duets/lab/variants_figure.h"
#include "duets/lab/variants_tables.h"
#include "duets/report/html.h"

namespace duets::lab {
namespace {

report::Markup variants_facts_section(const ComparisonPage& page_facts) {
  return report::section(
      "What was run",
      report::join(
          {report::paragraph(report::text(fmt::format(
               "Ten agents, 50 queries each, 2000 candidates on the sphere (h1, h2) or in the "
               "cube, fresh for each seed; noise of deviation 0.2, lambda = 0.2; regret against "
               "the best candidate. Every variant of DUETS runs with beta = {} on every function "
               "and the printed cut; presets have settings of their own and guess the length "
               "scale. DisKernelUCB is given the beta that turns out best for each "
               "function and each D, an advantage that no variant has. All meet the same "
               "candidates, functions and noise, so that differences are paired.",
               kVariantBeta))),
           report::facts_table(page_facts.facts)}));
}

report::Markup figure_section(const VariantsAnalysis& analysis) {
  return report::section(
      "The frontier",
      {"<figure>\n" + variants_figure(analysis) + "<figcaption>" +
       report::text(
           "Lower and further left is better. Marks are variants of DUETS (several upload rules "
           "share one mark's shape: they differ in reals only). The dashed line joins the "
           "thresholds of DisKernelUCB that no other one beats in both means. A disc lies "
           "under an entry when, for every other one, paired runs establish that it has more "
           "regret or sends more.")
           .html +
       "</figcaption>\n</figure>\n"});
}

// Variants of which the same is left, together.
report::Markup theorems_list() {
  std::vector<std::pair<std::string, std::string>> lines;  // what is left, variants
  for (const Variant& variant : duets_variants()) {
    const std::string left = theorem_left(variant);
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == left; });
    if (same == lines.end()) {
      lines.emplace_back(left, variant.name);
    } else {
      same->second += ", " + std::string(variant.name);
    }
  }
  report::Markup items;
  for (const auto& [left, names] : lines) {
    items.html +=
        report::element("li", report::join({{"<strong>" + report::text(names).html + "</strong>: "},
                                            report::text(left)}))
            .html;
  }
  return {"<ul>\n" + items.html + "</ul>\n"};
}

report::Markup costs_section() {
  report::Table costs{
      .caption = report::text("Exchanges are fixed before the first query."),
      .head = {report::text("variant"), report::text("epochs at T = 50"), report::text("exchanges"),
               report::text("at T = 12800"), report::text("growth")},
      .rows = {}};
  for (const Variant& variant : duets_variants()) {
    costs.rows.push_back({report::text(variant.name), report::text(epochs_text(variant)),
                          report::number(static_cast<double>(num_exchanges(variant, 50))),
                          report::number(static_cast<double>(num_exchanges(variant, 12800))),
                          report::text(exchange_growth(variant))});
  }
  return report::section(
      "Costs",
      report::join({report::table(costs),
                    report::paragraph(report::text(
                        "An exchange is one broadcast of S, one upload of every agent and one "
                        "broadcast of w and tau. Uploads of rewards give the coordinator the "
                        "same bits as projections, so they change reals and nothing else; they "
                        "show the rewards, which projections do not.")),
                    report::paragraph(report::text(
                        "What the paper's theorem would still say with its own width of the "
                        "cut. As run here, with a tuned beta, nothing is promised to any of "
                        "them.")),
                    theorems_list()}));
}

report::Markup standing_cell(const VariantResult& result) {
  if (result.standing != Standing::kDominated) return report::text(standing_text(result.standing));
  return report::text("dominated by " + result.dominated_by);
}

report::Markup results_section(const VariantsTask& task) {
  report::Table rows{
      .caption = report::text("Means over seeds; regret with its standard error."),
      .head = {report::text("variant or rival"), report::text("beta"), report::text("regret"),
               report::text("reals, paper"), report::text("uplink of all"),
               report::text("every link"), report::text("standing")},
      .rows = {}};
  for (const VariantResult& result : task.results) {
    rows.rows.push_back({report::text(result.label()), report::number(result.beta),
                         report::text(mean_text(result.regret)),
                         report::number(result.communication[0].mean),
                         report::number(result.communication[1].mean),
                         report::number(result.communication[2].mean), standing_cell(result)});
  }
  return report::section(function_title(task.function), report::table(rows));
}

report::Markup method_section(const VariantsAnalysis& analysis) {
  return report::section(
      "Method",
      report::paragraph(report::text(fmt::format(
          "{}. Differences are paired by seed; intervals are Student's t at a family-wise 95 % "
          "over both measures and all rivals of an entry (Bonferroni). \"frontier\": every rival "
          "has more regret or sends more, established. \"dominated\": some rival has less of one "
          "and, established or bit for bit equal, not more of the other. \"open\": these runs "
          "decide neither. Standings use the paper's ledger (mean uplink of an agent plus every "
          "broadcast once). The best beta of DisKernelUCB was chosen on the same runs.",
          seeds_text(analysis.seeds)))));
}

}  // namespace

std::string variants_html(const VariantsAnalysis& analysis, const ComparisonPage& page_facts) {
  report::Markup body = report::element("h1", report::text(page_facts.title));
  if (!page_facts.lead.empty()) {
    body.html += "<p class=\"lead\">" + report::text(page_facts.lead).html + "</p>\n";
  }
  body = report::join(
      {body, variants_facts_section(page_facts), figure_section(analysis), costs_section()});
  for (const VariantsTask& task : analysis.tasks) body.html += results_section(task).html;
  return report::page(page_facts.title, report::join({body, method_section(analysis)}));
}

}  // namespace duets::lab
