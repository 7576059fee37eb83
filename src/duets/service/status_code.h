// Between the project's errors and gRPC's status codes, in both directions.
#pragma once

#include <grpcpp/support/status.h>

#include <exception>
#include <string>

#include "duets/base/error.h"

namespace duets::service {

/// What a call answers for an error: kInvalid -> INVALID_ARGUMENT, kConnection -> UNAVAILABLE,
/// kDiverged -> FAILED_PRECONDITION, kStorage -> DATA_LOSS (UNAVAILABLE when it may be written
/// later), anything else -> INTERNAL.
grpc::Status status_of(const std::exception& error);

/// What a caller makes of a status that is not OK: INVALID_ARGUMENT, NOT_FOUND -> kInvalid;
/// ALREADY_EXISTS, PERMISSION_DENIED, UNAUTHENTICATED, ABORTED, UNAVAILABLE -> kConnection;
/// DEADLINE_EXCEEDED -> kTimeout; FAILED_PRECONDITION -> kDiverged; DATA_LOSS -> kStorage; anything
/// else -> kProtocol. `what` says what was tried.
base::Error error_of(const grpc::Status& status, const std::string& what);

/// True when the same call may succeed later: UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED (a server
/// that ends drops its calls; whoever cancels a call himself looks before he asks here), and
/// INTERNAL or UNKNOWN of a connection that broke.
bool is_transient(const grpc::Status& status);

/// What a coordinator says that is there and cannot answer yet: UNAVAILABLE, told apart from that
/// of a connection that could not be made.
grpc::Status busy_status(const std::string& why);
bool is_busy_status(const grpc::Status& status);

}  // namespace duets::service
