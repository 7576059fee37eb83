// Handles the coordinator's replies to an agent.
#include <fmt/format.h>

#include <algorithm>

#include "duets/base/count_text.h"
#include "duets/base/error.h"
#include "duets/service/agent_session_talk.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using base::Error;
using base::ErrorKind;

/// The outcome for an agent's results of the epoch that a trim ended.
std::string fate_text(const protocol::Trim& trim, std::uint32_t agent) {
  const std::uint32_t epoch = base::value(trim.epoch);
  if (std::ranges::binary_search(trim.excluded, agent)) {
    return fmt::format("results of epoch {} arrived too late: it ended without this agent", epoch);
  }
  return fmt::format("results of epoch {} had already arrived: it ended with this agent", epoch);
}

}  // namespace

void AgentTalk::take(const v1::FetchReply& reply) {
  const std::uint32_t before = book().num_broadcasts();
  for (const v1::Message& message : reply.broadcasts()) {
    take_broadcast(from_wire(message, *definition().study));
  }
  judge(reply.state(), reply.problem());
  if (over_ || book().num_broadcasts() != before) return;
  const v1::Waiting& waiting = reply.waiting();
  // The coordinator lost what it had: its storage was set back. It gets the same message again.
  const bool missed = std::ranges::count(waiting.agents(), agent()) > 0;
  if (waiting.epoch() == book().epoch() && missed) {
    sent_epoch_ = taken_epoch_ = 0;
    joined_.open_epoch = book().epoch();
  }
  if (!has_query()) say_waiting(waiting);
}

void AgentTalk::take_broadcast(const protocol::Message& broadcast) {
  if (book().position(broadcast) < book().num_broadcasts()) return;
  const std::uint32_t before = book().epoch();
  const bool unsent = has_message() && !is_sent();
  if (is_retracing()) {
    retrace(broadcast);
  } else {
    write(broadcast);
    joined_.book->apply(broadcast);
  }
  if (book().epoch() == before) return;
  const auto& trim = std::get<protocol::Trim>(broadcast);
  if (unsent) {
    say(fate_text(trim, agent()));
  } else if (std::ranges::binary_search(trim.excluded, agent())) {
    say(fmt::format("epoch {} ended without the results of this agent; the coordinator's log and "
                    "'duets status' say why",
                    before),
        LogLevel::kWarning);
  }
  say(fmt::format("epoch {} began, {}", book().epoch(),
                  base::count_text(book().length(), "query", "queries")));
  show_counts();
  heartbeat_->hurry();
}

void AgentTalk::retrace(const protocol::Message& broadcast) {
  std::deque<JournalEntry>& ahead = joined_.ahead;
  if (protocol::encode(std::get<protocol::Message>(ahead.front())) != protocol::encode(broadcast)) {
    throw Error(ErrorKind::kDiverged,
                fmt::format("{}, epoch {}: the coordinator's storage was set back, and the epoch "
                            "ended differently than before. Restore the newest storage, or the "
                            "older one again, and end the epoch with the same agents",
                            name(), book().epoch()));
  }
  do {
    joined_.book->apply(ahead.front());
    ahead.pop_front();
  } while (is_retracing() && !std::holds_alternative<protocol::Message>(ahead.front()));
  if (!is_retracing()) say("the coordinator has caught up");
}

bool AgentTalk::is_left_out() const {
  if (!is_retracing()) return false;
  if (book().disowned()) return true;
  const auto* next = std::get_if<protocol::Message>(&joined_.ahead.front());
  const auto* trim = next != nullptr ? std::get_if<protocol::Trim>(next) : nullptr;
  return trim != nullptr && std::ranges::binary_search(trim->excluded, agent());
}

void AgentTalk::take(const v1::SendReply& reply) {
  std::string fate = fmt::format("results of epoch {} delivered ({} of {} answered)",
                                 book().epoch(), book().num_answered() - book().num_holes(),
                                 base::count_text(book().length(), "query", "queries"));
  for (const v1::Message& answer : reply.answers()) {
    const protocol::Message message = from_wire(answer, *definition().study);
    if (const auto* refusal = std::get_if<protocol::Refusal>(&message)) {
      fate = judge(*refusal);
      break;
    }
  }
  for (const v1::Message& answer : reply.answers()) {
    // Fetch delivers it again, in the order that the journal requires.
    const protocol::Message message = from_wire(answer, *definition().study);
    if (const auto* trim = std::get_if<protocol::Trim>(&message)) fate = fate_text(*trim, agent());
  }
  sent_epoch_ = book().epoch();
  heartbeat_->hurry();
  say(fate);
  // Only the reply to a fetch says why a study failed.
  if (reply.state() == v1::STUDY_STATE_FAILED) fetch(Patience::kOnce);
  judge(reply.state(), "");
  if (!over_ && book().agent().finished()) end("all queries are answered");
}

std::string AgentTalk::judge(const protocol::Refusal& refusal) {
  const std::uint32_t epoch = base::value(refusal.epoch);
  if (refusal.reason == protocol::Reason::kStale) {
    return fmt::format("epoch {} had ended before its results arrived", epoch);
  }
  if (refusal.reason == protocol::Reason::kConflict && epoch == book().epoch()) {
    if (!book().disowned()) {
      // Not written if apply() throws: the journal must replay. If lost in a crash, it comes again.
      const JournalDisowned entry{epoch};
      joined_.book->apply(entry);
      // While lost epochs are replayed, the journal has later epochs after this one.
      if (!is_retracing()) write(entry);
    }
    return fmt::format(
        "the coordinator has other results of epoch {}, from another machine: those "
        "count, the results of this machine do not",
        epoch);
  }
  if (refusal.reason == protocol::Reason::kForeign) {
    // The epoch was open at the coordinator when this agent got its queries.
    throw CoordinatorSetBack(fmt::format(
        "{}: the coordinator does not know of epoch {}: its storage was set back to an older copy",
        name(), epoch));
  }
  if (refusal.reason == protocol::Reason::kDiverged) {
    throw Error(ErrorKind::kDiverged,
                fmt::format("{}, epoch {}: the coordinator replays other points than this agent "
                            "drew: the two machines compute different bits",
                            name(), epoch));
  }
  throw Error(ErrorKind::kProtocol,
              fmt::format("{}, epoch {}: the coordinator refused the results: {}", name(), epoch,
                          base::name_of(refusal.reason)));
}

void AgentTalk::judge(v1::StudyState state, const std::string& problem) {
  const std::string& study = definition().study->name;
  if (state == v1::STUDY_STATE_STOPPED) {
    throw Error(ErrorKind::kProtocol, fmt::format("study '{}' was stopped by an operator", study));
  }
  if (state == v1::STUDY_STATE_FAILED) {
    throw Error(ErrorKind::kProtocol,
                fmt::format("study '{}' cannot continue: {}", study,
                            problem.empty() ? "the coordinator's log says why" : problem));
  }
  if (state == v1::STUDY_STATE_FINISHED && !over_) end("the study has finished");
}

void AgentTalk::end(const std::string& why) {
  try {
    joined_.journal.set_complete();
  } catch (const storage::StorageError& error) {
    // The coordinator has everything; with a full disk, a later start only asks it again.
    if (error.cause() != storage::StorageError::Cause::kUnwritable) throw;
  }
  over_ = true;
  say(why);
}

}  // namespace duets::service
