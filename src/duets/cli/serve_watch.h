// Observes the studies of `duets serve` while the server runs them.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/server.h"

namespace duets::cli {

/// The number of agents of a running study that have uploaded or still can, and the number needed.
struct Reach {
  std::uint32_t agents = 0;
  std::uint32_t needed = 0;
  bool enough() const { return agents >= needed; }
};
Reach reach_of(const v1::StudyStatus& status);

/// The quorum of a study stays out of reach (kQuorum).
class GaveUp : public base::Error {
 public:
  explicit GaveUp(const std::string& reason)
      : Error(base::ErrorKind::kQuorum,
              reason + "; everything is stored, run the same command again to continue"),
        reason_(reason) {}
  /// Without the advice: for those who read it later.
  const std::string& reason() const { return reason_; }

 private:
  std::string reason_;
};

/// Nothing when an operator has deleted the study.
std::optional<v1::StudyStatus> status_of(const service::Server& server, const std::string& name);

/// Logs which agents studies wait for, and gives up on a study whose quorum stays out of reach. The
/// server itself logs other events.
class ServeWatch {
 public:
  /// `give_up` in seconds; 0: never. The server must outlive it.
  ServeWatch(const service::Server& server, double give_up, service::Log log)
      : server_(server), give_up_(give_up), log_(std::move(log)) {}

  /// Looks at every study once; true when one is running. Forgets deleted studies: another study
  /// with the name is a new one. Throws GaveUp.
  bool look();

 private:
  using Clock = std::chrono::steady_clock;
  struct Seen {
    bool over = false;  ///< need not be looked at again
    std::uint32_t epoch = 0;
    Clock::time_point told = Clock::now();
    std::optional<Clock::time_point> unreachable;
  };

  void tell_waiting(const v1::StudyStatus& status, Seen& seen);
  void check_quorum(const v1::StudyStatus& status, Seen& seen) const;

  const service::Server& server_;
  const double give_up_;
  const service::Log log_;
  std::map<std::string, Seen> seen_;
};

}  // namespace duets::cli
