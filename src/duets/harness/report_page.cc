#include "duets/harness/report_page.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "duets/base/digest.h"
#include "duets/harness/prose.h"
#include "duets/harness/run_tables.h"
#include "duets/protocol/model_check.h"
#include "duets/protocol/variance.h"
#include "duets/report/chart_number.h"
#include "duets/report/report.h"

namespace duets::harness {
namespace {

using protocol::EpochReport;
using report::Blocks;
using report::Markup;
using report::number;
using report::Section;

std::string plural(std::uint64_t count, const std::string& word) {
  return report::grouped(count) + " " + word + (count == 1 ? "" : "s");
}

bool minimizes(const RunResult& result) { return result.direction == "minimize"; }

Markup coordinate(const RunResult& result, std::size_t i, double value) {
  const domain::ShownValue shown = domain::shown_value(result.parameters, i, value);
  if (const auto* any = std::get_if<double>(&shown)) return number(*any, 6);
  return report::text(domain::to_text(shown));
}

// "at x1 = 0.54, x2 = 0.15"
Markup place(const RunResult& result, const std::vector<double>& values) {
  Markup out{"at "};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string name = i < result.coordinate_names.size() ? result.coordinate_names[i]
                                                                : "x" + std::to_string(i + 1);
    if (i > 0) out.html += ", ";
    out.html += report::text(name).html + " = " + coordinate(result, i, values[i]).html;
  }
  return out;
}

report::Card recommendation_card(const RunResult& result) {
  report::Card card{.title = "Recommendation", .value = {"none"}};
  if (!result.recommendation) {
    card.lines = {prose().line("no recommendation")};
    return card;
  }
  const protocol::Found& r = *result.recommendation;
  card.value = number(r.value, 5);
  card.lines = {
      report::join(
          {{"expected value; interval from "}, number(r.low, 5), {" to "}, number(r.high, 5)}),
      place(result, r.values)};
  if (r.missed) {
    card.lines.push_back(report::join({number(100 * r.missed->chance, 2),
                                       {"\xC2\xA0% chance of a point better by more than "},
                                       number(r.missed->better_by, 3),
                                       {", by samples of the model"}}));
  }
  if (r.true_value) {
    const bool inside = r.low <= *r.true_value && *r.true_value <= r.high;
    card.lines.push_back(
        report::join({{"true value there (known in a simulation): "},
                      number(*r.true_value, 5),
                      {inside ? ", inside the interval" : ", outside the interval"}}));
  }
  return card;
}

report::Card best_trial_card(const RunResult& result) {
  report::Card card{.title = "Best trial", .value = {"none"}};
  if (!result.best_trial) {
    card.lines = {{"No trial was reported."}};
    return card;
  }
  const protocol::Found& b = *result.best_trial;
  card.value = number(b.value, 5);
  card.lines = {
      {std::string(minimizes(result) ? "smallest" : "largest") +
       " value observed, noise included; agent " + std::to_string(b.agent) + ", epoch " +
       std::to_string(b.epoch) + ", slot " + std::to_string(b.slot)},
      b.values.empty() ? Markup{"the point is in the agent's journal"} : place(result, b.values)};
  return card;
}

Section results_section(const RunResult& result) {
  Section out{.title = "Result"};
  out.blocks.push_back(report::Cards{{recommendation_card(result), best_trial_card(result)}});
  const auto say = [&](std::string_view key, const report::Blanks& blanks = {}) {
    append(out.blocks, prose().blocks(key, blanks));
  };
  if (result.recommendation && result.best_trial) {
    say("recommendation or best trial", {{"interval", report::text(result.interval_meaning)}});
  }
  if (result.optimum) say("optimum", {{"optimum", number(*result.optimum, 6)}});
  if (!result.cumulative_regret.empty()) {
    const double total = result.cumulative_regret.back();
    const double queries = std::max(1.0, static_cast<double>(result.agents)) *
                           static_cast<double>(result.cumulative_regret.size());
    say("total regret", {{"total", number(total)}, {"mean", number(total / queries)}});
  }
  if (!result.horizon_changes.empty()) {
    say("horizon changed", {{"changes", report::text(result.horizon_changes)}});
  }
  if (!result.guarantee.empty()) say("guarantee", {{"guarantee", report::text(result.guarantee)}});
  return out;
}

Section figures_section(const std::vector<report::NamedFigure>& figures) {
  Section out{.title = "Figures"};
  for (const auto& [name, svg] : figures) {
    out.blocks.push_back(report::Drawing{svg, prose().line("figure " + name)});
  }
  return out;
}

// How the variance was computed, and why, for every epoch.
Blocks variance_words(const RunResult& result) {
  Markup reasons;
  for (const EpochReport& r : result.epochs) {
    reasons.html += " Epoch " + std::to_string(base::value(r.epoch)) + ": " +
                    report::text(protocol::variance_reason(r)).html + ".";
  }
  return prose().blocks("variance", {{"sigma2", {"&sigma;<sup>2</sup>"}}, {"reasons", reasons}});
}

Section epochs_section(const RunResult& result) {
  Section out{.title = "Epochs"};
  Markup lengths;
  for (const std::uint32_t length : result.lengths) {
    lengths.html += (lengths.html.empty() ? "" : ", ") + report::grouped(length);
  }
  if (!result.lengths.empty()) {
    append(out.blocks, prose().blocks("planned epochs", {{"lengths", lengths}}));
  }
  if (result.epochs.empty()) {
    append(out.blocks, prose().blocks("no closed epoch"));
    return out;
  }
  report::Table table = turned(epochs_table(result));
  table.caption = prose().line("closed epochs");
  out.blocks.push_back(std::move(table));
  if (const auto check = protocol::check_model(result.epochs)) {
    const Markup words = report::text(protocol::model_check_text(*check));
    append(out.blocks, prose().blocks("model check", {{"check", words}}));
  }
  append(out.blocks, variance_words(result));
  return out;
}

Section communication_section(const RunResult& result) {
  Section out{.title = "Communication"};
  if (result.communication.empty()) {
    out.blocks = prose().blocks("nothing sent");
    return out;
  }
  report::Table table = communication_table(result);
  table.caption = prose().line("sent so far");
  out.blocks.push_back(std::move(table));
  append(out.blocks, prose().blocks("ledgers"));
  return out;
}

// Compares the smallest margin of a decision with the rounding error.
Blocks margin_words(const RunResult& result) {
  if (!std::isfinite(result.smallest_margin)) return prose().blocks("no decision");
  const bool safe = result.smallest_margin > result.mean_error;
  return prose().blocks(
      safe ? "margin above error" : "margin below error",
      {{"margin", number(result.smallest_margin, 2)}, {"error", number(result.mean_error, 2)}});
}

report::Table digest_table(const RunResult& result) {
  std::vector<std::vector<Markup>> rows = {
      {{"study"}, report::code(result.study_digest)},
      {{"run: everything queried and decided"}, report::code(result.run_digest)},
      {{"state: everything transmitted"}, report::code(result.state_digest)}};
  for (const EpochReport& r : result.epochs) {
    rows.push_back({{"run, up to epoch " + std::to_string(base::value(r.epoch))},
                    report::code(base::to_hex(r.run_digest))});
  }
  return report::shown_table(prose().line("digests"), {"of", "digest"}, rows);
}

Section reproducibility_section(const RunResult& result) {
  Section out{.title = "Reproducibility"};
  out.blocks = prose().blocks("seed", {{"seed", report::code(std::to_string(result.seed))}});
  append(out.blocks, margin_words(result));
  out.blocks.push_back(digest_table(result));
  return out;
}

// "Maximize branin over a box domain · 10 agents × horizon 50 = 500 queries · 4 epochs · seed 1"
Markup lead(const RunResult& result) {
  const std::uint64_t total = std::uint64_t{result.agents} * result.horizon;
  const std::string dot = " \xC2\xB7 ";
  return {std::string(minimizes(result) ? "Minimize " : "Maximize ") +
          report::text(result.objective).html + " over a " + report::text(result.domain).html +
          " domain" + dot + plural(result.agents, "agent") + " \xC3\x97 horizon " +
          report::grouped(result.horizon) + " = " + report::grouped(total) +
          (total == 1 ? " query" : " queries") + dot + plural(result.lengths.size(), "epoch") +
          dot + "seed " + std::to_string(result.seed)};
}

}  // namespace

std::string report_html(const RunResult& result, const std::vector<report::NamedFigure>& figures) {
  report::Report page{.title = figure_title(result, "report of a run"),
                      .heading = result.study_name.empty() ? "Study" : result.study_name,
                      .lead = lead(result),
                      .sections = {results_section(result)}};
  if (!figures.empty()) page.sections.push_back(figures_section(figures));
  page.sections.push_back(epochs_section(result));
  page.sections.push_back(communication_section(result));
  page.sections.push_back(reproducibility_section(result));
  return to_html(page);
}

}  // namespace duets::harness
