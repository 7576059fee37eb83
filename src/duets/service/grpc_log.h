// Turns gRPC's own log messages into log lines: some are about refused callers, and only there.
#pragma once

#include <optional>
#include <string>

#include "duets/service/log.h"

namespace duets::service {

/// A message of gRPC 1.51 as a log line; nothing for messages that do not help an operator, or that
/// the gate has already logged.
std::optional<LogLine> grpc_line(const std::string& message);

/// While it lives, gRPC's messages of the whole process go to `log`. One at a time.
class GrpcLog {
 public:
  explicit GrpcLog(Log log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace duets::service
