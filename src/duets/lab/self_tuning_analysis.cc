#include "duets/lab/self_tuning_analysis.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "duets/base/error.h"
#include "duets/lab/presets.h"

namespace duets::lab {
namespace {

// The resamples of a size are drawn once.
class Bootstraps {
 public:
  const Bootstrap& of(std::size_t size) { return all_.try_emplace(size, size).first->second; }

 private:
  std::map<std::size_t, Bootstrap> all_;
};

SelfTuningEntry entry_of(const Task& task, std::size_t index, const std::vector<Unit>& units,
                         const Bootstrap& bootstrap) {
  const Contender& contender = task.contenders[index];
  const std::string& rival = task.contenders.front().algorithm;
  const bool is_duets = contender.algorithm == "DUETS";
  SelfTuningEntry out;
  out.name = is_duets ? contender.variant : contender.algorithm;
  if (contender.algorithm != rival) out.reference = rival;
  if (is_duets && std::ranges::count(ingredient_names(), out.name) > 0) {
    out.reference = kIngredientReference;
  }
  if (!is_duets && contender.beta > 0) {
    const char* comma = contender.variant.empty() ? "" : ", ";
    out.setting = fmt::format("beta = {}{}{}", contender.beta, comma, contender.variant);
  }
  static_cast<FinalNumbers&>(out) = final_numbers(units, index, out.name, bootstrap);
  return out;
}

// Of the rival's settings the chosen one, in the place of the first.
std::vector<SelfTuningEntry> entries_of(const Task& task, const std::vector<Unit>& units,
                                        const std::vector<Grid>& grids,
                                        const Bootstrap& bootstrap) {
  std::vector<SelfTuningEntry> entries;
  for (const Grid& grid : grids) {
    entries.push_back(entry_of(task, grid.chosen, units, bootstrap));
    entries.back().edge = edge_text(grid);
  }
  return entries;
}

std::span<const double> values_of(const SelfTuningEntry& entry, Measure measure) {
  switch (measure) {
    case Measure::kRegret:
      return entry.final_regret;
    case Measure::kPaper:
      return entry.final_communication[static_cast<std::size_t>(Ledger::kPaper)];
    case Measure::kRecommendation:
      return entry.recommendation.final_regret;
    case Measure::kLinks:
      break;
  }
  return entry.final_communication[static_cast<std::size_t>(Ledger::kLinks)];
}

void compare_entries(SelfTuningTask& task, const Bootstrap& bootstrap) {
  for (SelfTuningEntry& entry : task.entries) {
    const SelfTuningEntry* reference = task.find(entry.reference);
    if (reference == nullptr) continue;
    for (const Measure measure : kMeasures) {
      const auto at = static_cast<std::size_t>(measure);
      entry.log_ratios[at] = log_ratio(values_of(entry, measure), values_of(*reference, measure));
      if (entry.log_ratios[at]) entry.ratios[at] = ratio_of(*entry.log_ratios[at], bootstrap);
    }
  }
}

// Of the entries of this name, one for each function.
SelfTuningMean mean_over(const std::vector<const SelfTuningEntry*>& entries,
                         const Bootstrap& bootstrap) {
  SelfTuningMean out{.name = entries.front()->name,
                     .reference = entries.front()->reference,
                     .functions = entries.size(),
                     .runs = entries.front()->regret.runs};
  for (std::size_t at = 0; at < kMeasures.size(); ++at) {
    std::vector<LogRatio> logs;
    for (const SelfTuningEntry* entry : entries) {
      if (entry->log_ratios[at]) logs.push_back(*entry->log_ratios[at]);
    }
    if (logs.size() == entries.size()) out.ratios[at] = ratio_of(mean_of(logs), bootstrap);
  }
  return out;
}

double mean_lost(const std::vector<const SelfTuningTask*>& tasks, const std::string& name) {
  double sum = 0;
  for (const SelfTuningTask* task : tasks) sum += task->find(name)->recommendation.lost;
  return sum / static_cast<double>(tasks.size());
}

void append_means(const std::vector<const SelfTuningTask*>& tasks, const std::string& group,
                  Bootstraps& bootstraps, std::vector<SelfTuningMean>& means) {
  if (tasks.empty()) return;
  for (const SelfTuningEntry& first : tasks.front()->entries) {
    if (first.reference.empty()) continue;
    std::vector<const SelfTuningEntry*> entries;
    entries.reserve(tasks.size());
    for (const SelfTuningTask* task : tasks) entries.push_back(task->find(first.name));
    means.push_back(mean_over(entries, bootstraps.of(first.regret.runs)));
    means.back().lost = mean_lost(tasks, first.name);
    means.back().lost_reference = mean_lost(tasks, first.reference);
    means.back().condition = tasks.front()->condition;
    means.back().group = group;
  }
}

void append_groups(const SelfTuningAnalysis& analysis, const std::string& condition,
                   Bootstraps& bootstraps, std::vector<SelfTuningMean>& means) {
  const std::vector<const SelfTuningTask*> all = analysis.of_condition(condition);
  append_means(all, "all", bootstraps, means);
  const auto split = [&](bool SelfTuningTask::*is_first, const char* first, const char* second) {
    std::vector<const SelfTuningTask*> ones, others;
    for (const SelfTuningTask* task : all) (task->*is_first ? ones : others).push_back(task);
    if (ones.empty() || others.empty()) return;
    append_means(ones, first, bootstraps, means);
    append_means(others, second, bootstraps, means);
  };
  split(&SelfTuningTask::of_paper, "paper", "added");
  split(&SelfTuningTask::mixed, "mixed", "boxes");
}

}  // namespace

const SelfTuningEntry* SelfTuningTask::find(std::string_view name) const {
  for (const SelfTuningEntry& entry : entries) {
    if (entry.name == name) return &entry;
  }
  return nullptr;
}

const SelfTuningMean* SelfTuningAnalysis::find(std::string_view condition, std::string_view group,
                                               std::string_view name) const {
  for (const SelfTuningMean& mean : means) {
    if (mean.condition == condition && mean.group == group && mean.name == name) return &mean;
  }
  return nullptr;
}

std::vector<std::string> SelfTuningAnalysis::conditions() const {
  std::vector<std::string> out;
  for (const SelfTuningTask& task : tasks) {
    if (out.empty() || out.back() != task.condition) out.push_back(task.condition);
  }
  return out;
}

std::vector<const SelfTuningTask*> SelfTuningAnalysis::of_condition(
    std::string_view condition) const {
  std::vector<const SelfTuningTask*> out;
  for (const SelfTuningTask& task : tasks) {
    if (task.condition == condition) out.push_back(&task);
  }
  return out;
}

std::optional<AskTellRatio> SelfTuningAnalysis::ask_tell_ratio(std::string_view condition) const {
  const std::vector<const SelfTuningTask*> all = of_condition(condition);
  const auto mean_ratio = [&all](Ledger ledger) {
    double sum = 0;
    for (const SelfTuningTask* task : all) {
      const double reals = task->rival().communication[static_cast<std::size_t>(ledger)].mean;
      sum += task->ask_tell ? std::log(task->ask_tell->reals(ledger) / reals) : HUGE_VAL;
    }
    return std::exp(sum / static_cast<double>(all.size()));
  };
  const AskTellRatio out{mean_ratio(Ledger::kPaper), mean_ratio(Ledger::kLinks)};
  if (!std::isfinite(out.paper) || !std::isfinite(out.links)) return std::nullopt;
  return out;
}

SelfTuningAnalysis analyse_self_tuning(const Experiment& experiment,
                                       const ExperimentResult& result) {
  base::require(!experiment.tasks.empty() && result.units.size() == experiment.tasks.size(),
                "result", fmt::format("{} tasks", result.units.size()), "must be complete");
  SelfTuningAnalysis analysis;
  analysis.seeds = experiment.seeds;
  analysis.selection_seeds = experiment.selection_seeds;
  Bootstraps bootstraps;
  const auto paper = paper_functions();
  for (std::size_t i = 0; i < num_shown(experiment); ++i) {
    const Task& task = experiment.tasks[i];
    const Bootstrap& bootstrap = bootstraps.of(result.units[i].size());
    SelfTuningTask out{.condition = task.preset, .function = task.function};
    out.of_paper = std::find(paper.begin(), paper.end(), task.function) != paper.end();
    out.mixed = is_mixed(task.function);
    out.ask_tell = task.ask_tell;
    out.entries = entries_of(task, result.units[i], grids_of(experiment, result, i), bootstrap);
    compare_entries(out, bootstrap);
    analysis.tasks.push_back(std::move(out));
  }
  for (const std::string& condition : analysis.conditions()) {
    append_groups(analysis, condition, bootstraps, analysis.means);
  }
  return analysis;
}

}  // namespace duets::lab
