#include "duets/lab/variants_figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/lab/answer_figure.h"
#include "duets/lab/comparison_text.h"
#include "duets/report/chart.h"

namespace duets::lab {
namespace {

using protocol::Inducing;
using protocol::ScheduleRule;

struct Group {
  std::string_view name;
  std::string_view colour;
  report::Marker marker;
  bool (*has)(ScheduleRule schedule);
  Inducing inducing;
};

bool is_root(ScheduleRule rule) {
  return rule == ScheduleRule::kSqrtFloor || rule == ScheduleRule::kSqrtCeil;
}
bool is_doubling(ScheduleRule rule) { return rule == ScheduleRule::kDoubling; }
bool is_paired(ScheduleRule rule) { return rule == ScheduleRule::kPairedDoubling; }

constexpr std::string_view kRoot = report::palette::kBlue;
constexpr std::string_view kDoubling = report::palette::kOrange;
constexpr std::string_view kPaired = report::palette::kGreen;

constexpr std::array<Group, 7> kGroups{{
    {"square-root, coin", kRoot, report::Marker::kCircle, is_root, Inducing::kCoin},
    {"square-root, greedy", kRoot, report::Marker::kSquare, is_root, Inducing::kGreedy},
    {"square-root, public", kRoot, report::Marker::kTriangle, is_root, Inducing::kPublic},
    {"doubling, coin", kDoubling, report::Marker::kCircle, is_doubling, Inducing::kCoin},
    {"paired-doubling, coin", kPaired, report::Marker::kCircle, is_paired, Inducing::kCoin},
    {"paired-doubling, greedy", kPaired, report::Marker::kSquare, is_paired, Inducing::kGreedy},
    {"paired-doubling, public", kPaired, report::Marker::kTriangle, is_paired, Inducing::kPublic},
}};

// Reals, regret.
std::pair<double, double> place_of(const VariantResult& result) {
  return {result.communication[0].mean, result.regret.mean};
}

bool is_in(const VariantResult& result, const Group& group) {
  if (!result.is_duets()) return false;
  const Variant& variant = find_variant(result.variant);
  return !variant.preset && group.has(variant.schedule) && variant.inducing == group.inducing;
}

bool is_preset(const VariantResult& result) {
  return result.is_duets() && find_variant(result.variant).preset;
}

report::LineStyle style_of(const Group& group) {
  return {.colour = std::string(group.colour), .width = 0, .marker = group.marker};
}

report::LineStyle preset_style() {
  return {.colour = report::palette::kPurple, .width = 0, .marker = report::Marker::kStar};
}

report::LineStyle rival_style() {
  return {.colour = report::palette::kBlack, .width = 0, .marker = report::Marker::kDiamond};
}

constexpr const char* kRivalName = "DisKernelUCB, one mark for each D";

// The entries for which `belongs` holds.
template <class Belongs>
report::Series marks_of(const VariantsTask& task, const std::string& name,
                        const report::LineStyle& style, const Belongs& belongs) {
  std::vector<std::pair<double, double>> places;
  for (const VariantResult& result : task.results) {
    if (belongs(result)) places.push_back(place_of(result));
  }
  return report::scatter(name, style, std::move(places));
}

// What sends nothing has no place on a logarithmic axis.
std::vector<std::pair<double, double>> rival_places(const VariantsTask& task) {
  std::vector<std::pair<double, double>> places;
  for (const VariantResult& result : task.results) {
    if (!result.is_duets() && result.communication[0].mean > 0) places.push_back(place_of(result));
  }
  std::sort(places.begin(), places.end());
  return places;
}

// Joins those that no other threshold beats in both means: more reals, less regret.
std::vector<std::pair<double, double>> envelope(
    const std::vector<std::pair<double, double>>& places) {
  std::vector<std::pair<double, double>> out;
  for (const std::pair<double, double>& place : places) {
    if (out.empty() || place.second < out.back().second) out.push_back(place);
  }
  return out;
}

report::Scatter established(const VariantsTask& task) {
  report::Scatter discs{.name = "established: no other entry is better in both",
                        .colour = report::palette::kHighlight,
                        .diameter = 17,
                        .casing = false};
  for (const VariantResult& result : task.results) {
    if (result.standing != Standing::kFrontier || result.communication[0].mean <= 0) continue;
    discs.x.push_back(result.communication[0].mean);
    discs.y.push_back(result.regret.mean);
  }
  return discs;
}

// From the axis to the largest regret.
report::Series ask_tell_line(const VariantsTask& task) {
  double top = 0;
  for (const VariantResult& result : task.results) top = std::max(top, result.regret.mean);
  const double reals = task.ask_tell->reals(Ledger::kPaper);
  return {.name = "what plain ask and tell sends",
          .x = {reals, reals},
          .y = {0, top},
          .style = {.colour = report::palette::kReference, .dash = "6 4", .width = 1.4}};
}

report::Panel task_panel(const VariantsTask& task) {
  report::Panel panel{.title = function_title(task.function)};
  panel.x = {.label = "reals sent (paper ledger)", .scale = report::Scale::kLog10};
  panel.y = {.label = "total regret", .from_zero = true};
  panel.scatters = {established(task)};
  const std::vector<std::pair<double, double>> rivals = rival_places(task);
  panel.series = {
      report::scatter("", {.colour = report::palette::kBlack, .dash = "5 3", .width = 1.4},
                      envelope(rivals)),
      report::scatter(kRivalName, rival_style(), rivals)};
  for (const Group& group : kGroups) {
    panel.series.push_back(
        marks_of(task, std::string(group.name), style_of(group),
                 [&group](const VariantResult& result) { return is_in(result, group); }));
  }
  panel.series.push_back(marks_of(task, "presets", preset_style(), is_preset));
  if (task.ask_tell) panel.series.push_back(ask_tell_line(task));
  for (const VariantResult& result : task.results) {
    if (result.communication[0].mean > 0) continue;
    panel.note +=
        fmt::format("{}: regret {:.0f}, nothing sent. ", result.label(), result.regret.mean);
  }
  return panel;
}

AnswerPanel answers_of(const VariantsTask& task) {
  AnswerPanel panel{.title = function_title(task.function), .lines = {}};
  const auto add = [&](const std::string& name, const report::LineStyle& style,
                       const auto& belongs) {
    AnswerLine line{.name = name, .style = style, .answers = {}};
    for (const VariantResult& result : task.results) {
      if (!belongs(result)) continue;
      line.answers.push_back({result.communication[0].mean, result.recommendation});
    }
    if (!line.answers.empty()) panel.lines.push_back(std::move(line));
  };
  add(kRivalName, rival_style(), [](const VariantResult& result) { return !result.is_duets(); });
  for (const Group& group : kGroups) {
    add(std::string(group.name), style_of(group),
        [&group](const VariantResult& result) { return is_in(result, group); });
  }
  add("presets", preset_style(), is_preset);
  if (task.ask_tell) panel.ask_tell = task.ask_tell->reals(Ledger::kPaper);
  return panel;
}

}  // namespace

std::string variants_answers(const VariantsAnalysis& analysis) {
  AnswerFigure figure{
      .id = "variants-recommendation", .title = "What is recommended at the end", .panels = {}};
  for (const VariantsTask& task : analysis.tasks) figure.panels.push_back(answers_of(task));
  return draw_answers(figure);
}

std::string variants_figure(const VariantsAnalysis& analysis) {
  report::Figure figure{
      .id = "variants",
      .title = "Regret against communication: variants of DUETS, and DisKernelUCB over D",
      .columns = 2,
      .shared_legend = true};
  figure.description =
      "A panel for each function. Horizontal, real numbers sent on a logarithmic axis; vertical, "
      "total regret. Marks are variants of DUETS, a dashed line joins DisKernelUCB with different "
      "thresholds. Lower and further left is better.";
  for (const VariantsTask& task : analysis.tasks) figure.panels.push_back(task_panel(task));
  return report::draw_figure(figure);
}

}  // namespace duets::lab
