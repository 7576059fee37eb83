#include <algorithm>
#include <limits>

#include "duets/lab/comparison_sections.h"
#include "duets/lab/comparison_text.h"
#include "duets/lab/presets.h"
#include "duets/lab/prose.h"
#include "duets/lab/published.h"

namespace duets::lab {
namespace {

using report::Markup;
using report::Section;
using report::strong;

constexpr auto kFigure = static_cast<std::size_t>(Ledger::kFigure);

// For a cell: the text below the table says what it means.
Markup short_text(Verdict verdict) { return {std::string(base::name_of(verdict))}; }

Markup strong_verdict(Verdict verdict) { return strong({std::string(base::meaning_of(verdict))}); }

report::Details claim_details(const ClaimVerdict& claim) {
  report::Details out{
      .summary =
          report::join({report::text(claim_scope(claim)), {": "}, strong_verdict(claim.overall)}),
      .paragraph = report::text(claim.text)};
  for (const FunctionVerdict& f : claim.functions) {
    out.items.push_back(report::join({report::text(function_title(f.function)),
                                      {": "},
                                      strong_verdict(f.verdict),
                                      {". "},
                                      report::text(f.text)}));
  }
  return out;
}

// One line for each scope, one column for each function.
report::Table claim_table(const std::vector<ClaimVerdict>& claims) {
  report::Columns<ClaimVerdict> columns = {{"", {}, "judged by", [](const ClaimVerdict& claim) {
                                              return report::text(claim_scope(claim));
                                            }}};
  for (const std::string_view function : paper_functions()) {
    columns.push_back(
        {"", {}, function_title(std::string(function)), [function](const ClaimVerdict& claim) {
           const auto found =
               std::find_if(claim.functions.begin(), claim.functions.end(),
                            [&](const FunctionVerdict& f) { return f.function == function; });
           return found == claim.functions.end() ? Markup{"not run"} : short_text(found->verdict);
         }});
  }
  columns.push_back({"", {}, "overall", [](const ClaimVerdict& claim) {
                       return strong(short_text(claim.overall));
                     }});
  return make_table(columns, claims);
}

// Who sends nothing makes the claim false to the letter.
report::Blocks silent_words(const std::vector<ClaimVerdict>& claims) {
  std::vector<FunctionVerdict> functions;
  for (const ClaimVerdict& c : claims) {
    functions.insert(functions.end(), c.functions.begin(), c.functions.end());
  }
  const std::vector<std::string> silent = silent_rivals(functions);
  if (silent.empty()) return {};
  const std::string rivals = list_text(silent) + (silent.size() == 1 ? " sends" : " send");
  return prose().blocks("comparison: silent rivals", {{"rivals", report::text(rivals)}});
}

// Ours: the contender at a beta or at the best one, if the preset was run.
const ContenderAnalysis* ours(const Analysis& analysis, std::string_view preset,
                              const PublishedFinal& f, bool plotted) {
  for (const TaskAnalysis* task : analysis.of_preset(preset)) {
    if (task->function != f.function) continue;
    return plotted ? task->find(f.algorithm, plotted_beta(f.algorithm))
                   : task->chosen_of(f.algorithm);
  }
  return nullptr;
}

report::Table published_table(const Analysis& analysis) {
  struct Row {
    const PublishedFinal* published;
    const ContenderAnalysis *plotted, *paper;
  };
  const auto regret = [](const ContenderAnalysis* c) {
    return c == nullptr ? Markup{} : report::text(mean_text(c->regret));
  };
  const auto reals = [](const ContenderAnalysis* c) {
    return c == nullptr ? report::Value() : report::Value(c->communication[kFigure].mean);
  };
  const report::Columns<Row> columns = {
      {"",
       {},
       "function, algorithm",
       [](const Row& r) {
         return report::text(function_title(std::string(r.published->function)) + ", " +
                             std::string(r.published->algorithm));
       }},
      {"", [](const Row& r) { return r.published->regret; }, "regret published"},
      {"", {}, "as plotted", [&](const Row& r) { return regret(r.plotted); }},
      {.value =
           [](const Row& r) {
             if (r.plotted == nullptr) return report::Value();
             return report::Value(r.plotted->regret.mean / r.published->regret);
           },
       .title = "ratio",
       .digits = 2},
      {"", {}, "paper", [&](const Row& r) { return regret(r.paper); }},
      {"", [](const Row& r) { return r.published->scalars; }, "reals published"},
      {"", [&](const Row& r) { return reals(r.plotted); }, "as plotted", {}, 3},
      {"", [&](const Row& r) { return reals(r.paper); }, "paper", {}, 3}};
  std::vector<Row> rows;
  for (const PublishedFinal& f : published_finals()) {
    const ContenderAnalysis* plotted = ours(analysis, "as-plotted", f, true);
    const ContenderAnalysis* paper = ours(analysis, "paper", f, false);
    if (plotted != nullptr || paper != nullptr) rows.push_back({&f, plotted, paper});
  }
  return make_table(columns, rows, prose().line("comparison: published values"));
}

}  // namespace

bool is_published(std::string_view preset) {
  const auto names = preset_names();
  return std::find(names.begin(), names.end(), preset) != names.end();
}

Section claims_section(const std::vector<ClaimVerdict>& claims, bool details) {
  Section out{.title = "The published claims"};
  for (const auto& sentence : base::entries_of<Claim>()) {
    std::vector<ClaimVerdict> judged;
    std::copy_if(claims.begin(), claims.end(), std::back_inserter(judged),
                 [&](const ClaimVerdict& claim) { return claim.claim == sentence.value; });
    if (judged.empty()) continue;
    out.blocks.push_back(report::Quote{report::text(sentence.meaning)});
    out.blocks.push_back(claim_table(judged));
    append(out.blocks, silent_words(judged));
    if (!details) continue;
    for (const ClaimVerdict& claim : judged) out.blocks.push_back(claim_details(claim));
  }
  append(out.blocks, prose().blocks("comparison: verdicts"));
  return out;
}

Section published_section(const Analysis& analysis) {
  report::Table table = published_table(analysis);
  if (table.rows.empty()) return {};
  Section out{.title = "Published values beside ours", .blocks = {std::move(table)}};
  append(out.blocks, prose().blocks("comparison: published differences"));
  return out;
}

}  // namespace duets::lab
