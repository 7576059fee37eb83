#include "duets/service/agent_loop.h"

#include <thread>

#include "duets/service/agent_journal.h"
#include "duets/service/answer_watch.h"
#include "duets/service/clock.h"
#include "duets/service/link_watch.h"

namespace duets::service {
namespace {

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

// A failure is reported before the watch may end the agent: the journal has its reason.
void report(AgentSession& session, const Query& query, const Answer& answer, double seconds) {
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    session.report_failure(query, *failure, seconds);
  } else if (const auto* infeasible = std::get_if<Infeasible>(&answer)) {
    session.report_infeasible(query, infeasible->why, seconds);
  } else {
    session.report(query, std::get<Value>(answer).value, seconds);
  }
}

}  // namespace

bool run_agent(AgentSession& session, Objective& objective, const std::atomic<bool>& stop,
               const std::atomic<bool>& abandon, const LoopOptions& options) {
  const StopWatch watch(session, stop, abandon);
  AnswerWatch answers(session.definition().study->name, options.max_failures, options.log);
  while (const std::optional<Query> query = session.next()) {
    const Clock::time_point begin = Clock::now();
    const Answer answer = usable_answer(session.definition(), objective.ask(*query, abandon));
    if (std::holds_alternative<Interrupted>(answer)) return false;
    report(session, *query, answer, seconds_since(begin));
    answers.see(*query, answer);
    if (stop || abandon) break;
  }
  // Other agents may be waiting for the results that the last answer completed.
  if (!session.finished() && !abandon) session.deliver();
  return session.finished();
}

}  // namespace duets::service
