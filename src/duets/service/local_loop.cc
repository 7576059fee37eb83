#include "duets/service/local_loop.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include "duets/service/clock.h"
#include "duets/service/local_intake.h"

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
  LocalIntake intake(study, {options.max_failures, options.log});
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
      intake.give_up();
    }
    if (abandon) workers.abandon();
    intake.take(workers.collect());
    workers.check();
    if (options.look) options.look();
  }
  return study.finished();
}

}  // namespace duets::service
