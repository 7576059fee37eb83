#include "duets/lab/variants_findings.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/lab/comparison_text.h"
#include "duets/lab/prose.h"
#include "duets/lab/variants_figure.h"

namespace duets::lab {
namespace {

constexpr std::uint32_t kHorizon = 50;
constexpr std::uint32_t kLongHorizon = 12800;

/// An entry on a function.
struct EntryRow {
  std::string function;
  VariantResult result;
};

std::vector<EntryRow> entries_of(const VariantsTask& task) {
  std::vector<EntryRow> rows;
  for (const VariantResult& result : task.results) rows.push_back({task.function, result});
  return rows;
}

report::Columns<EntryRow> entry_columns() {
  using R = EntryRow;
  report::Columns<R> columns = {
      {"", {}, "variant or rival", [](const R& r) { return report::text(r.result.label()); }},
      {"function", &R::function},
      {"algorithm", [](const R& r) { return r.result.algorithm; }},
      {"variant", [](const R& r) { return r.result.variant; }},
      {"beta", [](const R& r) { return r.result.beta; }, "beta",
       [](const R& r) {
         return report::join({report::number(r.result.beta), {r.result.at_edge ? " (edge)" : ""}});
       }},
      {"at_edge", [](const R& r) { return r.result.at_edge; }}};
  add_numbers(columns, [](const R& r) -> const FinalNumbers& { return r.result; },
              {.regret = "regret",
               .paper = "reals, paper",
               .figure = "uplink of all",
               .links = "every link",
               .indices = "indices",
               .literal = "literal S",
               .rounds = "rounds",
               .with_error = true});
  add_recommendations(
      columns, [](const R& r) -> const Recommendations& { return r.result.recommendation; }, true);
  const report::Columns<R> more = {
      {.name = "exchanges",  // DisKernelUCB decides as it goes
       .value =
           [](const R& r) {
             if (!r.result.is_duets()) return report::Value();
             return report::Value(num_exchanges(find_variant(r.result.variant), kHorizon));
           }},
      {"standing", [](const R& r) { return base::name_of(r.result.standing); }, "standing",
       [](const R& r) {
         if (r.result.standing != Standing::kDominated) return report::Markup{};
         return report::text("dominated by " + r.result.dominated_by);
       }},
      {"dominated_by", [](const R& r) { return r.result.dominated_by; }}};
  columns.insert(columns.end(), more.begin(), more.end());
  return columns;
}

struct DifferenceRow {
  std::string function;
  std::string_view measure;
  std::string first, second;
  PairedDifference difference;
};

report::Table differences_table(const VariantsAnalysis& analysis) {
  using R = DifferenceRow;
  report::Columns<R> columns = {{"function", &R::function},
                                {"measure", &R::measure},
                                {"first", &R::first},
                                {"second", &R::second}};
  add_difference_columns(columns);
  std::vector<R> rows;
  for (const VariantsTask& task : analysis.tasks) {
    for (const VariantPair& pair : task.pairs) {
      if (pair.first > pair.second) continue;
      const std::string first = task.results[pair.first].label();
      const std::string second = task.results[pair.second].label();
      rows.push_back({task.function, "regret", first, second, pair.regret});
      rows.push_back({task.function, "communication_paper", first, second, pair.reals});
      rows.push_back({task.function, "recommendation_regret", first, second, pair.recommendation});
    }
  }
  return make_table(columns, rows);
}

std::vector<AskTellRow> ask_tell_rows(const VariantsAnalysis& analysis) {
  std::vector<AskTellRow> rows;
  for (const VariantsTask& task : analysis.tasks) {
    if (task.ask_tell) rows.push_back({"variants", task.function, *task.ask_tell});
  }
  return rows;
}

report::Table costs_table() {
  using V = Variant;
  const report::Columns<V> columns = {
      {"variant", &V::name, "variant"},
      {"epochs", epochs_text, "epochs at T = 50"},
      {"exchanges", [](const V& v) { return num_exchanges(v, kHorizon); }, "exchanges"},
      {"",
       {},
       "at T = 12800",
       [](const V& v) { return report::Markup{std::to_string(num_exchanges(v, kLongHorizon))}; }},
      {"exchange_growth", exchange_growth, "growth"},
      {"theorem_left", theorem_left}};
  return make_table(columns, duets_variants(), prose().line("variants: costs"));
}

// Variants of which the same is left, together.
report::List theorems_list() {
  std::vector<std::pair<std::string, std::string>> lines;  // what is left, variants
  for (const Variant& variant : duets_variants()) {
    const std::string left = theorem_left(variant);
    const auto same = std::find_if(lines.begin(), lines.end(),
                                   [&](const auto& line) { return line.first == left; });
    if (same == lines.end()) {
      lines.emplace_back(left, variant.name);
    } else {
      same->second += ", " + variant.name;
    }
  }
  report::List out;
  for (const auto& [left, names] : lines) {
    out.items.push_back(
        report::join({report::strong(report::text(names)), {": "}, report::text(left)}));
  }
  return out;
}

report::Markup summary_cell(const VariantResult& result) {
  const char* mark = result.standing == Standing::kFrontier    ? "*"
                     : result.standing == Standing::kDominated ? "-"
                                                               : " ";
  return report::text(
      fmt::format("{:.0f} / {:.0f} {}", result.regret.mean, result.communication[0].mean, mark));
}

// "0.0123, 4 %".
report::Markup answer_cell(const VariantResult& result) {
  return report::join({report::text(fmt::format("{:.3g}, ", result.recommendation.regret.mean)),
                       lost_text(result.recommendation)});
}

// For a terminal: what everybody recommends.
report::Table answers_summary(const VariantsAnalysis& analysis) {
  std::vector<std::string> titles = {"simple regret, lost"};
  for (const VariantsTask& task : analysis.tasks) titles.push_back(function_title(task.function));
  std::vector<std::vector<report::Markup>> rows;
  for (const VariantResult& first : analysis.tasks.front().results) {
    rows.push_back({report::text(first.label())});
    for (const VariantsTask& task : analysis.tasks) {
      const VariantResult* result = task.find(first.algorithm, first.variant);
      rows.back().push_back(result != nullptr ? answer_cell(*result) : report::Markup{});
    }
  }
  return report::shown_table({}, titles, rows);
}

report::Section summary_section(const VariantsAnalysis& analysis) {
  if (analysis.tasks.empty()) return {.blocks = {report::Paragraph{{"Nothing was run."}}}};
  std::vector<std::string> titles = {"regret / reals (paper ledger)"};
  for (const VariantsTask& task : analysis.tasks) titles.push_back(function_title(task.function));
  std::vector<std::vector<report::Markup>> rows;
  for (const VariantResult& first : analysis.tasks.front().results) {
    rows.push_back({report::text(first.label())});
    for (const VariantsTask& task : analysis.tasks) {
      const VariantResult* result = task.find(first.algorithm, first.variant);
      rows.back().push_back(result != nullptr ? summary_cell(*result) : report::Markup{});
    }
  }
  rows.push_back({{"plain ask and tell"}});
  for (const VariantsTask& task : analysis.tasks) {
    rows.back().push_back(task.ask_tell ? report::text(fmt::format(
                                              "- / {:.0f}", task.ask_tell->reals(Ledger::kPaper)))
                                        : report::Markup{});
  }
  report::Section out{.blocks = {report::shown_table({}, titles, rows), answers_summary(analysis)}};
  const report::Markup seeds = report::text(seeds_text(analysis.seeds));
  append(out.blocks, prose().blocks("variants: summary", {{"seeds", seeds}}));
  return out;
}

report::Report page_of(const VariantsAnalysis& analysis, const PageHead& head,
                       const std::vector<report::NamedFigure>& figures,
                       const report::Table& costs) {
  report::Report page = begin_page(head);
  page.sections = {
      run_section(
          prose().blocks("variants: what was run", {{"beta", report::number(kVariantBeta)}}), head),
      {"The frontier", {report::Drawing{figures[0].second, prose().line("variants: figure")}}},
      {"Recommendations", {report::Drawing{figures[1].second, prose().line("answers: figure")}}},
      {"Costs", {costs}}};
  append(page.sections.back().blocks, prose().blocks("variants: exchanges"));
  page.sections.back().blocks.push_back(ask_tell_table(ask_tell_rows(analysis)));
  page.sections.back().blocks.push_back(theorems_list());
  for (const VariantsTask& task : analysis.tasks) {
    page.sections.push_back(
        {function_title(task.function),
         {make_table(entry_columns(), entries_of(task), prose().line("variants: results"))}});
  }
  page.sections.push_back(
      {"Method",
       prose().blocks("variants: method",
                      {{"seeds", report::text(seeds_text(analysis.seeds))},
                       {"selection", report::text(seeds_text(analysis.selection_seeds))}})});
  return page;
}

}  // namespace

std::string epochs_text(const Variant& variant) {
  const protocol::Study settings = variant_settings(variant);
  return fmt::format(
      "{}", fmt::join(protocol::epoch_lengths(settings.schedule, kHorizon, settings.t1), ", "));
}

std::size_t num_exchanges(const Variant& variant, std::uint32_t horizon) {
  const protocol::Study settings = variant_settings(variant);
  return protocol::epoch_lengths(settings.schedule, horizon, settings.t1).size() - 1;
}

Findings variants_findings(const VariantsAnalysis& analysis, const PageHead& head) {
  Findings out;
  std::vector<EntryRow> entries;
  for (const VariantsTask& task : analysis.tasks) {
    const std::vector<EntryRow> more = entries_of(task);
    entries.insert(entries.end(), more.begin(), more.end());
  }
  const report::Table costs = costs_table();
  out.tables = {
      {.name = "variants", .table = make_table(entry_columns(), entries)},
      {.name = "differences", .table = differences_table(analysis), .in_json = false},
      {.name = "costs", .table = costs, .in_json = false},
      {.name = "ask_tell", .table = ask_tell_table(ask_tell_rows(analysis)), .in_json = false}};
  out.summary = {summary_section(analysis)};
  out.figures = {{"variants.svg", variants_figure(analysis)},
                 {"recommendation.svg", variants_answers(analysis)}};
  out.page = page_of(analysis, head, out.figures, costs);
  return out;
}

}  // namespace duets::lab
