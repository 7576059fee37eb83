// The beginning of a session: find the journal, join the study, replay the journal.
#pragma once

#include <deque>
#include <memory>

#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"
#include "duets/service/agent_session_book.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// Time limit of the only attempt of an agent that has nothing left to do.
inline constexpr double kOnceSeconds = 5;

/// A session that has joined.
struct Joined {
  Definition definition;
  AgentJournal journal;
  std::unique_ptr<AgentBook> book;
  v1::Caller caller;
  double lease_seconds = 60;
  std::uint32_t open_epoch = 1;  ///< at the coordinator
  bool uploaded = false;         ///< the coordinator has this agent's message of that epoch
  /// The entries of the journal from the first broadcast that the coordinator does not have: its
  /// storage was set back. The book is in the state before them.
  std::deque<JournalEntry> ahead;
};

/// See the constructor of AgentSession.
Joined join_study(const SessionOptions& options);

}  // namespace duets::service
