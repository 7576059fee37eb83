#include "duets/lab/variants_analysis.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"

namespace duets::lab {
namespace {

VariantResult result_of(const Contender& contender, std::size_t index,
                        const std::vector<Unit>& units, const Bootstrap& bootstrap) {
  VariantResult out;
  out.algorithm = contender.algorithm;
  out.variant = contender.variant;
  out.beta = contender.beta;
  static_cast<FinalNumbers&>(out) = final_numbers(units, index, out.label(), bootstrap);
  return out;
}

// Of contenders that differ in beta only, the chosen one.
std::vector<VariantResult> chosen_results(const Task& task, const std::vector<Unit>& units,
                                          const std::vector<Grid>& grids,
                                          const Bootstrap& bootstrap) {
  std::vector<VariantResult> results;
  for (const Grid& grid : grids) {
    results.push_back(result_of(task.contenders[grid.chosen], grid.chosen, units, bootstrap));
    results.back().at_edge = !grid.edges.empty();
  }
  return results;
}

std::vector<VariantPair> all_pairs(const std::vector<VariantResult>& results) {
  const std::size_t rivals = results.size() - 1;
  std::vector<VariantPair> pairs;
  for (std::size_t i = 0; i < results.size(); ++i) {
    for (std::size_t j = 0; j < results.size(); ++j) {
      if (i == j) continue;
      const VariantResult& a = results[i];
      const VariantResult& b = results[j];
      pairs.push_back(
          {i, j, paired_difference(a.final_regret, b.final_regret, 2 * rivals),
           paired_difference(a.final_communication[0], b.final_communication[0], 2 * rivals),
           paired_difference(a.recommendation.final_regret, b.recommendation.final_regret,
                             rivals)});
    }
  }
  return pairs;
}

// The same bits in every run: an upload rule changes what is sent, not what is learned.
bool identical(const PairedDifference& difference) {
  return difference.mean == 0 && difference.interval && difference.interval->low == 0 &&
         difference.interval->high == 0;
}

bool not_above(const PairedDifference& difference) {
  return difference.order == Order::kLower || identical(difference);
}

bool dominates(const VariantPair& pair) {
  const bool better = pair.regret.order == Order::kLower || pair.reals.order == Order::kLower;
  return better && not_above(pair.regret) && not_above(pair.reals);
}

void settle_standings(VariantsTask& task) {
  for (std::size_t i = 0; i < task.results.size(); ++i) {
    VariantResult& entry = task.results[i];
    bool frontier = true;
    const VariantResult* best = nullptr;
    for (const VariantPair& pair : task.pairs) {
      if (pair.second != i) continue;  // rival minus entry
      const VariantResult& rival = task.results[pair.first];
      if (pair.regret.order != Order::kHigher && pair.reals.order != Order::kHigher) {
        frontier = false;
      }
      if (dominates(pair) && (best == nullptr || rival.regret.mean < best->regret.mean)) {
        best = &rival;
      }
    }
    if (best != nullptr) entry.dominated_by = best->label();
    entry.standing = best != nullptr ? Standing::kDominated
                     : frontier      ? Standing::kFrontier
                                     : Standing::kOpen;
  }
}

}  // namespace

const VariantResult* VariantsTask::find(std::string_view algorithm,
                                        std::string_view variant) const {
  for (const VariantResult& result : results) {
    if (result.algorithm == algorithm && result.variant == variant) return &result;
  }
  return nullptr;
}

VariantsAnalysis analyse_variants(const Experiment& experiment, const ExperimentResult& result) {
  base::require(!experiment.tasks.empty() && result.units.size() == experiment.tasks.size(),
                "result", fmt::format("{} tasks", result.units.size()), "must be complete");
  VariantsAnalysis analysis;
  analysis.seeds = experiment.seeds;
  analysis.selection_seeds = experiment.selection_seeds;
  const Bootstrap bootstrap(experiment.seeds.size());
  for (std::size_t i = 0; i < num_shown(experiment); ++i) {
    VariantsTask task{.function = experiment.tasks[i].function,
                      .ask_tell = experiment.tasks[i].ask_tell};
    task.results = chosen_results(experiment.tasks[i], result.units[i],
                                  grids_of(experiment, result, i), bootstrap);
    task.pairs = all_pairs(task.results);
    settle_standings(task);
    analysis.tasks.push_back(std::move(task));
  }
  return analysis;
}

}  // namespace duets::lab
