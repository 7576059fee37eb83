// The exit codes of the process, as documented in docs/guide.md.
#pragma once

#include <exception>
#include <span>

#include "duets/base/error.h"

namespace duets::cli {

enum class ExitCode : int {
  kOk = 0,
  kRunFailed = 1,
  kUsage = 2,  ///< usage or configuration
  kTimeout = 3,
  kConnection = 4,  ///< connection or authentication
  kDiverged = 5,    ///< shared state diverged
  kStorage = 6,     ///< storage damaged or locked
  kQuorum = 7,
  kObjective = 8,      ///< the objective failed too often
  kInterrupted = 130,  ///< stopped by Ctrl-C; 128 plus the signal's number, as in shells
  kTerminated = 143,   ///< stopped by SIGTERM
};

struct ExitMeaning {
  ExitCode code;
  const char* text;
};

/// All of them, in order, with explanations for people.
std::span<const ExitMeaning> exit_meanings();

ExitCode exit_code_of(base::ErrorKind kind);

/// An error of the command line itself, with its own exit code.
class CodedError : public base::Error {
 public:
  CodedError(ExitCode code, const std::string& message)
      : Error(base::ErrorKind::kIo, message), code_(code) {}
  ExitCode code() const { return code_; }

 private:
  ExitCode code_;
};

/// The code of any exception: a CodedError's own, a base::Error's by its kind, else kRunFailed.
ExitCode exit_code_of(const std::exception& error);

}  // namespace duets::cli
