#include "duets/cli/offline_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <iostream>
#include <mutex>
#include <thread>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/cli/agent_join.h"
#include "duets/cli/answers_file.h"
#include "duets/cli/json_text.h"
#include "duets/cli/lines.h"
#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"
#include "duets/study/study_file.h"

namespace duets::cli {
namespace {

constexpr std::size_t kMaxAnswersBytes = std::size_t{64} << 20;

/// Stops a session after some seconds, unless it ends before.
class TimeLimit {
 public:
  TimeLimit(service::AgentSession& session, double seconds)
      : thread_([this, &session, seconds] {
          std::unique_lock lock(mutex_);
          const bool early = done_.wait_for(lock, std::chrono::duration<double>(seconds),
                                            [this] { return ended_; });
          if (!early) session.stop();
        }) {}
  ~TimeLimit() {
    {
      const std::lock_guard lock(mutex_);
      ended_ = true;
    }
    done_.notify_all();
    thread_.join();
  }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

 private:
  std::mutex mutex_;
  std::condition_variable done_;
  bool ended_ = false;
  std::thread thread_;
};

std::unique_ptr<service::AgentSession> open_session(const OfflineFlags& flags, Lines& lines) {
  std::string identity;
  if (!flags.peer.insecure) {
    identity = agent_identity(flags.peer.certs, {flags.study, flags.agent, flags.agent, true});
  }
  service::SessionOptions options;
  options.link = open_link(flags.peer, identity, lines.log());
  options.study = flags.study;
  options.agent = flags.agent;
  options.journal = flags.journal;
  options.take_over = flags.take_over;
  // An empty answer, which names the missing agents, arrives before the time is over.
  options.wait_seconds = std::min(options.wait_seconds, flags.wait / 2);
  return join_study(std::move(options));
}

std::vector<service::Query> open_queries(service::AgentSession& session, double wait) {
  session.deliver();  // what an earlier command could not deliver
  const TimeLimit limit(session, wait);
  return session.plan();
}

AgentState state_of(service::AgentSession& session, const OfflineFlags& flags) {
  const std::string& study = session.definition().study->name;
  AgentState state;
  state.agent = session.agent();
  state.open = open_queries(session, flags.wait);
  const std::filesystem::path file =
      std::filesystem::path(flags.journal) / service::journal_name(study, state.agent);
  state.answered = service::read_agent_journal(file).trials;
  return state;
}

void report(service::AgentSession& session, const service::Query& query,
            const OfflineAnswer& answer) {
  using enum service::JournalTrial::Kind;
  if (answer.kind == kValue) session.report(query, answer.value);
  if (answer.kind == kInfeasible) session.report_infeasible(query, "submitted");
  if (answer.kind == kHole) session.report_failure(query, {"submitted as failed", {}});
}

std::vector<std::uint32_t> missing_slots(const AgentState& state, const Sorted& sorted) {
  std::vector<std::uint32_t> missing;
  for (const service::Query& query : state.open) {
    const bool given = std::any_of(sorted.fresh.begin(), sorted.fresh.end(),
                                   [&](const auto& pair) { return pair.first.slot == query.slot; });
    if (!given) missing.push_back(query.slot);
  }
  return missing;
}

void tell_missing(std::uint32_t epoch, const std::vector<std::uint32_t>& missing, Lines& lines) {
  constexpr std::size_t kMaxShown = 20;
  const std::vector<std::uint32_t> shown(
      missing.begin(),
      missing.begin() + static_cast<std::ptrdiff_t>(std::min(missing.size(), kMaxShown)));
  lines.say(fmt::format("still unanswered in epoch {}: {} (slots {}{})", epoch, missing.size(),
                        fmt::join(shown, ", "), missing.size() > kMaxShown ? ", ..." : ""));
}

void tell_delivery(service::AgentSession& session, Lines& lines) {
  if (!session.deliver()) {
    throw base::Error(base::ErrorKind::kConnection,
                      "the answers are in the journal, but were not delivered to the coordinator; "
                      "run the same command again to send them");
  }
  lines.say(session.finished() ? "the coordinator has all results: the study is over for this agent"
                               : "the coordinator has the results of this epoch; `duets plan` "
                                 "prints the next one when it begins");
}

}  // namespace

void print_plan(const OfflineFlags& flags) {
  Lines lines(flags.verbosity);
  const auto session = open_session(flags, lines);
  const std::vector<service::Query> queries = open_queries(*session, flags.wait);
  if (queries.empty() && !session->finished()) {
    throw base::Error(base::ErrorKind::kTimeout,
                      fmt::format("no open queries at the moment: {}; try again later, or wait "
                                  "with --wait SECONDS",
                                  session->state()));
  }
  if (queries.empty()) lines.say("the study is over");
  const protocol::Study& study = *session->definition().study;
  if (flags.format == Format::kJson) {
    std::cout << json_text({{"study", study.name},
                            {"agent", session->agent()},
                            {"finished", session->finished()},
                            {"queries", plan_json(*study.domain, queries)}});
    return;
  }
  std::cout << plan_csv(*study.domain, queries);
}

void submit_answers(const OfflineFlags& flags) {
  Lines lines(flags.verbosity);
  const std::string text = study::read_file(flags.file, kMaxAnswersBytes, "answers");
  const std::vector<OfflineAnswer> answers = parse_answers(text, flags.file);
  const auto session = open_session(flags, lines);
  const AgentState state = state_of(*session, flags);
  const Sorted sorted = sort_answers(answers, state, session->definition(), flags.file);
  for (const auto& [query, answer] : sorted.fresh) report(*session, query, answer);
  lines.say(fmt::format("{} accepted, {} already stored",
                        base::count_text(sorted.fresh.size(), "answer", "answers"),
                        sorted.num_known));
  if (sorted.num_late > 0) {
    lines.say(fmt::format("{} not used: the epochs have ended",
                          base::count_text(sorted.num_late, "row", "rows")));
  }
  const std::vector<std::uint32_t> missing = missing_slots(state, sorted);
  if (missing.empty()) {
    tell_delivery(*session, lines);
  } else {
    tell_missing(state.open.front().epoch, missing, lines);
  }
  if (flags.format != Format::kJson) return;
  std::cout << json_text({{"study", session->definition().study->name},
                          {"agent", session->agent()},
                          {"taken", sorted.fresh.size()},
                          {"known", sorted.num_known},
                          {"late", sorted.num_late},
                          {"missing", missing},
                          {"delivered", missing.empty()},
                          {"finished", session->finished()}});
}

}  // namespace duets::cli
