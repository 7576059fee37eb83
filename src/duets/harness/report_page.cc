#include "duets/harness/report_page.h"

#include <algorithm>
#include <cstdint>
#include <map>

#include "duets/harness/report_page_tables.h"
#include "duets/report/chart_number.h"
#include "duets/report/html.h"

namespace duets::harness {
namespace {

std::string plural(std::uint64_t count, const std::string& word) {
  return report::grouped(count) + " " + word + (count == 1 ? "" : "s");
}

bool minimizes(const RunResult& result) { return result.direction == "minimize"; }

report::Markup coordinate(const RunResult& result, std::size_t i, double value) {
  const domain::ShownValue shown = domain::shown_value(result.parameters, i, value);
  if (const auto* any = std::get_if<double>(&shown)) return report::number(*any, 6);
  return report::text(domain::to_text(shown));
}

// "x1 = 0.54, x2 = 0.15"
report::Markup point(const RunResult& result, const std::vector<double>& values) {
  report::Markup out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = i < result.coordinate_names.size() ? result.coordinate_names[i]
                                                                : "x" + std::to_string(i + 1);
    if (i > 0) out.html += ", ";
    out.html += report::text(name).html + " = " + coordinate(result, i, values[i]).html;
  }
  return out;
}

report::Markup card(const std::string& kind, const std::string& title,
                    const report::Markup& content) {
  return {"<div class=\"card " + kind + "\">\n" + report::element("h3", report::text(title)).html +
          content.html + "</div>\n"};
}

report::Markup value_line(const report::Markup& content) {
  return {"<p class=\"value\">" + content.html + "</p>\n"};
}
report::Markup small(const report::Markup& content) {
  return {"<p class=\"small\">" + content.html + "</p>\n"};
}

report::Markup recommendation_card(const RunResult& result) {
  if (!result.recommendation) {
    return card(
        "first", "Recommendation",
        report::join({value_line({"none"}),
                      small({"No epoch was closed, so there is no model of the objective: the "
                             "horizon ends within the first epoch."})}));
  }
  const RecommendationView& r = *result.recommendation;
  report::Markup content = report::join({value_line(report::number(r.mean, 5)),
                                         small(report::join({{"expected value; interval from "},
                                                             report::number(r.low, 5),
                                                             {" to "},
                                                             report::number(r.high, 5)})),
                                         small(report::join({{"at "}, point(result, r.values)}))});
  if (r.true_value) {
    const bool inside = r.low <= *r.true_value && *r.true_value <= r.high;
    content.html +=
        small(report::join({{"true value there (known in a simulation): "},
                            report::number(*r.true_value, 5),
                            {inside ? ", inside the interval" : ", outside the interval"}}))
            .html;
  }
  return card("first", "Recommendation", content);
}

report::Markup best_trial_card(const RunResult& result) {
  if (!result.best_trial) {
    return card("second", "Best trial",
                report::join({value_line({"none"}), small({"No trial was told."})}));
  }
  const BestTrialView& b = *result.best_trial;
  return card(
      "second", "Best trial",
      report::join(
          {value_line(report::number(b.value, 5)),
           small({std::string(minimizes(result) ? "smallest" : "largest") +
                  " value observed, noise included; agent " + std::to_string(b.agent) + ", epoch " +
                  std::to_string(b.epoch) + ", slot " + std::to_string(b.slot)}),
           small(b.values.empty() ? report::Markup{"where, the agent's journal says"}
                                  : report::join({{"at "}, point(result, b.values)}))}));
}

report::Markup results_section(const RunResult& result) {
  report::Markup content{"<div class=\"cards\">\n"};
  content.html += recommendation_card(result).html + best_trial_card(result).html + "</div>\n";
  if (result.recommendation && result.best_trial) {
    content.html +=
        report::paragraph(
            {"The two are different things. The best trial is the luckiest single "
             "measurement: its noise has usually helped it to the top, so measured again it "
             "will usually come out worse. The recommendation is the point where the model, "
             "fitted to the measurements of all agents, expects the best value. Its interval "
             "is the mean plus and minus the study's confidence width times the posterior "
             "deviation; only in theory mode is that width large enough to promise, with the "
             "stated probability, that the true value lies inside. Use the recommendation."})
            .html;
  }
  if (result.optimum) {
    content.html +=
        report::paragraph(report::join({{"Regret is measured against the best possible value, "},
                                        report::number(*result.optimum, 6),
                                        {"."}}))
            .html;
  }
  if (!result.cumulative_regret.empty()) {
    const double total = result.cumulative_regret.back();
    const double queries = std::max(1.0, static_cast<double>(result.agents)) *
                           std::max(1.0, static_cast<double>(result.cumulative_regret.size()));
    content.html += report::paragraph(report::join({{"Cumulative regret of all agents: "},
                                                    report::number(total),
                                                    {", that is "},
                                                    report::number(total / queries),
                                                    {" a query."}}))
                        .html;
  }
  if (!result.guarantee.empty()) {
    content.html += report::paragraph(report::join({{"<strong>Guarantee.</strong> "},
                                                    report::text(result.guarantee)}))
                        .html;
  }
  return report::section("Result", content);
}

std::string caption_of(const std::string& file_name) {
  static const std::map<std::string, std::string> kCaptions = {
      {"regret.svg",
       "Regret is what the queries cost: the best possible value minus the value at the queried "
       "point, without noise. Left: summed over all agents and queries; the flatter the curve, the "
       "less the search still costs. Right: the mean of one query, within each epoch and over all "
       "queries so far. Grey and white stripes are the epochs."},
      {"communication.svg",
       "What was sent, counted in three ways that must not be mixed up. "
       "\xE2\x80\x9Cpaper\xE2\x80\x9D"
       ": mean uplink of an agent plus each broadcast once. \xE2\x80\x9C"
       "figure\xE2\x80\x9D"
       ": uplink of all agents only, as in published plots. \xE2\x80\x9Clinks\xE2\x80\x9D: every "
       "number on every link. Agents talk only at the end of an epoch, hence the steps."},
      {"region.svg",
       "At the end of each epoch everybody discards the points that the model thinks too poor. "
       "Left: how much of the domain is still searched in each epoch (each gridline of the axis is "
       "a factor, not a difference). Right: how much of the region each cut kept."},
      {"inducing.svg",
       "Agents send a summary of their measurements at a few inducing points, or the bare "
       "measurements where that is shorter. Left: points "
       "queried in an epoch, and how many of them were selected and broadcast as inducing points. "
       "Right: the number follows the largest posterior variance, through the probability p with "
       "which a queried point is selected; p is clipped to 1. (Only the selection by coin has a "
       "p.)"},
      {"map.svg",
       "The plane of the two parameters. The posterior mean is what the agents believe after the "
       "last closed epoch; the lines bound what was still searched after each epoch. The points "
       "are "
       "all queries, coloured by epoch: later ones crowd where the value is high. The true "
       "function "
       "is shown where it is known."}};
  const auto found = kCaptions.find(file_name);
  return found == kCaptions.end() ? file_name : found->second;
}

report::Markup figures_section(const std::vector<report::NamedFigure>& figures) {
  if (figures.empty()) return {};
  report::Markup content;
  for (const auto& [file_name, svg] : figures) {
    content.html += "<figure>\n" + svg + "<figcaption>" + report::text(caption_of(file_name)).html +
                    "</figcaption>\n</figure>\n";
  }
  return report::section("Figures", content);
}

report::Markup headline(const RunResult& result) {
  const std::uint64_t total = std::uint64_t{result.agents} * result.horizon;
  report::Markup out =
      report::element("h1", report::text(result.study_name.empty() ? "Study" : result.study_name));
  const std::string line = plural(result.agents, "agent") + " \xC3\x97 horizon " +
                           report::grouped(result.horizon) + " = " + report::grouped(total) +
                           (total == 1 ? " query" : " queries");
  out.html += std::string("<p class=\"lead\">") + (minimizes(result) ? "Minimize " : "Maximize ") +
              report::text(result.objective).html + " over a " + report::text(result.domain).html +
              " domain \xC2\xB7 " + line + " \xC2\xB7 " + plural(result.lengths.size(), "epoch") +
              " \xC2\xB7 seed " + std::to_string(result.seed) + "</p>\n";
  return out;
}

}  // namespace

std::string report_html(const RunResult& result, const std::vector<report::NamedFigure>& figures) {
  const std::string title = figure_title(result, "report of a run");
  return report::page(
      title, report::join({headline(result), results_section(result), figures_section(figures),
                           epochs_section(result), communication_section(result),
                           reproducibility_section(result)}));
}

}  // namespace duets::harness
