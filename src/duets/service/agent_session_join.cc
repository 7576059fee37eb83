#include "duets/service/agent_session_join.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/agent_journal_instance.h"
#include "duets/service/certificates.h"
#include "duets/service/handshake.h"
#include "duets/service/secret.h"
#include "duets/service/status_code.h"
#include "duets/service/wire.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {
namespace {

using storage::StorageError;

/// The agent to join as, before the coordinator has answered.
struct Wish {
  std::string study;                         ///< empty: the only one
  std::optional<std::uint32_t> agent;        ///< empty: any
  std::optional<AgentJournal> journal;       ///< of an agent that joined before
  std::unique_ptr<PendingInstance> pending;  ///< of one that did not

  const std::string& instance() const {
    return journal ? journal->instance() : pending->instance();
  }
};

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

/// The journal of the agent that is wanted. If any agent will do, the first journal that no other
/// process holds: on a machine that restarts several agents without numbers, each finds its own.
std::optional<AgentJournal> find_journal(const SessionOptions& options, const Wish& wish) {
  for (const JournalFile& file : find_journals(options.journal, wish.study)) {
    if (wish.agent && file.agent != *wish.agent) continue;
    try {
      if (auto journal = AgentJournal::open(file)) return journal;
    } catch (const StorageError& error) {
      if (wish.agent || error.cause() != StorageError::Cause::kLocked) throw;
    }
  }
  return std::nullopt;
}

void refuse_several_studies(const SessionOptions& options) {
  const std::vector<JournalFile> files = find_journals(options.journal, "");
  const auto other = [&](const JournalFile& file) { return file.stem != files.front().stem; };
  if (std::ranges::any_of(files, other)) {
    base::refuse("study", "''",
                 fmt::format("{} has journals of several studies: specify the study",
                             options.journal.string()));
  }
}

Wish make_wish(const SessionOptions& options) {
  Wish wish{options.study, options.agent, {}, {}};
  const auto identity = parse_identity(options.link->identity());
  if (identity && identity->role == Identity::Role::kAgent) {
    if (wish.study.empty()) wish.study = identity->study;
    if (!wish.agent && identity->first == identity->last) wish.agent = identity->first;
  }
  if (wish.study.empty()) refuse_several_studies(options);
  wish.journal = find_journal(options, wish);
  if (wish.journal) {
    wish.study = wish.journal->study();
    wish.agent = wish.journal->agent();
    PendingInstance::forget(options.journal, wish.journal->instance());
  } else {
    wish.pending = std::make_unique<PendingInstance>(
        options.journal, wish.agent ? fmt::format("agent-{}", *wish.agent) : "any");
  }
  return wish;
}

v1::JoinRequest make_request(const SessionOptions& options, const Wish& wish) {
  v1::JoinRequest request;
  request.set_protocol_version(kProtocolVersion);
  request.set_study(wish.study);
  if (wish.agent) request.set_agent(*wish.agent);
  request.set_instance(wish.instance());
  if (wish.journal && wish.journal->study_digest()) {
    request.set_has_journal(true);
    *request.mutable_study_digest() = to_wire(*wish.journal->study_digest());
    const std::vector<JournalEntry> entries = wish.journal->entries();
    request.set_known_broadcasts(
        static_cast<std::uint32_t>(std::ranges::count_if(entries, [](const JournalEntry& entry) {
          return std::holds_alternative<protocol::Message>(entry);
        })));
  }
  // Distinguishes this start of the session from others with the same journal.
  request.set_start(random_bytes(kInstanceBytes));
  *request.mutable_numeric_fingerprint() = to_wire(fingerprint_of_start(request.start()));
  request.set_take_over(options.take_over);
  request.set_host(host_name());
  request.set_software("duets");
  return request;
}

[[noreturn]] void refuse_nothing_left(const SessionOptions& options, const AgentJournal& journal) {
  throw NothingLeft(
      fmt::format("agent {}: nothing is left to do: the coordinator has all results of study '{}', "
                  "and {} no longer answers",
                  journal.agent(), journal.study(), options.link->server()));
}

v1::JoinReply call_join(const SessionOptions& options, const Wish& wish) {
  const v1::JoinRequest request = make_request(options, wish);
  const std::atomic<bool>& stop = options.stop != nullptr ? *options.stop : kUnstopped;
  const std::string what = fmt::format(
      "joining {}{}", wish.study.empty() ? "the study" : fmt::format("study '{}'", wish.study),
      wish.agent ? fmt::format(" as agent {}", *wish.agent) : "");
  v1::JoinReply reply;
  const auto attempt = [&](grpc::ClientContext& context) {
    return v1::Agents::Stub(options.link->channel()).Join(&context, request, &reply);
  };
  if (wish.journal && wish.journal->is_complete()) {
    const grpc::Status status = options.link->try_once(attempt, stop, kOnceSeconds);
    if (status.ok()) return reply;
    const bool is_there = is_busy_status(status);
    if (!stop && is_transient(status) && !is_there) refuse_nothing_left(options, *wish.journal);
  }
  const bool done = options.link->call(what, attempt, stop);
  if (!done) throw base::Error(base::ErrorKind::kConnection, what + ": stopped while waiting");
  return reply;
}

void check_reply(const Wish& wish, const v1::JoinReply& reply, const Definition& definition) {
  if ((!wish.study.empty() && definition.study->name != wish.study) ||
      (wish.agent && reply.agent() != *wish.agent)) {
    throw base::Error(
        base::ErrorKind::kProtocol,
        fmt::format("asked for agent {} of study '{}', the coordinator gave agent {} of '{}'",
                    wish.agent.value_or(0), wish.study, reply.agent(), definition.study->name));
  }
  if (!wish.journal) return;
  const std::optional<Definition> before = wish.journal->definition();
  const study::Objective& now = definition.objective();
  if (before &&
      (before->objective().direction != now.direction || before->objective().offset != now.offset ||
       before->objective().scale != now.scale)) {
    throw base::Error(base::ErrorKind::kDiverged,
                      fmt::format("{}: direction, offset or scale of study '{}' have changed "
                                  "since this journal was created",
                                  wish.journal->path().string(), definition.study->name));
  }
}

random::Coin coin_of(const std::string& bytes) {
  random::Key key{};
  std::ranges::copy(bytes, key.begin());
  return random::Coin(key);
}

// Replays up to the coordinator's state; returns the rest.
std::deque<JournalEntry> replay(const AgentJournal& journal, AgentBook& book,
                                std::uint32_t num_broadcasts) {
  std::deque<JournalEntry> ahead;
  std::size_t index = 0;
  for (const JournalEntry& entry : journal.entries()) {
    const bool beyond =
        std::holds_alternative<protocol::Message>(entry) && book.num_broadcasts() >= num_broadcasts;
    if (beyond || !ahead.empty()) {
      ahead.push_back(entry);
      continue;
    }
    try {
      book.apply(entry);
    } catch (const base::Error& error) {
      if (error.kind() == base::ErrorKind::kDiverged) throw;
      throw StorageError(StorageError::Cause::kDamaged,
                         fmt::format("{}: entry {} does not fit the entries before it: {}",
                                     journal.path().string(), index, error.what()));
    }
    ++index;
  }
  return ahead;
}

AgentJournal take_journal(const SessionOptions& options, Wish& wish, const std::string& study,
                          std::uint32_t agent) {
  if (wish.journal) return *std::move(wish.journal);
  const std::string& instance = wish.instance();
  AgentJournal journal = AgentJournal::open_or_make(options.journal, study, agent, instance);
  if (journal.instance() != instance) {
    throw StorageError(
        StorageError::Cause::kLocked,
        fmt::format("{}: another process has started this agent in the meantime; start "
                    "again to continue with it",
                    journal.path().string()));
  }
  wish.pending->remove();
  return journal;
}

Joined begin(const SessionOptions& options, Wish& wish) {
  const v1::JoinReply reply = call_join(options, wish);
  Definition definition = check_join_reply(reply);
  check_reply(wish, reply, definition);
  const std::string& study = definition.study->name;
  AgentJournal journal = take_journal(options, wish, study, reply.agent());
  const base::Digest digest = from_wire(reply.study_digest());
  if (journal.study_digest() != digest) journal.joined(digest, definition);
  auto book = std::make_unique<AgentBook>(definition, base::AgentId{reply.agent()},
                                          coin_of(reply.coin()), coin_of(reply.public_coin()));
  std::deque<JournalEntry> ahead = replay(journal, *book, reply.num_broadcasts());
  const std::uint32_t open_epoch = book->open_epoch(reply.num_broadcasts());
  v1::Caller caller;
  caller.set_study(study);
  caller.set_agent(reply.agent());
  caller.set_token(reply.token());
  return {std::move(definition), std::move(journal), std::move(book),  caller,
          reply.lease_seconds(), open_epoch,         reply.uploaded(), std::move(ahead)};
}

}  // namespace

Joined join_study(const SessionOptions& options) {
  if (!options.link) base::refuse("link", "none", "a session needs a connection");
  if (options.journal.empty()) base::refuse("journal", "", "must name a directory");
  Wish wish = make_wish(options);
  try {
    return begin(options, wish);
  } catch (const base::Error&) {
    // Refused: nothing to keep. But if we stopped waiting, the coordinator may know this instance.
    const bool stopped = options.stop != nullptr && *options.stop;
    if (wish.pending && !stopped) wish.pending->remove();
    throw;
  }
}

}  // namespace duets::service
