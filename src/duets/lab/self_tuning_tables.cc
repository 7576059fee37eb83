#include "duets/lab/self_tuning_tables.h"

#include <fmt/format.h>

#include <iterator>

#include "duets/lab/comparison_text.h"
#include "duets/report/chart_number.h"

namespace duets::lab {
namespace {

constexpr int kNameWidth = 32;
constexpr int kRivalWidth = 32;
constexpr int kCellWidth = 16;

// Two digits at least of what is sent.
std::string short_number(double value) {
  return value < 0.1 ? fmt::format("{:.3f}", value) : fmt::format("{:.2f}", value);
}

std::string ratio_columns() {
  std::string out;
  for (const Measure measure : kMeasures) {
    const std::string_view name = measure_name(measure);
    out += fmt::format(",{}_ratio,{}_ratio_low,{}_ratio_high", name, name, name);
  }
  return out;
}

std::string ratio_fields(const Ratios& ratios) {
  std::string out;
  for (const auto& ratio : ratios) {
    out += ratio ? fmt::format(",{},{}", ratio->value, bounds(ratio->interval)) : ",,,";
  }
  return out;
}

std::string entry_line(const SelfTuningTask& task, const SelfTuningEntry& entry) {
  const std::string setting = entry.setting.empty() ? "" : "\"" + entry.setting + "\"";
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}{}\n", task.condition, task.function,
                     entry.name, setting, entry.regret.runs, entry.regret.mean,
                     or_empty(entry.regret.stddev), bounds(entry.regret.interval),
                     entry.communication[0].mean, entry.communication[1].mean,
                     entry.communication[2].mean, entry.reference, ratio_fields(entry.ratios));
}

// Left-aligned by characters, not bytes; `text` has only ASCII and en dashes.
std::string padded(const std::string& text, int width) {
  int characters = 0;
  for (const char c : text) characters += (static_cast<unsigned char>(c) & 0xC0) != 0x80 ? 1 : 0;
  return text + std::string(static_cast<std::size_t>(std::max(1, width - characters)), ' ');
}

std::string rival_text(const SelfTuningEntry& rival) {
  return fmt::format("{:.1f} / {:.0f} ({})", rival.regret.mean, rival.communication[0].mean,
                     rival.setting);
}

std::string head_line(const std::string& first, const std::string& second,
                      const std::vector<std::string>& names) {
  std::string out = padded(first, kNameWidth) + padded(second, kRivalWidth + 14);
  for (const std::string& name : names) out += padded(name, kCellWidth);
  return out + "\n";
}

std::string mean_line(const SelfTuningAnalysis& analysis, const std::string& condition,
                      const std::string& group, const std::string& label,
                      const std::vector<std::string>& names) {
  std::string out = padded(label, kNameWidth + kRivalWidth + 14);
  for (const std::string& name : names) {
    const SelfTuningMean* mean = analysis.find(condition, group, name);
    out += padded(mean != nullptr ? ratios_text(mean->ratios) : report::kDash, kCellWidth);
  }
  return out + "\n";
}

// A line for each function, and the geometric means.
std::string functions_text(const SelfTuningAnalysis& analysis, const std::string& condition) {
  const auto tasks = analysis.of_condition(condition);
  const std::vector<std::string> names = presets_in(*tasks.front());
  std::string out = fmt::format("{}: {}\n", condition, find_condition(condition).title);
  out += head_line("", "DisKernelUCB, regret / reals", names);
  for (const SelfTuningTask* task : tasks) {
    out += padded(function_title(task->function), kNameWidth) +
           padded(rival_text(task->entries.front()), kRivalWidth + 14);
    for (const std::string& name : names) {
      out += padded(ratios_text(task->find(name)->ratios), kCellWidth);
    }
    out += "\n";
  }
  for (const char* group : {"paper", "added", "all"}) {
    if (analysis.find(condition, group, names.back()) == nullptr) continue;
    out += mean_line(analysis, condition, group, fmt::format("geometric mean, {}", group), names);
  }
  return out + "\n";
}

std::string stress_text(const SelfTuningAnalysis& analysis) {
  std::string out;
  for (const std::string& condition : analysis.conditions()) {
    if (has_functions_of_its_own(condition)) continue;
    const std::vector<std::string> names = presets_in(*analysis.of_condition(condition).front());
    if (out.empty()) out = head_line("stress, geometric means", "", names);
    out += mean_line(analysis, condition, "all", fmt::format("{}", find_condition(condition).title),
                     names);
  }
  return out.empty() ? out : out + "\n";
}

std::string ingredients_text(const SelfTuningAnalysis& analysis) {
  std::string out;
  for (const std::string& condition : analysis.conditions()) {
    for (const std::string& name : ingredients_in(*analysis.of_condition(condition).front())) {
      const SelfTuningMean* mean = analysis.find(condition, "all", name);
      out += padded(name, kNameWidth) + padded(ratio_text(mean->ratios[0]), kCellWidth + 8) +
             ratio_text(mean->ratios[1]) + "\n";
    }
  }
  if (out.empty()) return out;
  return padded("ingredients, to auto", kNameWidth) + padded("regret", kCellWidth + 8) + "reals\n" +
         out + "\n";
}

}  // namespace

std::string ratio_text(const std::optional<Ratio>& ratio) {
  if (!ratio) return report::kDash;
  if (!ratio->interval) return short_number(ratio->value);
  return fmt::format("{} [{}, {}]", short_number(ratio->value), short_number(ratio->interval->low),
                     short_number(ratio->interval->high));
}

std::string ratios_text(const Ratios& ratios) {
  const auto& regret = ratios[static_cast<std::size_t>(Measure::kRegret)];
  const auto& reals = ratios[static_cast<std::size_t>(Measure::kPaper)];
  const Order order = regret ? regret->order() : Order::kUndecided;
  const char* mark = order == Order::kLower ? "*" : order == Order::kHigher ? "-" : "";
  return fmt::format("{}{} / {}", regret ? short_number(regret->value) : report::kDash, mark,
                     reals ? short_number(reals->value) : report::kDash);
}

std::vector<std::string> presets_in(const SelfTuningTask& task) {
  std::vector<std::string> out;
  for (const SelfTuningEntry& entry : task.entries) {
    if (entry.reference == kRivalName) out.push_back(entry.name);
  }
  return out;
}

std::vector<std::string> ingredients_in(const SelfTuningTask& task) {
  std::vector<std::string> out;
  for (const SelfTuningEntry& entry : task.entries) {
    if (!entry.reference.empty() && entry.reference != kRivalName) out.push_back(entry.name);
  }
  return out;
}

bool has_functions_of_its_own(std::string_view condition) {
  return find_condition(condition).functions != FunctionSet::kStress;
}

std::string self_tuning_csv(const SelfTuningAnalysis& analysis) {
  std::string out =
      "condition,function,name,setting,runs,regret_mean,regret_std,regret_low,regret_high,"
      "communication_paper,communication_figure,communication_links,reference" +
      ratio_columns() + "\n";
  for (const SelfTuningTask& task : analysis.tasks) {
    for (const SelfTuningEntry& entry : task.entries) out += entry_line(task, entry);
  }
  return out;
}

std::string self_tuning_means_csv(const SelfTuningAnalysis& analysis) {
  std::string out = "condition,group,name,reference,functions,runs" + ratio_columns() + "\n";
  for (const SelfTuningMean& mean : analysis.means) {
    fmt::format_to(std::back_inserter(out), "{},{},{},{},{},{}{}\n", mean.condition, mean.group,
                   mean.name, mean.reference, mean.functions, mean.runs, ratio_fields(mean.ratios));
  }
  return out;
}

std::string self_tuning_text(const SelfTuningAnalysis& analysis) {
  if (analysis.tasks.empty()) return "Nothing was run.\n";
  std::string out;
  for (const std::string& condition : analysis.conditions()) {
    if (has_functions_of_its_own(condition)) out += functions_text(analysis, condition);
  }
  out += stress_text(analysis) + ingredients_text(analysis);
  return out +
         fmt::format(
             "Regret / reals (paper ledger) as ratios to DisKernelUCB at the beta and lambda that "
             "turned out best for the function. *: below 1, -: above 1, by paired runs at 95 %; "
             "{}.\n",
             seeds_text(analysis.seeds));
}

}  // namespace duets::lab
