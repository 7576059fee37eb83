// Lines for people on standard error, from any thread.
#pragma once

#include <mutex>
#include <string>

#include "duets/cli/progress.h"
#include "duets/service/log.h"

namespace duets::cli {

class Lines {
 public:
  explicit Lines(Verbosity verbosity) : quiet_(verbosity == Verbosity::kQuiet) {}
  /// One line; nothing when quiet. Thread-safe.
  void say(const std::string& line);
  /// The same for the service, at any level. The Lines must outlive it.
  service::Log log();

 private:
  bool quiet_;
  std::mutex mutex_;
};

}  // namespace duets::cli
