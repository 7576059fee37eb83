// The main loop of a local study: several objectives at a time, each on a thread of its own.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "duets/service/local_study.h"
#include "duets/service/log.h"
#include "duets/service/objective.h"

namespace duets::service {

struct LocalLoopOptions {
  /// Ends with kObjective after this many failures in a row; 0: never. A failure is a hole.
  std::uint32_t max_failures = 0;
  /// Ends the study early after this long, as soon as there is a reward and the current queries are
  /// finished; 0: never.
  double seconds = 0;
  Log log = {};  ///< may be empty
  /// Called on the thread of the loop: after answers were told, and a few times per second.
  std::function<void()> look = {};
};

/// Runs until the study is over or `stop` is set; then finishes and tells the current queries and
/// returns. `abandon` also abandons the current queries. Returns true when the study is over.
///
/// One thread per objective asks it. An objective that has answered a query of an agent gets that
/// agent's next one while there is one. Failures before the first answer are not told until there
/// is one: when a program that never worked ends the run with kObjective, also because it failed in
/// every query of the first epoch, the study is as new, and none of its queries is lost. Without
/// `max_failures` every failure is told at once.
bool run_local(LocalStudy& study, const std::vector<std::unique_ptr<Objective>>& objectives,
               const std::atomic<bool>& stop, const std::atomic<bool>& abandon,
               const LocalLoopOptions& options);

}  // namespace duets::service
