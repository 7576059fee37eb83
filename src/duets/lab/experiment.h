// Runs Monte Carlo experiments: contenders times problems times seeds, on all cores of all
// processes, with the same numbers on any number of them.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "duets/base/executor.h"
#include "duets/lab/ask_tell.h"
#include "duets/lab/curves.h"
#include "duets/lab/instance.h"

namespace duets::lab {

/// "DUETS" or "DUETS (greedy)".
std::string label_of(const std::string& algorithm, const std::string& variant);

/// An algorithm with one setting.
struct Contender {
  std::string algorithm;  ///< for display: "DUETS", "DisKernelUCB"
  double beta = 1;        ///< what a grid search runs over
  std::string
      variant{};  ///< what else distinguishes it ("D = 5", "paired-doubling, greedy"); or ""
  std::function<Curves(const Instance&)> run;
  std::string grid{};  ///< contenders with the same are one grid (hindsight.h); empty: label()
  std::vector<std::pair<std::string, double>> tuned{};  ///< what the grid runs over beside beta

  std::string label() const { return label_of(algorithm, variant); }
  std::string grid_label() const { return grid.empty() ? label() : grid; }
};

/// A problem and its contenders.
struct Task {
  std::string preset;    ///< "paper", "as-plotted", or a study's name
  std::string function;  ///< "h1", ...
  std::function<Instance(std::uint64_t seed)> make;
  std::vector<Contender> contenders;
  std::size_t max_runs = 0;  ///< only this many first seeds of the experiment; 0: all
  /// Set: this task is not shown, and runs with the selection seeds. It chooses among contenders of
  /// the task with this index.
  std::optional<std::size_t> selects_for{};
  std::optional<AskTell> ask_tell{};  ///< what the same queries cost without any algorithm
};

struct Experiment {
  std::vector<Task> tasks;
  std::vector<std::uint64_t> seeds;              ///< of every task, or the first of them (max_runs)
  std::vector<std::uint64_t> selection_seeds{};  ///< likewise, of the tasks that choose
};

/// `runs` seeds from the first on. kInvalid without runs.
std::vector<std::uint64_t> seeds_from(std::uint64_t first, std::uint32_t runs);
/// kInvalid, naming the field and the names, when the name is none of them.
void require_known(std::span<const std::string_view> names, const std::string& field,
                   std::string_view name);
/// The seeds that the task runs with.
std::span<const std::uint64_t> seeds_of(const Experiment& experiment, const Task& task);
/// Pairs of task and seed.
std::size_t num_units(const Experiment& experiment);

/// The work of one task and one seed: the smallest piece that is stored and resumed. One entry for
/// each contender of the task, in its order.
using Unit = std::vector<Curves>;

/// Stores finished units. Calls may come from several threads at once.
class UnitStore {
 public:
  virtual ~UnitStore() = default;
  /// The stored unit, or nothing.
  virtual std::optional<Unit> load(const Task& task, std::uint64_t seed) = 0;
  /// A unit that this process has run.
  virtual void save(const Task& task, std::uint64_t seed, const Unit& unit) = 0;
  /// A unit that another process has run and, where it could, saved; from the calling thread.
  virtual void received(const Task& /*task*/, std::uint64_t /*seed*/, const Unit& /*unit*/) {}
};

/// Keeps nothing.
class NoStore final : public UnitStore {
 public:
  std::optional<Unit> load(const Task& /*task*/, std::uint64_t /*seed*/) override {
    return std::nullopt;
  }
  void save(const Task& /*task*/, std::uint64_t /*seed*/, const Unit& /*unit*/) override {}
};

/// Receives progress; calls may come from several threads at once.
class ExperimentObserver {
 public:
  virtual ~ExperimentObserver() = default;
  /// Before the first run: how many calls of run_done() there will be in this process.
  virtual void begins(std::size_t /*num_runs*/) {}
  /// A contender's run ended; `loaded` when it came out of the store.
  virtual void run_done(bool /*loaded*/) {}
};

struct ExperimentResult {
  /// units[task][seed][contender]; complete, or empty when `stopped`.
  std::vector<std::vector<Unit>> units{};
  bool stopped = false;
  std::size_t num_units = 0;  ///< that are finished, now or earlier
};

/// Number of runs (contenders times seeds, over all tasks).
std::size_t num_runs(const Experiment& experiment);

/// Runs the units that the store does not have. Each unit runs on one thread, so the result is a
/// function of the experiment only. `stop` is checked between runs: finished units stay in the
/// store. The first error of a unit (lowest task, then seed) is thrown after the others have ended.
///
/// Several processes share the units; the store of the first decides which exist already. When one
/// of them was asked to stop, all have `stopped`. The result is the same in every process.
ExperimentResult run_experiment(const Experiment& experiment, const base::Executor& executor,
                                UnitStore& store, ExperimentObserver& observer,
                                const std::atomic<bool>& stop);

}  // namespace duets::lab
