// `duets plan` and `duets submit`: take part in a study without a permanent connection.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "duets/cli/peer.h"
#include "duets/cli/progress.h"
#include "duets/cli/summary.h"

namespace duets::cli {

struct OfflineFlags {
  PeerFlags peer;
  std::string study;
  std::optional<std::uint32_t> agent;
  std::string journal = kUsualJournal;
  bool take_over = false;
  double wait = 1;   ///< seconds to wait for the next epoch when nothing is open
  std::string file;  ///< submit: the answers
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
};

/// Prints the open queries of the agent, as CSV or JSON. Throws base::Error, kTimeout when there
/// are none yet.
void print_plan(const OfflineFlags& flags);

/// Accepts a file of answers, all or nothing, and sends them once the epoch is complete. Throws
/// base::Error.
void submit_answers(const OfflineFlags& flags);

}  // namespace duets::cli
