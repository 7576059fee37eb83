// How a session begins: finding its journal, joining the study, living through the journal again.
#pragma once

#include <deque>
#include <memory>

#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"
#include "duets/service/agent_session_book.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The limit of the one attempt of an agent that has nothing left to do.
inline constexpr double kOnceSeconds = 5;

/// A session that has begun.
struct Joined {
  Definition definition;
  AgentJournal journal;
  std::unique_ptr<AgentBook> book;
  v1::Caller caller;
  double lease_seconds = 60;
  std::uint32_t open_epoch = 1;  ///< at the coordinator
  bool uploaded = false;         ///< it has this agent's message of that epoch
  /// What the journal has from the first broadcast on that the coordinator does not have: its
  /// storage was set back. The book stands before it.
  std::deque<JournalEntry> ahead;
};

/// As the constructor of AgentSession says.
Joined join_study(const SessionOptions& options);

}  // namespace duets::service
