#include "duets/harness/report_page_tables.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>

#include "duets/base/digest.h"
#include "duets/protocol/model_check.h"
#include "duets/protocol/variance.h"
#include "duets/report/chart_number.h"

namespace duets::harness {
namespace {

using protocol::EpochReport;

report::Markup count(std::uint64_t value) { return {report::grouped(value)}; }

report::Markup percent(double part) {
  if (!std::isfinite(part)) return {report::kDash};
  return {report::number(100 * part, 3).html + "\xC2\xA0%"};
}

// One row of a table with an epoch a column.
struct Line {
  std::string name;
  report::Markup (*cell)(const EpochReport&);
};

std::vector<std::vector<report::Markup>> rows_of(const RunResult& result,
                                                 const std::vector<Line>& lines) {
  std::vector<std::vector<report::Markup>> rows;
  for (const Line& line : lines) {
    rows.push_back({{line.name}});
    for (const EpochReport& report : result.epochs) rows.back().push_back(line.cell(report));
  }
  return rows;
}

report::Markup region_cell(const EpochReport& r) {
  if (r.region_points == 0) return percent(r.region_fraction);
  return {report::grouped(r.region_points) + " (" + percent(r.region_fraction).html + ")"};
}

report::Markup sampler_cell(const EpochReport& r) {
  const std::string method(base::name_of(r.sampler.method));
  if (r.sampler.method != region::Method::kWalk) return {method};
  return {method + ", " + report::grouped(r.sampler.walk_steps) + " steps"};
}

// Only the selection by coin has a probability.
report::Markup probability(double p) {
  return p > 0 ? report::number(p, 3) : report::Markup{report::kDash};
}

// A length scale of all features, or of each.
report::Markup lengthscale_cell(const EpochReport& r) {
  report::Markup out;
  for (const double scale : r.kernel.lengthscales) {
    out.html += (out.html.empty() ? "" : ", ") + report::number(scale).html;
  }
  return out;
}

report::Markup surprise_cell(const EpochReport& r) {
  return r.surprise > 0 ? report::number(r.surprise) : report::Markup{report::kDash};
}

report::Markup variance_cell(const EpochReport& r) {
  return {std::string(base::name_of(r.variance_path)) + ", rank " +
          report::grouped(r.variance_rank)};
}

// What the learned model foretold.
report::Markup model_words(const RunResult& result) {
  const auto check = protocol::check_model(result.epochs);
  if (!check) return {};
  return report::paragraph(
      {"Model check: " + report::text(protocol::model_check_text(*check)).html + "."});
}

// Which way the variance was computed, and why, for every epoch.
report::Markup variance_words(const RunResult& result) {
  report::Markup out = {"How the variance &sigma;<sup>2</sup> of each closed epoch was computed:"};
  for (const EpochReport& r : result.epochs) {
    out.html += " Epoch " + std::to_string(base::value(r.epoch)) + ": " +
                report::text(protocol::variance_reason(r)).html + ".";
  }
  return report::paragraph(out);
}

std::vector<Line> epoch_lines() {
  return {
      {"queries per agent, planned", [](const EpochReport& r) { return count(r.planned_length); }},
      {"queries per agent, used", [](const EpochReport& r) { return count(r.length); }},
      {"agents that took part", [](const EpochReport& r) { return count(r.num_participants); }},
      {"holes (failed queries)", [](const EpochReport& r) { return count(r.num_holes); }},
      {"points that count", [](const EpochReport& r) { return count(r.num_points); }},
      {"different points", [](const EpochReport& r) { return count(r.num_distinct); }},
      {"active region", region_cell},
      {"kept by the cut", [](const EpochReport& r) { return percent(r.cut_acceptance); }},
      {"sampler", sampler_cell},
      {"membership tests", [](const EpochReport& r) { return count(r.membership_tests); }},
      {"largest deviation &sigma;<sub>max</sub>",
       [](const EpochReport& r) { return report::number(std::sqrt(r.sigma2_max)); }},
      {"p before clipping", [](const EpochReport& r) { return probability(r.p_unclipped); }},
      {"p after clipping", [](const EpochReport& r) { return probability(r.p); }},
      {"inducing points, selected", [](const EpochReport& r) { return count(r.num_selected); }},
      {"inducing points, broadcast", [](const EpochReport& r) { return count(r.num_inducing); }},
      {"variance", variance_cell},
      {"information gain", [](const EpochReport& r) { return report::number(r.information_gain); }},
      {"length scale", lengthscale_cell},
      {"prior deviation",
       [](const EpochReport& r) { return report::number(std::sqrt(r.kernel.variance)); }},
      {"noise variance &lambda;", [](const EpochReport& r) { return report::number(r.lambda); }},
      {"reward offset", [](const EpochReport& r) { return report::number(r.reward_offset); }},
      {"surprise", surprise_cell},
      {"width of the confidence bound",
       [](const EpochReport& r) { return report::number(r.width); }},
      {"largest mean (model units)",
       [](const EpochReport& r) { return report::number(r.max_mean); }},
      {"threshold &tau; (model units)", [](const EpochReport& r) { return report::number(r.tau); }},
      {"&tau; without the floor",
       [](const EpochReport& r) { return report::number(r.printed_tau); }},
      {"smallest margin",
       [](const EpochReport& r) { return report::number(r.smallest_margin, 2); }},
      {"rounding error of a mean",
       [](const EpochReport& r) { return report::number(r.mean_error, 2); }},
  };
}

report::Markup margin_words(const RunResult& result) {
  if (!std::isfinite(result.smallest_margin)) {
    return report::paragraph(
        {"No point was compared with a threshold in this run, so no decision could "
         "have gone the other way."});
  }
  const double margin = result.smallest_margin;
  const double error = result.mean_error;
  report::Markup out =
      report::join({{"The closest decision of the run, whether a point stays in the region, was "
                     "taken with a margin of "},
                    report::number(margin, 2),
                    {"; the rounding error of the posterior mean is estimated at "},
                    report::number(error, 2),
                    {". "}});
  if (margin > error) {
    out.html +=
        "The margin is the larger of the two, so a slightly different calculation of the same mean "
        "would have taken the same decisions. ";
  } else {
    out.html +=
        "The margin is not above the error, so a slightly different calculation of the same mean "
        "might have decided otherwise somewhere; which points were queried then rests on this "
        "program computing the same bits everywhere. ";
  }
  out.html += "Machines that report the same run digest queried the same points.";
  return report::paragraph(out);
}

report::Table digest_table(const RunResult& result) {
  report::Table t;
  t.caption = {"Fingerprints. Run the same study again and compare."};
  t.head = {{"of"}, {"digest"}};
  t.rows = {{{"study"}, report::code(result.study_digest)},
            {{"run: everything queried and decided"}, report::code(result.run_digest)},
            {{"state: everything transmitted"}, report::code(result.state_digest)}};
  for (const EpochReport& report : result.epochs) {
    t.rows.push_back({{"run, up to epoch " + std::to_string(base::value(report.epoch))},
                      report::code(base::to_hex(report.run_digest))});
  }
  return t;
}

}  // namespace

report::Markup epochs_section(const RunResult& result) {
  std::string planned = "Planned epochs, in queries per agent: ";
  for (std::size_t j = 0; j < result.lengths.size(); ++j) {
    planned += (j > 0 ? ", " : "") + report::grouped(result.lengths[j]);
  }
  report::Markup content =
      result.lengths.empty() ? report::Markup{} : report::paragraph({planned + "."});
  if (result.epochs.empty()) {
    content.html +=
        report::paragraph({"No epoch was closed: the run ended within its first epoch, so there "
                           "was no cut and no exchange."})
            .html;
    return report::section("Epochs", content);
  }
  report::Table t;
  t.caption = {
      "The closed epochs. The last epoch of a run usually sends nothing and is not closed."};
  t.head = {{"epoch"}};
  for (const EpochReport& r : result.epochs)
    t.head.push_back({std::to_string(base::value(r.epoch))});
  t.rows = rows_of(result, epoch_lines());
  return report::section("Epochs", report::join({content, report::table(t), model_words(result),
                                                 variance_words(result)}));
}

report::Markup communication_section(const RunResult& result) {
  if (result.communication.empty()) {
    return report::section("Communication", report::paragraph({"Nothing was sent."}));
  }
  report::Table t;
  t.caption = {
      "Sent so far, when each agent had made t queries. Real numbers, except the last "
      "column."};
  for (const char* head : {"epoch", "t", "paper", "figure", "links", "closing", "bytes"}) {
    t.head.push_back({head});
  }
  for (const CommunicationPoint& p : result.communication) {
    t.rows.push_back({count(p.epoch), count(p.t), report::number(p.paper, 7),
                      report::number(p.figure, 7), report::number(p.links, 7),
                      report::number(p.closing, 7), count(p.bytes)});
  }
  const report::Markup words = {
      "<p><strong>paper</strong>: mean uplink of an agent plus every broadcast counted once. "
      "<strong>figure</strong>: uplink of all agents, broadcasts not counted. "
      "<strong>links</strong>: every number on every link, a broadcast counted for each agent. "
      "<strong>closing</strong>: what agents send after their last query, on every link, in none "
      "of "
      "the three. <strong>bytes</strong>: as encoded, on every link, closing included.</p>\n"};
  return report::section("Communication", report::join({report::table(t), words}));
}

report::Markup reproducibility_section(const RunResult& result) {
  return report::section(
      "Reproducibility",
      report::join({report::paragraph({"Seed: <code>" + std::to_string(result.seed) + "</code>."}),
                    margin_words(result), report::table(digest_table(result))}));
}

}  // namespace duets::harness
