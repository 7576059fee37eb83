// What gRPC says by itself: some of it is about callers that were refused, and is nowhere else.
#pragma once

#include <optional>
#include <string>

#include "duets/service/log.h"

namespace duets::service {

/// A message of gRPC 1.51 as a line of ours; nothing for what is of no use to an operator, and for
/// what the gate has told.
std::optional<LogLine> grpc_line(const std::string& message);

/// While it lives, gRPC's messages of the whole process become lines of `log`. One at a time.
class GrpcLog {
 public:
  explicit GrpcLog(Log log);
  ~GrpcLog();
  GrpcLog(const GrpcLog&) = delete;
  GrpcLog& operator=(const GrpcLog&) = delete;
};

}  // namespace duets::service
