#include "duets/lab/self_tuning_findings.h"

#include <fmt/format.h>

#include "duets/lab/comparison_text.h"
#include "duets/lab/prose.h"
#include "duets/lab/self_tuning_figure.h"

namespace duets::lab {
namespace {

using report::Markup;

// Two digits at least of what is sent.
std::string short_number(double value) {
  return value < 0.1 ? fmt::format("{:.3f}", value) : fmt::format("{:.2f}", value);
}

const std::optional<Ratio>& ratio_of_measure(const Ratios& ratios, Measure measure) {
  return ratios[static_cast<std::size_t>(measure)];
}

// "0.83 [0.71, 0.97]"; a dash for nothing.
Markup ratio_cell(const std::optional<Ratio>& ratio) {
  if (!ratio) return {report::kDash};
  if (!ratio->interval) return {short_number(ratio->value)};
  return {fmt::format("{} [{}, {}]", short_number(ratio->value), short_number(ratio->interval->low),
                      short_number(ratio->interval->high))};
}

// "0.83*": an asterisk marks a ratio that is established to be below 1, a minus sign one above.
std::string marked_ratio(const std::optional<Ratio>& ratio) {
  if (!ratio) return report::kDash;
  const Order order = ratio->order();
  const char* mark = order == Order::kLower ? "*" : order == Order::kHigher ? "-" : "";
  return short_number(ratio->value) + mark;
}

// "0.83* / 0.12": regret / reals of the paper's ledger; beside peers regret / recommendation.
Markup ratios_cell(const Ratios& ratios, bool peers) {
  const std::string regret = marked_ratio(ratio_of_measure(ratios, Measure::kRegret));
  if (peers) {
    const auto& recommendation = ratio_of_measure(ratios, Measure::kRecommendation);
    return {fmt::format("{} / {}", regret, marked_ratio(recommendation))};
  }
  const auto& reals = ratio_of_measure(ratios, Measure::kPaper);
  return {fmt::format("{} / {}", regret, reals ? short_number(reals->value) : report::kDash)};
}

// The same of a mean; beside peers with intervals.
Markup mean_cell(const SelfTuningMean& mean) {
  if (!find_condition(mean.condition).peers) return ratios_cell(mean.ratios, false);
  return report::join({ratio_cell(ratio_of_measure(mean.ratios, Measure::kRegret)),
                       {" / "},
                       ratio_cell(ratio_of_measure(mean.ratios, Measure::kRecommendation))});
}

// "21.3 (beta = 0.5, lambda = 0.2, D = 2; edge: D)".
Markup with_setting(const std::string& numbers, const SelfTuningEntry& entry) {
  if (entry.setting.empty()) return report::text(numbers);
  const std::string edge = entry.edge.empty() ? "" : "; " + entry.edge;
  return report::text(fmt::format("{} ({}{})", numbers, entry.setting, edge));
}

// The seeds of what is shown and of what chose the rival's settings.
report::Blanks seeds_blanks(const SelfTuningAnalysis& analysis) {
  return {{"seeds", report::text(seeds_text(analysis.seeds))},
          {"selection",
           report::text(analysis.selection_seeds.empty() ? "nothing was chosen"
                                                         : seeds_text(analysis.selection_seeds))}};
}

/// x_ratio, x_ratio_low and x_ratio_high for every measure.
template <class Row, class RatiosOf>
void add_ratios(report::Columns<Row>& columns, const RatiosOf& ratios) {
  for (const Measure measure : kMeasures) {
    const auto ratio = [ratios, measure](const Row& row) -> const std::optional<Ratio>& {
      return ratio_of_measure(ratios(row), measure);
    };
    const auto interval = [ratio](const Row& row) {
      return ratio(row) ? ratio(row)->interval : std::nullopt;
    };
    const std::string name = fmt::format("{}_ratio", base::name_of(measure));
    columns.push_back({name, [ratio](const Row& row) {
                         return ratio(row) ? report::Value(ratio(row)->value) : report::Value();
                       }});
    columns.push_back(
        {name + "_low", [interval](const Row& row) { return low_of(interval(row)); }});
    columns.push_back(
        {name + "_high", [interval](const Row& row) { return high_of(interval(row)); }});
  }
}

struct EntryLine {
  const SelfTuningTask* task;
  const SelfTuningEntry* entry;
};

report::Table entries_table(const SelfTuningAnalysis& analysis) {
  using L = EntryLine;
  report::Columns<L> columns = {{"condition", [](const L& l) { return l.task->condition; }},
                                {"function", [](const L& l) { return l.task->function; }},
                                {"name", [](const L& l) { return l.entry->name; }},
                                {"setting", [](const L& l) { return l.entry->setting; }},
                                {"edge", [](const L& l) { return l.entry->edge; }}};
  add_numbers(columns, [](const L& l) -> const FinalNumbers& { return *l.entry; }, {});
  add_recommendations(columns,
                      [](const L& l) -> const Recommendations& { return l.entry->recommendation; });
  columns.push_back({"reference", [](const L& l) { return l.entry->reference; }});
  add_ratios(columns, [](const L& l) -> const Ratios& { return l.entry->ratios; });
  std::vector<L> lines;
  for (const SelfTuningTask& task : analysis.tasks) {
    for (const SelfTuningEntry& entry : task.entries) lines.push_back({&task, &entry});
  }
  return make_table(columns, lines);
}

report::Table means_table(const SelfTuningAnalysis& analysis) {
  using M = SelfTuningMean;
  report::Columns<M> columns = {
      {"condition", &M::condition}, {"group", &M::group},
      {"name", &M::name},           {"reference", &M::reference},
      {"functions", &M::functions}, {"runs", &M::runs},
      {"lost", &M::lost},           {"lost_reference", &M::lost_reference}};
  add_ratios(columns, [](const M& m) -> const Ratios& { return m.ratios; });
  return make_table(columns, analysis.means);
}

std::vector<AskTellRow> ask_tell_rows(const SelfTuningAnalysis& analysis) {
  std::vector<AskTellRow> rows;
  for (const SelfTuningTask& task : analysis.tasks) {
    if (task.ask_tell) rows.push_back({task.condition, task.function, *task.ask_tell});
  }
  return rows;
}

// What plain ask and tell sends, before the presets of a condition.
void add_ask_tell(const SelfTuningAnalysis& analysis, const std::string& condition,
                  std::vector<std::vector<Markup>>& rows) {
  const auto ratio = analysis.ask_tell_ratio(condition);
  if (!ratio) return;
  const auto tasks = analysis.of_condition(condition);
  const Markup none{report::kDash};
  rows.push_back({report::text(find_condition(condition).title),
                  {fmt::format("{} (all)", tasks.size())},
                  {"plain ask and tell"},
                  report::text(tasks.front()->rival().name),
                  none,
                  {short_number(ratio->paper)},
                  {short_number(ratio->links)},
                  none,
                  none});
}

// For people: the means to the rivals, or those of ingredients to "auto".
report::Table shown_means(const SelfTuningAnalysis& analysis, bool ingredients) {
  std::vector<std::string> titles = {"condition",  "functions",      "preset",
                                     "rival",      "regret",         "reals, paper",
                                     "every link", "recommendation", "lost, and the rival"};
  if (ingredients) {
    titles = {"change",     "functions",      "regret",        "reals, paper",
              "every link", "recommendation", "lost, and auto"};
  }
  std::vector<std::vector<Markup>> rows;
  std::string condition;
  for (const SelfTuningMean& mean : analysis.means) {
    if ((mean.reference == kIngredientReference) != ingredients) continue;
    if (!ingredients && mean.condition != condition) {
      condition = mean.condition;
      add_ask_tell(analysis, condition, rows);
    }
    const Markup functions = {fmt::format("{} ({})", mean.functions, mean.group)};
    rows.emplace_back();
    if (ingredients) {
      rows.back() = {report::text(mean.name), functions};
    } else {
      rows.back() = {report::text(find_condition(mean.condition).title), functions,
                     report::text(mean.name), report::text(mean.reference)};
    }
    for (const auto& ratio : mean.ratios) rows.back().push_back(ratio_cell(ratio));
    rows.back().push_back(
        {fmt::format("{:.0f} %, {:.0f} %", 100 * mean.lost, 100 * mean.lost_reference)});
  }
  return report::shown_table(
      prose().line(ingredients ? "self-tuning: ingredients" : "self-tuning: means"), titles, rows);
}

// Regret with its error, the ratios of each preset, and what each recommends.
report::Section functions_section(const SelfTuningAnalysis& analysis,
                                  const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::vector<std::string> names = presets_in(*tasks.front());
  const std::string& rival_name = tasks.front()->rival().name;
  std::vector<std::string> titles = {
      "function", rival_name, "its reals", "plain ask and tell", "recommendation regret", "lost"};
  for (const std::string& name : names) {
    titles.insert(titles.end(), {report::text(name).html, "regret ratio", "reals ratio",
                                 "recommendation regret", "lost"});
  }
  std::vector<std::vector<Markup>> rows;
  for (const SelfTuningTask* task : tasks) {
    const SelfTuningEntry& rival = task->rival();
    rows.push_back({report::text(function_title(task->function)),
                    with_setting(mean_text(rival.regret), rival),
                    report::number(rival.communication[0].mean),
                    task->ask_tell ? report::number(task->ask_tell->reals(Ledger::kPaper))
                                   : Markup{report::kDash},
                    recommendation_text(rival.recommendation), lost_text(rival.recommendation)});
    for (const std::string& name : names) {
      const SelfTuningEntry& entry = *task->find(name);
      rows.back().insert(rows.back().end(),
                         {report::text(mean_text(entry.regret)), ratio_cell(entry.ratios[0]),
                          ratio_cell(entry.ratios[1]), recommendation_text(entry.recommendation),
                          lost_text(entry.recommendation)});
    }
  }
  return {fmt::format("{}: {}", condition, find_condition(condition).title),
          {report::shown_table(
              prose().line("self-tuning: functions", {{"rival", report::text(rival_name)}}), titles,
              rows)}};
}

std::vector<Markup> mean_row(const SelfTuningAnalysis& analysis, const std::string& condition,
                             const std::string& group, std::vector<Markup> row,
                             const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const SelfTuningMean* mean = analysis.find(condition, group, name);
    row.push_back(mean != nullptr ? mean_cell(*mean) : Markup{});
  }
  return row;
}

std::vector<std::string> with_names(std::vector<std::string> titles,
                                    const std::vector<std::string>& names) {
  for (const std::string& name : names) titles.push_back(report::text(name).html);
  return titles;
}

// For a terminal: a line for each function, and the geometric means.
report::Section functions_summary(const SelfTuningAnalysis& analysis,
                                  const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::vector<std::string> names = presets_in(*tasks.front());
  const bool peers = find_condition(condition).peers;
  std::vector<std::vector<Markup>> rows;
  for (const SelfTuningTask* task : tasks) {
    const SelfTuningEntry& rival = task->rival();
    const std::string other = peers ? fmt::format("{:.3g}", rival.recommendation.regret.mean)
                                    : fmt::format("{:.0f}", rival.communication[0].mean);
    rows.push_back({report::text(function_title(task->function)),
                    with_setting(fmt::format("{:.1f} / {}", rival.regret.mean, other), rival)});
    for (const std::string& name : names) {
      rows.back().push_back(ratios_cell(task->find(name)->ratios, peers));
    }
  }
  for (const std::string group : {"paper", "added", "boxes", "mixed", "all"}) {
    if (analysis.find(condition, group, names.back()) == nullptr) continue;
    rows.push_back(
        mean_row(analysis, condition, group, {{"geometric mean, " + group}, {" "}}, names));
  }
  if (const auto ratio = analysis.ask_tell_ratio(condition); ratio && !peers) {
    rows.push_back({{"plain ask and tell, to the rival's reals"},
                    {fmt::format("- / {}", short_number(ratio->paper))}});
    rows.back().resize(2 + names.size());
  }
  const std::string rival_title = fmt::format("{}, regret / {}", tasks.front()->rival().name,
                                              peers ? "recommendation" : "reals");
  return {fmt::format("{}: {}", condition, find_condition(condition).title),
          {report::shown_table({}, with_names({"function", rival_title}, names), rows)}};
}

// For a terminal: what everybody recommends, "0.012, 5 %".
report::Section recommendations_summary(const SelfTuningAnalysis& analysis,
                                        const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  std::vector<std::string> names = presets_in(*tasks.front());
  names.insert(names.begin(), tasks.front()->rival().name);
  std::vector<std::vector<Markup>> rows;
  for (const SelfTuningTask* task : tasks) {
    rows.push_back({report::text(function_title(task->function))});
    for (const std::string& name : names) {
      const Recommendations& found = task->find(name)->recommendation;
      rows.back().push_back(report::join(
          {report::text(fmt::format("{:.3g}, ", found.regret.mean)), lost_text(found)}));
    }
  }
  return {{},
          {report::shown_table({}, with_names({condition + ": recommendation regret, lost"}, names),
                               rows)}};
}

report::Section stress_summary(const SelfTuningAnalysis& analysis) {
  std::vector<std::string> names;
  std::vector<std::vector<Markup>> rows;
  for (const std::string& condition : analysis.conditions()) {
    if (has_functions_of_its_own(condition)) continue;
    names = presets_in(*analysis.of_condition(condition).front());
    rows.push_back(mean_row(analysis, condition, "all",
                            {report::text(find_condition(condition).title)}, names));
  }
  if (rows.empty()) return {};
  return {{}, {report::shown_table({}, with_names({"stress, geometric means"}, names), rows)}};
}

report::Section ingredients_summary(const SelfTuningAnalysis& analysis) {
  std::vector<std::vector<Markup>> rows;
  for (const std::string& condition : analysis.conditions()) {
    for (const std::string& name : ingredients_in(*analysis.of_condition(condition).front())) {
      const SelfTuningMean* mean = analysis.find(condition, "all", name);
      rows.push_back(
          {report::text(name), ratio_cell(mean->ratios[0]), ratio_cell(mean->ratios[1])});
    }
  }
  if (rows.empty()) return {};
  return {{}, {report::shown_table({}, {"ingredients, to auto", "regret", "reals"}, rows)}};
}

std::vector<report::Section> summary_of(const SelfTuningAnalysis& analysis) {
  if (analysis.tasks.empty()) return {{{}, {report::Paragraph{{"Nothing was run."}}}}};
  std::vector<report::Section> out;
  for (const std::string& condition : analysis.conditions()) {
    if (!has_functions_of_its_own(condition)) continue;
    out.push_back(functions_summary(analysis, condition));
    out.push_back(recommendations_summary(analysis, condition));
  }
  out.push_back(stress_summary(analysis));
  out.push_back(ingredients_summary(analysis));
  out.push_back({{}, prose().blocks("self-tuning: summary", seeds_blanks(analysis))});
  std::erase_if(out, [](const report::Section& section) { return section.blocks.empty(); });
  return out;
}

report::Report page_of(const SelfTuningAnalysis& analysis, const PageHead& head,
                       const std::vector<report::NamedFigure>& figures) {
  report::Report page = begin_page(head);
  const report::Blanks beta = {{"beta", report::number(kSelfTuningPaperBeta)}};
  page.sections = {run_section(prose().blocks("self-tuning: what was run", beta), head),
                   {"Regret and communication",
                    {report::Drawing{figures[0].second, prose().line("self-tuning: figure")}}},
                   {"Recommendations",
                    {report::Drawing{figures[1].second, prose().line("self-tuning: answers")}}},
                   {"All conditions", {shown_means(analysis, false)}}};
  report::Table ingredients = shown_means(analysis, true);
  if (!ingredients.rows.empty()) {
    page.sections.push_back({"What each ingredient contributes", {std::move(ingredients)}});
  }
  for (const std::string& condition : analysis.conditions()) {
    page.sections.push_back(functions_section(analysis, condition));
  }
  page.sections.push_back(
      {"Method", prose().blocks("self-tuning: method", seeds_blanks(analysis))});
  return page;
}

}  // namespace

std::vector<std::string> presets_in(const SelfTuningTask& task) {
  std::vector<std::string> out;
  for (const SelfTuningEntry& entry : task.entries) {
    if (entry.reference == task.rival().name) out.push_back(entry.name);
  }
  return out;
}

std::vector<std::string> ingredients_in(const SelfTuningTask& task) {
  std::vector<std::string> out;
  for (const SelfTuningEntry& entry : task.entries) {
    if (entry.reference == kIngredientReference) out.push_back(entry.name);
  }
  return out;
}

bool has_functions_of_its_own(std::string_view condition) {
  return find_condition(condition).functions != FunctionSet::kStress;
}

Findings self_tuning_findings(const SelfTuningAnalysis& analysis, const PageHead& head) {
  Findings out;
  out.tables = {
      {.name = "self_tuning", .table = entries_table(analysis)},
      {.name = "means", .table = means_table(analysis)},
      {.name = "ask_tell", .table = ask_tell_table(ask_tell_rows(analysis)), .in_json = false}};
  out.summary = summary_of(analysis);
  out.figures = {{"self_tuning.svg", self_tuning_figure(analysis)},
                 {"recommendation.svg", self_tuning_answers(analysis)}};
  out.page = page_of(analysis, head, out.figures);
  return out;
}

}  // namespace duets::lab
