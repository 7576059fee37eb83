#include "duets/service/local_loop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_journal.h"
#include "duets/service/answer_watch.h"
#include "duets/service/clock.h"

namespace duets::service {
namespace {

using Told = LocalStudy::Told;

constexpr auto kLocalLook = std::chrono::milliseconds(100);

/// The objectives and their threads. give() and collect() are for one thread.
class Workers {
 public:
  explicit Workers(const std::vector<std::unique_ptr<Objective>>& objectives)
      : desks_(objectives.size()) {
    threads_.reserve(objectives.size());
    for (std::size_t i = 0; i < objectives.size(); ++i) {
      threads_.emplace_back([this, i, objective = objectives[i].get()] { work(i, *objective); });
    }
  }
  /// Abandons the current queries.
  ~Workers() {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    abandon_ = true;
    given_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }
  Workers(const Workers&) = delete;
  Workers& operator=(const Workers&) = delete;

  void abandon() { abandon_ = true; }
  std::size_t size() const { return desks_.size(); }
  bool is_free(std::size_t worker) const { return !desks_[worker].busy; }
  bool any_busy() const {
    return std::ranges::any_of(desks_, [](const Desk& desk) { return desk.busy; });
  }
  /// The agent whose query the worker had last.
  std::optional<std::uint32_t> last_agent(std::size_t worker) const {
    return desks_[worker].last_agent;
  }

  /// Precondition: the worker is free.
  void give(std::size_t worker, Query query) {
    Desk& desk = desks_[worker];
    desk.busy = true;
    desk.last_agent = query.agent;
    {
      const std::lock_guard lock(mutex_);
      desk.query = std::move(query);
    }
    given_.notify_all();
  }

  /// What was answered since the last call; waits a moment for it.
  std::vector<Told> collect() {
    std::unique_lock lock(mutex_);
    answered_.wait_for(lock, kLocalLook, [this] { return !told_.empty(); });
    std::vector<Told> told;
    for (auto& [worker, one] : told_) {
      desks_[worker].busy = false;
      told.push_back(std::move(one));
    }
    told_.clear();
    return told;
  }

  /// Throws what an objective threw.
  void check() {
    const std::lock_guard lock(mutex_);
    if (error_) std::rethrow_exception(error_);
  }

 private:
  struct Desk {
    bool busy = false;  ///< until its answer is collected
    std::optional<std::uint32_t> last_agent;
    std::optional<Query> query;  ///< given, not yet taken; guarded
  };

  void work(std::size_t worker, Objective& objective) {
    std::unique_lock lock(mutex_);
    while (true) {
      given_.wait(lock, [&] { return ending_ || desks_[worker].query; });
      if (ending_) return;
      Told told{*std::exchange(desks_[worker].query, std::nullopt), Interrupted{}, 0};
      lock.unlock();
      const Clock::time_point begin = Clock::now();
      std::exception_ptr error;
      try {
        told.answer = objective.ask(told.query, abandon_);
      } catch (...) {
        error = std::current_exception();
      }
      told.seconds = seconds_since(begin);
      lock.lock();
      if (error) error_ = error;
      told_.emplace_back(worker, std::move(told));
      answered_.notify_one();
    }
  }

  std::vector<Desk> desks_;
  std::atomic<bool> abandon_{false};
  std::mutex mutex_;
  std::condition_variable given_, answered_;
  bool ending_ = false;
  std::exception_ptr error_;
  std::vector<std::pair<std::size_t, Told>> told_;
  std::vector<std::thread> threads_;  // last: they use the others
};

class LocalLoop {
 public:
  LocalLoop(LocalStudy& study, const LocalLoopOptions& options)
      : study_(study),
        watch_(study.definition().study->name, options.max_failures, options.log),
        max_failures_(options.max_failures),
        has_worked_(std::ranges::any_of(study.trials(), [](const JournalTrial& trial) {
          return trial.kind != JournalTrial::Kind::kHole;
        })) {}

  void take(std::vector<Told> told) {
    std::vector<Told> counted;
    for (Told& one : told) {
      one.answer = usable_answer(study_.definition(), std::move(one.answer));
      if (std::holds_alternative<Interrupted>(one.answer)) {
        study_.give_back(one.query);
      } else {
        counted.push_back(std::move(one));
      }
    }
    const auto is_failure = [](const Told& one) {
      return std::holds_alternative<Failure>(one.answer);
    };
    has_worked_ = has_worked_ || max_failures_ == 0 || !std::ranges::all_of(counted, is_failure);
    if (!has_worked_) {
      for (const Told& one : counted) watch_.see(one.query, one.answer);
      std::ranges::move(counted, std::back_inserter(withheld_));
      return;
    }
    tell(std::exchange(withheld_, {}));
    tell(counted);
    for (const Told& one : counted) watch_.see(one.query, one.answer);
  }

  /// Nothing is left to ask and nothing under way, but the epoch is open: no query has worked.
  [[noreturn]] void give_up() const {
    if (withheld_.empty()) {
      throw base::Error(base::ErrorKind::kProtocol, "an epoch has no query left but is open");
    }
    const Told& last = withheld_.back();
    throw base::Error(
        base::ErrorKind::kObjective,
        fmt::format("the objective failed in every query of the first epoch ({}), the last time in "
                    "trial {}: {}",
                    withheld_.size(), trial_name(last.query), std::get<Failure>(last.answer).why));
  }

 private:
  // An infeasible answer may be one that the study has no use for; the others must not be lost.
  void tell(std::vector<Told> told) {
    const auto infeasible = std::ranges::stable_partition(
        told, [](const Told& one) { return !std::holds_alternative<Infeasible>(one.answer); });
    const auto count = static_cast<std::size_t>(infeasible.begin() - told.begin());
    const bool all_count = study_.definition().objective().infeasible_value.has_value();
    study_.tell(std::span(told).first(all_count ? told.size() : count));
    if (!all_count) study_.tell(std::span(told).subspan(count));
  }

  LocalStudy& study_;
  AnswerWatch watch_;
  std::uint32_t max_failures_;
  bool has_worked_;             ///< the objective has answered a query
  std::vector<Told> withheld_;  ///< failures before that
};

void give_queries(LocalStudy& study, Workers& workers) {
  for (std::size_t worker = 0; worker < workers.size(); ++worker) {
    if (!workers.is_free(worker)) continue;
    std::optional<Query> query;
    if (const auto agent = workers.last_agent(worker)) query = study.ask(*agent);
    if (!query) query = study.ask();
    if (!query) return;
    workers.give(worker, *std::move(query));
  }
}

}  // namespace

bool run_local(LocalStudy& study, const std::vector<std::unique_ptr<Objective>>& objectives,
               const std::atomic<bool>& stop, const std::atomic<bool>& abandon,
               const LocalLoopOptions& options) {
  LocalLoop loop(study, options);
  Workers workers(objectives);
  const Clock::time_point begin = Clock::now();
  while (!study.finished()) {
    const bool ends =
        options.seconds > 0 && seconds_since(begin) >= options.seconds && study.has_reward();
    if (!stop && !ends) give_queries(study, workers);
    if (!workers.any_busy()) {
      if (stop) break;
      if (ends) {
        study.end();
        break;
      }
      loop.give_up();
    }
    if (abandon) workers.abandon();
    loop.take(workers.collect());
    workers.check();
    if (options.look) options.look();
  }
  return study.finished();
}

}  // namespace duets::service
