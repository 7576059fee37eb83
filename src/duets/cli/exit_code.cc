#include "duets/cli/exit_code.h"

#include <array>

namespace duets::cli {

std::span<const ExitMeaning> exit_meanings() {
  static constexpr std::array<ExitMeaning, 11> kMeanings{{
      {ExitCode::kOk, "done"},
      {ExitCode::kRunFailed,
       "the run failed: sampler exhausted, a factorisation, a file, an unsupported platform"},
      {ExitCode::kUsage, "usage or study file; the message names field, value and constraint"},
      {ExitCode::kTimeout, "timed out"},
      {ExitCode::kConnection, "the coordinator cannot be reached or refuses the connection"},
      {ExitCode::kDiverged,
       "coordinator and agent do not compute the same bits, or verification of a run failed"},
      {ExitCode::kStorage, "stored data is damaged, locked or cannot be written"},
      {ExitCode::kQuorum, "too few agents are left"},
      {ExitCode::kObjective, "the objective failed too often"},
      {ExitCode::kInterrupted, "run, tune, compare or reproduce was stopped by Ctrl-C"},
      {ExitCode::kTerminated, "run, tune, compare or reproduce was stopped by SIGTERM"},
  }};
  return kMeanings;
}

ExitCode exit_code_of(base::ErrorKind kind) {
  switch (kind) {
    case base::ErrorKind::kInvalid:
      return ExitCode::kUsage;
    case base::ErrorKind::kDiverged:
      return ExitCode::kDiverged;
    case base::ErrorKind::kStorage:
      return ExitCode::kStorage;
    case base::ErrorKind::kConnection:
      return ExitCode::kConnection;
    case base::ErrorKind::kTimeout:
      return ExitCode::kTimeout;
    case base::ErrorKind::kQuorum:
      return ExitCode::kQuorum;
    case base::ErrorKind::kObjective:
      return ExitCode::kObjective;
    case base::ErrorKind::kDecode:
    case base::ErrorKind::kProtocol:
    case base::ErrorKind::kNumeric:
    case base::ErrorKind::kExhausted:
    case base::ErrorKind::kPlatform:
    case base::ErrorKind::kIo:
      return ExitCode::kRunFailed;
  }
  return ExitCode::kRunFailed;
}

ExitCode exit_code_of(const std::exception& error) {
  if (const auto* coded = dynamic_cast<const CodedError*>(&error)) return coded->code();
  if (const auto* ours = dynamic_cast<const base::Error*>(&error)) {
    return exit_code_of(ours->kind());
  }
  return ExitCode::kRunFailed;
}

}  // namespace duets::cli
