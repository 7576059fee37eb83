#include "duets/service/agent_loop.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/service/clock.h"
#include "duets/service/link_watch.h"

namespace duets::service {
namespace {

constexpr std::uint32_t kMaxInfeasibleLines = 20;  ///< per epoch

/// Tells the session when a stop is requested; next() may be waiting at that time.
class StopWatch {
 public:
  StopWatch(AgentSession& session, const std::atomic<bool>& stop, const std::atomic<bool>& abandon)
      : thread_([&session, &stop, &abandon, this] {
          while (!ending_ && !stop && !abandon) sleep_unless(ending_, kNoticeSeconds);
          if (!ending_) session.stop();
        }) {}
  ~StopWatch() {
    ending_ = true;
    thread_.join();
  }
  StopWatch(const StopWatch&) = delete;
  StopWatch& operator=(const StopWatch&) = delete;

 private:
  std::atomic<bool> ending_ = false;
  std::thread thread_;
};

class Loop {
 public:
  Loop(AgentSession& session, const LoopOptions& options) : session_(session), options_(options) {}

  /// False when the query was abandoned.
  bool take(const Query& query, const Answer& answer, double seconds) {
    if (std::holds_alternative<Interrupted>(answer)) return false;
    if (const auto* failure = std::get_if<Failure>(&answer)) {
      fail(query, *failure, seconds);
      return true;
    }
    if (const auto* value = std::get_if<Value>(&answer)) {
      const std::string objection = session_.definition().objective().objection_to(value->value);
      if (!objection.empty()) {
        fail(query, {.why = objection, .log_tail = {}}, seconds);
        return true;
      }
    }
    if (const auto* infeasible = std::get_if<Infeasible>(&answer)) {
      session_.report_infeasible(query, infeasible->why, seconds);
      tell_infeasible(query, *infeasible);
    } else {
      session_.report(query, std::get<Value>(answer).value, seconds);
    }
    num_failures_ = 0;
    return true;
  }

 private:
  void fail(const Query& query, const Failure& failure, double seconds) {
    session_.report_failure(query, failure, seconds);
    ++num_failures_;
    say(fmt::format("trial {} has no answer: {}", trial_name(query), failure.why), query,
        LogLevel::kWarning);
    if (options_.max_failures > 0 && num_failures_ >= options_.max_failures) {
      throw base::Error(
          base::ErrorKind::kObjective,
          fmt::format("the objective failed {} in a row, the last time in trial {}: {}",
                      base::count_text(num_failures_, "time", "times"), trial_name(query),
                      failure.why));
    }
  }

  // A whole region may be infeasible: some of the answers are logged, the journal has them all.
  void tell_infeasible(const Query& query, const Infeasible& infeasible) {
    if (query.epoch != epoch_) num_infeasible_ = 0;
    epoch_ = query.epoch;
    ++num_infeasible_;
    if (num_infeasible_ > kMaxInfeasibleLines) return;
    say(fmt::format("trial {} is infeasible: {}{}", trial_name(query), infeasible.why,
                    num_infeasible_ == kMaxInfeasibleLines
                        ? "; more in this epoch are only in the journal"
                        : ""),
        query, LogLevel::kInfo);
  }

  void say(const std::string& message, const Query& query, LogLevel level) {
    if (!options_.log) return;
    options_.log({.message = message,
                  .level = level,
                  .study = session_.definition().study->name,
                  .agent = query.agent});
  }

  AgentSession& session_;
  const LoopOptions& options_;
  std::uint32_t epoch_ = 0;           ///< of the last infeasible answer
  std::uint32_t num_infeasible_ = 0;  ///< in this epoch
  std::uint32_t num_failures_ = 0;
};

}  // namespace

bool run_agent(AgentSession& session, Objective& objective, const std::atomic<bool>& stop,
               const std::atomic<bool>& abandon, const LoopOptions& options) {
  const StopWatch watch(session, stop, abandon);
  Loop loop(session, options);
  while (const std::optional<Query> query = session.next()) {
    const Clock::time_point begin = Clock::now();
    const Answer answer = objective.ask(*query, abandon);
    const std::chrono::duration<double> seconds = Clock::now() - begin;
    if (!loop.take(*query, answer, seconds.count())) return false;
    if (stop || abandon) break;
  }
  // Other agents may be waiting for the results that the last answer completed.
  if (!session.finished() && !abandon) session.deliver();
  return session.finished();
}

}  // namespace duets::service
