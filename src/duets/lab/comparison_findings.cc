#include "duets/lab/comparison_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/lab/claims.h"
#include "duets/lab/comparison_figure.h"
#include "duets/lab/comparison_sections.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/prose.h"

namespace duets::lab {
namespace {

using report::Markup;
using report::Section;
using report::Value;

/// A contender on a function, at a time where a row has one.
struct ContenderRow {
  const TaskAnalysis* task;
  const ContenderAnalysis* contender;
  std::size_t i = 0;
};

std::vector<ContenderRow> contender_rows(const Analysis& analysis) {
  std::vector<ContenderRow> rows;
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const ContenderAnalysis& c : task.contenders) rows.push_back({&task, &c});
  }
  return rows;
}

report::Column<ContenderRow> reals_column(Ledger ledger, bool curve) {
  const auto index = static_cast<std::size_t>(ledger);
  return {
      .name = fmt::format("communication_{}", base::name_of(ledger)),
      .value = [index, curve](const ContenderRow& r) {
        const ContenderAnalysis& c = *r.contender;
        if (!c.counts_communication()) return Value();
        return Value(curve ? c.communication_curves[index].mean[r.i] : c.communication[index].mean);
      }};
}

const report::Column<ContenderRow> kPresetColumn = {
    .name = "preset", .value = [](const ContenderRow& r) { return r.task->preset; }};
const report::Column<ContenderRow> kFunctionColumn = {
    .name = "function", .value = [](const ContenderRow& r) { return r.task->function; }};
const report::Column<ContenderRow> kAlgorithmColumn = {
    .name = "algorithm", .value = [](const ContenderRow& r) { return r.contender->algorithm; }};
const report::Column<ContenderRow> kVariantColumn = {
    .name = "variant", .value = [](const ContenderRow& r) { return r.contender->variant; }};
const report::Column<ContenderRow> kBetaColumn = {
    .name = "beta", .value = [](const ContenderRow& r) { return r.contender->beta; }};

report::Table summary_table(const Analysis& analysis) {
  using R = ContenderRow;
  report::Columns<R> columns = {
      kPresetColumn,
      kFunctionColumn,
      kAlgorithmColumn,
      kBetaColumn,
      {"runs", [](const R& r) { return r.contender->regret.runs; }},
      {"regret_mean", [](const R& r) { return r.contender->regret.mean; }},
      {"regret_std", [](const R& r) { return r.contender->regret.stddev; }},
      reals_column(Ledger::kPaper, false),
      reals_column(Ledger::kFigure, false),
      reals_column(Ledger::kLinks, false),
      reals_column(Ledger::kIndices, false),
      reals_column(Ledger::kLiteral, false),
      {"rounds",
       [](const R& r) {
         return r.contender->counts_communication() ? Value(r.contender->rounds) : Value();
       }},
      kVariantColumn,
      {"chosen", [](const R& r) { return r.contender->chosen; }},
      {"regret_low", [](const R& r) { return low_of(r.contender->regret.interval); }},
      {"regret_high", [](const R& r) { return high_of(r.contender->regret.interval); }}};
  add_recommendations(
      columns, [](const R& r) -> const Recommendations& { return r.contender->recommendation; });
  return make_table(columns, contender_rows(analysis));
}

report::Table curves_table(const Analysis& analysis) {
  const auto regret = [](const char* name, std::vector<double> CurveSummary::*values) {
    return report::Column<ContenderRow>{
        name, [values](const ContenderRow& r) { return (r.contender->regret_curve.*values)[r.i]; }};
  };
  const report::Columns<ContenderRow> columns = {
      kPresetColumn,
      kFunctionColumn,
      kAlgorithmColumn,
      kVariantColumn,
      kBetaColumn,
      {"t", [](const ContenderRow& r) { return r.contender->t[r.i]; }},
      regret("regret_mean", &CurveSummary::mean),
      regret("regret_std", &CurveSummary::stddev),
      regret("regret_low", &CurveSummary::low),
      regret("regret_high", &CurveSummary::high),
      reals_column(Ledger::kPaper, true),
      reals_column(Ledger::kFigure, true),
      reals_column(Ledger::kLinks, true),
      reals_column(Ledger::kIndices, true),
      reals_column(Ledger::kLiteral, true)};
  std::vector<ContenderRow> rows;
  for (ContenderRow row : contender_rows(analysis)) {
    for (row.i = 0; row.i < row.contender->t.size(); ++row.i) rows.push_back(row);
  }
  return make_table(columns, rows);
}

std::vector<AskTellRow> ask_tell_rows(const Analysis& analysis) {
  std::vector<AskTellRow> rows;
  for (const TaskAnalysis& task : analysis.tasks) {
    if (task.ask_tell) rows.push_back({task.preset, task.function, *task.ask_tell});
  }
  return rows;
}

struct ComparisonRow {
  const TaskAnalysis* task;
  const Comparison* comparison;
  std::string measure;
  PairedDifference difference;

  const ContenderAnalysis& first() const { return task->contenders[comparison->first]; }
  const ContenderAnalysis& second() const { return task->contenders[comparison->second]; }
};

report::Table differences_table(const Analysis& analysis) {
  using R = ComparisonRow;
  report::Columns<R> columns = {{"preset", [](const R& r) { return r.task->preset; }},
                                {"function", [](const R& r) { return r.task->function; }},
                                {"measure", &R::measure},
                                {"first", [](const R& r) { return r.first().label(); }},
                                {"first_beta", [](const R& r) { return r.first().beta; }},
                                {"second", [](const R& r) { return r.second().label(); }},
                                {"second_beta", [](const R& r) { return r.second().beta; }}};
  add_difference_columns(columns);
  std::vector<R> rows;
  for (const TaskAnalysis& task : analysis.tasks) {
    for (const Comparison& c : task.comparisons) {
      rows.push_back({&task, &c, "regret", c.regret});
      rows.push_back({&task, &c, "recommendation_regret", c.recommendation});
      for (const Ledger ledger : kLedgers) {
        rows.push_back({&task, &c, fmt::format("communication_{}", base::name_of(ledger)),
                        c.communication[static_cast<std::size_t>(ledger)]});
      }
    }
  }
  return make_table(columns, rows);
}

report::Table winners_table(const Analysis& analysis) {
  using T = TaskAnalysis;
  const report::Columns<T> columns = {
      {"preset", &T::preset},
      {"function", &T::function},
      {"winner",
       [](const T& task) {
         return task.winner ? Value(task.contenders[*task.winner].label()) : Value();
       }},
      {"text", &T::winner_text}};
  return make_table(columns, analysis.tasks);
}

report::Table claims_table(const std::vector<ClaimVerdict>& claims) {
  struct Judged {
    const ClaimVerdict* claim;
    std::string function;
    Verdict verdict;
  };
  const report::Columns<Judged> columns = {
      {"claim", [](const Judged& j) { return base::name_of(j.claim->claim); }},
      {"preset", [](const Judged& j) { return j.claim->preset; }},
      {"betas", [](const Judged& j) { return j.claim->plotted_betas ? "as plotted" : "chosen"; }},
      {"ledger",
       [](const Judged& j) {
         return j.claim->claim == Claim::kCommunication ? Value(base::name_of(j.claim->ledger))
                                                        : Value();
       }},
      {"function", &Judged::function},
      {"verdict", [](const Judged& j) { return base::meaning_of(j.verdict); }}};
  std::vector<Judged> rows;
  for (const ClaimVerdict& claim : claims) {
    rows.push_back({&claim, "all", claim.overall});
    for (const FunctionVerdict& f : claim.functions)
      rows.push_back({&claim, f.function, f.verdict});
  }
  return make_table(columns, rows);
}

void add_new(std::vector<std::string>& words, const std::string& word) {
  if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(word);
}

// With what the analysis itself knows about the runs.
PageHead with_known_facts(PageHead head, const Analysis& analysis) {
  std::vector<std::string> functions;
  std::vector<std::string> algorithms;
  std::size_t runs = 0;
  for (const TaskAnalysis& task : analysis.tasks) {
    add_new(functions, function_title(task.function));
    for (const Grid& grid : task.grids) add_new(algorithms, grid.label);
    runs += task.contenders.size() * analysis.seeds.size();
  }
  head.facts.insert(head.facts.end(), {{"presets", list_text(analysis.presets())},
                                       {"functions", list_text(functions)},
                                       {"algorithms", list_text(algorithms)},
                                       {"runs of each setting", seeds_text(analysis.seeds)},
                                       {"runs that are shown", std::to_string(runs)}});
  return head;
}

Section facts_section(const Analysis& analysis, const PageHead& head) {
  Section out = run_section({}, with_known_facts(head, analysis));
  for (const std::string& preset : analysis.presets()) {
    if (!is_published(preset)) continue;
    append(out.blocks, prose().blocks("comparison: preset " + preset));
  }
  return out;
}

Markup figure_caption(const Analysis& analysis, const ComparisonFigureOptions& options) {
  // What is said only at times comes with the space before it.
  const auto also = [](bool says, std::string_view key) {
    return says ? report::join({{" "}, prose().line(key)}) : Markup{};
  };
  return prose().line(
      "comparison: figure",
      {{"seeds", report::text(seeds_text(analysis.seeds))},
       {"shaded", also(analysis.seeds.size() > 1, "comparison: figure shaded")},
       {"betas", prose().line(options.plotted_betas ? "comparison: figure plotted betas"
                                                    : "comparison: figure best betas")},
       {"published", also(options.published_points, "comparison: figure published")}});
}

std::vector<Section> summary_of(const Analysis& analysis, const std::vector<ClaimVerdict>& claims) {
  std::vector<Section> out;
  for (const std::string& preset : analysis.presets()) {
    out.push_back(results_section(analysis, preset));
  }
  const Markup seeds = report::text(seeds_text(analysis.seeds));
  Section notes{.blocks = prose().blocks("comparison: summary", {{"seeds", seeds}})};
  if (!analysis.of_preset("as-plotted").empty()) {
    append(notes.blocks, prose().blocks("comparison: summary as-plotted"));
  }
  out.push_back(std::move(notes));
  if (!claims.empty()) out.push_back(claims_section(claims, false));
  return out;
}

}  // namespace

Findings comparison_findings(const Analysis& analysis, const PageHead& head) {
  Findings out;
  const std::vector<ClaimVerdict> claims = judge_claims(analysis);
  out.tables = {{.name = "summary", .table = summary_table(analysis)},
                {.name = "curves", .table = curves_table(analysis), .in_json = false},
                {.name = "differences", .table = differences_table(analysis), .in_json = false},
                {.name = "ask_tell", .table = ask_tell_table(ask_tell_rows(analysis))},
                {.name = "winners", .table = winners_table(analysis), .in_files = false},
                {.name = "claims", .table = claims_table(claims), .in_files = false}};
  out.summary = summary_of(analysis, claims);
  out.page = begin_page(head);
  std::vector<Section>& sections = out.page.sections;
  if (!claims.empty()) sections.push_back(claims_section(claims, true));
  for (const std::string& preset : analysis.presets()) {
    const ComparisonFigureOptions options = figure_options(preset);
    out.figures.emplace_back(preset + ".svg", comparison_figure(analysis, preset, options));
    sections.push_back(
        {"Figure: " + preset,
         {report::Drawing{out.figures.back().second, figure_caption(analysis, options)}}});
    out.figures.emplace_back(preset + "-recommendation.svg", comparison_answers(analysis, preset));
    sections.push_back(
        {"Figure: recommendations, " + preset,
         {report::Drawing{out.figures.back().second, prose().line("answers: figure")}}});
    sections.push_back(results_section(analysis, preset));
  }
  if (Section published = published_section(analysis); !published.blocks.empty()) {
    sections.push_back(std::move(published));
  }
  for (const std::string& preset : analysis.presets()) {
    sections.push_back(grids_section(analysis, preset));
  }
  sections.push_back(facts_section(analysis, head));
  sections.push_back(methods_section(analysis));
  return out;
}

}  // namespace duets::lab
