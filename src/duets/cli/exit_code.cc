#include "duets/cli/exit_code.h"

namespace duets::cli {

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
