#include "duets/lab/scaling_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "duets/lab/comparison_text.h"
#include "duets/lab/prose.h"
#include "duets/lab/scaling_figure.h"

namespace duets::lab {
namespace {

std::string_view sizes_used(const SlopeFit& fit) { return fit.upper_half ? "upper half" : "all"; }

// "branin over T, all sizes (1.20 [1.10, 1.30])"
std::string fit_text(const SlopeFit& fit) {
  return fmt::format("{} over {}, {} sizes ({})", fit.function, base::name_of(fit.sweep),
                     sizes_used(fit), slope_with_interval(fit));
}

report::Columns<SlopeFit> fit_columns() {
  return {{"function", &SlopeFit::function},
          {"sweep", [](const SlopeFit& fit) { return base::name_of(fit.sweep); }},
          {"measure", [](const SlopeFit& fit) { return base::name_of(fit.growth); }},
          {"sizes_used", sizes_used},
          {"sizes", &SlopeFit::sizes},
          {"runs", &SlopeFit::runs},
          {"slope", &SlopeFit::slope},
          {"slope_std", &SlopeFit::stddev},
          {"low", [](const SlopeFit& fit) { return low_of(fit.interval); }},
          {"high", [](const SlopeFit& fit) { return high_of(fit.interval); }},
          {"verdict", [](const SlopeFit& fit) { return base::name_of(fit.verdict); }}};
}

// For people: all sizes and their upper half side by side.
report::Table slopes_table(const ScalingAnalysis& analysis) {
  std::vector<std::vector<report::Markup>> rows;
  for (const SlopeFit& fit : analysis.fits) {
    if (fit.upper_half) continue;
    const SlopeFit* half = analysis.fit(fit.function, fit.sweep, fit.growth, true);
    rows.push_back({report::text(fit.function), report::text(base::name_of(fit.sweep)),
                    report::text(base::name_of(fit.growth)), report::text(slope_with_interval(fit)),
                    report::text(base::name_of(fit.verdict))});
    if (half == nullptr) {
      rows.back().resize(7);
      continue;
    }
    rows.back().push_back(report::text(slope_with_interval(*half)));
    rows.back().push_back(report::text(base::name_of(half->verdict)));
  }
  return report::shown_table(
      prose().line("scaling: slopes"),
      {"function", "sweep", "measure", "all sizes", "verdict", "upper half", "verdict"}, rows);
}

report::Columns<SlopeFit> rival_fit_columns() {
  return {{"function", &SlopeFit::function},
          {"name", &SlopeFit::name},
          {"sweep", [](const SlopeFit& fit) { return base::name_of(fit.sweep); }},
          {"measure", [](const SlopeFit& fit) { return base::name_of(fit.growth); }},
          {"sizes", &SlopeFit::sizes},
          {"runs", &SlopeFit::runs},
          {"slope", &SlopeFit::slope},
          {"slope_std", &SlopeFit::stddev},
          {"low", [](const SlopeFit& fit) { return low_of(fit.interval); }},
          {"high", [](const SlopeFit& fit) { return high_of(fit.interval); }}};
}

// For people: everybody's slopes side by side, with the orders of the theorems.
report::Table everybodys_slopes(const ScalingAnalysis& analysis) {
  constexpr std::array<std::pair<Sweep, Growth>, 4> kColumns = {
      {{Sweep::kHorizon, Growth::kRegret},
       {Sweep::kHorizon, Growth::kCommunication},
       {Sweep::kAgents, Growth::kRegret},
       {Sweep::kAgents, Growth::kCommunication}}};
  std::vector<std::vector<report::Markup>> rows;
  const auto row_of = [&](const std::string& function, const std::string& name) -> auto& {
    const report::Markup first = report::text(function);
    const report::Markup second =
        report::text(name.empty() ? fmt::format("DUETS, beta = {}", kScalingBeta) : name);
    for (auto& row : rows) {
      if (row[0].html == first.html && row[1].html == second.html) return row;
    }
    rows.push_back({first, second});
    rows.back().resize(2 + kColumns.size(), report::Markup{report::kDash});
    return rows.back();
  };
  for (const std::string& function : analysis.functions) {
    for (const auto* fits : {&analysis.fits, &analysis.rival_fits}) {
      for (const SlopeFit& fit : *fits) {
        if (fit.upper_half || fit.function != function) continue;
        const auto column = std::ranges::find(kColumns, std::pair(fit.sweep, fit.growth));
        row_of(function, fit.name)[static_cast<std::size_t>(column - kColumns.begin()) + 2] =
            report::text(slope_with_interval(fit));
      }
    }
  }
  return report::shown_table(
      prose().line("scaling: everybody's slopes"),
      {"function", "algorithm", "regret over T", "reals over T", "regret over N", "reals over N"},
      rows);
}

report::Columns<ScalingSummary> size_columns() {
  using S = ScalingSummary;
  report::Columns<S> columns = {
      {"function", [](const S& s) { return s.point.function; }, "function"},
      {"agents", [](const S& s) { return s.point.agents; }, "N"},
      {"horizon", [](const S& s) { return s.point.horizon; }, "T"},
      {"queries", [](const S& s) { return s.point.queries(); }},
      {"exchanges", &S::exchanges, "exchanges"},
      {"gamma", &S::gain, "&gamma;"},
      {"sqrt_n_t_gamma", [](const S& s) { return s.yardstick(Growth::kRegret); }}};
  add_numbers(columns, [](const S& s) -> const FinalNumbers& { return s; },
              {.regret = "regret",
               .stddev = "\xC2\xB1 sd",
               .paper = "reals",
               .figure = "uplink of all",
               .links = "every link"});
  add_recommendations(
      columns, [](const S& s) -> const Recommendations& { return s.recommendation; }, true);
  columns.push_back({"regret_ratio",
                     [](const S& s) { return s.regret.mean / s.yardstick(Growth::kRegret); },
                     "regret / \xE2\x88\x9A(NT&gamma;)",
                     {},
                     3});
  columns.push_back({"communication_ratio",
                     [](const S& s) { return s.communication[0].mean / s.gain; },
                     "reals / &gamma;",
                     {},
                     3});
  return columns;
}

report::Columns<ScalingRival> rival_columns() {
  using R = ScalingRival;
  report::Columns<R> columns = {
      {"function", [](const R& r) { return r.point.function; }, "function"},
      {"agents", [](const R& r) { return r.point.agents; }, "N"},
      {"horizon", [](const R& r) { return r.point.horizon; }, "T"},
      {"name", &R::name, "algorithm"},
      {"setting", &R::setting, "chosen"},
      {"edge", &R::edge, "edge"}};
  add_numbers(columns, [](const R& r) -> const FinalNumbers& { return r; },
              {.regret = "regret",
               .paper = "reals",
               .links = "every link",
               .rounds = "rounds",
               .with_error = true});
  add_recommendations(
      columns, [](const R& r) -> const Recommendations& { return r.recommendation; }, true);
  return columns;
}

std::vector<AskTellRow> ask_tell_rows(const ScalingAnalysis& analysis) {
  std::vector<AskTellRow> rows;
  for (const ScalingSummary& size : analysis.sizes) {
    rows.push_back({"scaling", size.point.function, scaling_ask_tell(size.point)});
  }
  return rows;
}

// For a terminal: everybody at the longest horizon of each function.
report::Section rivals_summary(const ScalingAnalysis& analysis) {
  std::vector<std::vector<report::Markup>> rows;
  const auto add = [&](const ScalingPoint& point, const std::string& name,
                       const FinalNumbers& numbers) {
    rows.push_back(
        {report::text(fmt::format("{}, T = {}", point.function, point.horizon)), report::text(name),
         report::text(mean_text(numbers.regret)), report::number(numbers.communication[0].mean, 3),
         recommendation_text(numbers.recommendation), lost_text(numbers.recommendation)});
  };
  for (const std::string& function : analysis.functions) {
    const auto sizes = analysis.sweep(function, Sweep::kHorizon);
    if (sizes.empty()) continue;
    const ScalingSummary* shown = sizes.back();
    add(shown->point, fmt::format("DUETS, beta = {}", kScalingBeta), *shown);
    for (const ScalingRival& rival : analysis.rivals) {
      const bool here = rival.point.function == function &&
                        rival.point.agents == shown->point.agents &&
                        rival.point.horizon == shown->point.horizon;
      if (here) add(rival.point, rival.name, rival);
    }
    rows.push_back({{" "},
                    {"plain ask and tell"},
                    {report::kDash},
                    report::number(scaling_ask_tell(shown->point).reals(Ledger::kPaper), 3),
                    {report::kDash},
                    {report::kDash}});
  }
  return {"Beside others",
          {report::shown_table(
              prose().line("scaling: rivals"),
              {"size", "algorithm", "regret", "reals", "recommendation regret", "lost"}, rows)}};
}

}  // namespace

std::string slope_with_interval(const SlopeFit& fit) {
  if (!fit.interval) return fmt::format("{:.2f}", fit.slope);
  return fmt::format("{:.2f} [{:.2f}, {:.2f}]", fit.slope, fit.interval->low, fit.interval->high);
}

std::string scaling_verdict(const ScalingAnalysis& analysis, Growth growth) {
  std::string above;
  std::size_t fits = 0;
  std::size_t unknown = 0;
  std::size_t below = 0;
  for (const SlopeFit& fit : analysis.fits) {
    if (fit.growth != growth) continue;
    ++fits;
    if (fit.verdict == SlopeVerdict::kUnknown) ++unknown;
    if (fit.verdict == SlopeVerdict::kBelow) ++below;
    if (fit.verdict != SlopeVerdict::kAbove) continue;
    if (!above.empty()) above += "; ";
    above += fit_text(fit);
  }
  const bool regret = growth == Growth::kRegret;
  const std::string what =
      regret ? "Regret against sqrt(N T gamma)" : "Communication (paper ledger) against gamma";
  if (unknown == fits) return what + ": one run has no interval, so nothing is decided.";
  if (above.empty()) {
    return what + fmt::format(
                      ": none of {} slopes is shown to be above 1; {} are shown to be below, the "
                      "others cannot be distinguished from 1.",
                      fits, below);
  }
  return what + ": above 1 in " + above +
         ". The order of the theorem allows that only through "
         "its logarithms, or because these sizes are small.";
}

Findings scaling_findings(const ScalingAnalysis& analysis, const PageHead& head) {
  Findings out;
  report::Table rivals =
      make_table(rival_columns(), analysis.rivals, prose().line("scaling: rivals"));
  report::Table ask_tell = ask_tell_table(ask_tell_rows(analysis));
  report::Table sizes = make_table(size_columns(), analysis.sizes, prose().line("scaling: sizes"));
  out.tables = {{.name = "slopes", .table = make_table(fit_columns(), analysis.fits)},
                {.name = "scaling", .table = sizes, .in_json = false},
                {.name = "rivals", .table = rivals},
                {.name = "rival_slopes",
                 .table = make_table(rival_fit_columns(), analysis.rival_fits),
                 .in_json = false},
                {.name = "ask_tell", .table = ask_tell, .in_json = false}};
  out.figures = {{"frontier.svg", frontier_figure(analysis)},
                 {"scaling.svg", scaling_figure(analysis)},
                 {"recommendation.svg", scaling_answers(analysis)}};
  report::Section slopes{.title = "Slopes", .blocks = {slopes_table(analysis)}};
  for (const Growth growth : kGrowths) {
    slopes.blocks.push_back(report::Paragraph{report::text(scaling_verdict(analysis, growth))});
  }
  out.summary = {rivals_summary(analysis), slopes, {{}, {everybodys_slopes(analysis)}}};
  slopes.blocks.push_back(everybodys_slopes(analysis));
  append(slopes.blocks, prose().blocks("scaling: method"));
  const report::Blanks blanks = {{"candidates", {std::to_string(kScalingCandidates)}},
                                 {"beta", report::number(kScalingBeta)}};
  out.page = begin_page(head);
  out.page.sections = {
      run_section(prose().blocks("scaling: what was run", blanks), head),
      {"Regret against communication",
       {report::Drawing{out.figures[0].second, prose().line("scaling: frontier")}}},
      rivals_summary(analysis),
      {"Recommendations",
       {report::Drawing{out.figures[2].second, prose().line("answers: figure over horizons")}}},
      {"Growth", {report::Drawing{out.figures[1].second, prose().line("scaling: figure")}}},
      std::move(slopes),
      {"Every size", {std::move(sizes), std::move(rivals), std::move(ask_tell)}},
      {"What this can and cannot say", prose().blocks("scaling: what this can and cannot say")}};
  return out;
}

}  // namespace duets::lab
