// Converts between the project's errors and gRPC's status codes.
#pragma once

#include <grpcpp/support/status.h>

#include <exception>
#include <string>

#include "duets/base/error.h"

namespace duets::service {

/// The status of a call for an error: kInvalid -> INVALID_ARGUMENT, kConnection -> UNAVAILABLE,
/// kDiverged -> FAILED_PRECONDITION, kStorage -> DATA_LOSS (UNAVAILABLE if a later write may
/// succeed), anything else -> INTERNAL.
grpc::Status status_of(const std::exception& error);

/// The caller's error for a status that is not OK: INVALID_ARGUMENT, NOT_FOUND -> kInvalid;
/// ALREADY_EXISTS, PERMISSION_DENIED, UNAUTHENTICATED, ABORTED, UNAVAILABLE -> kConnection;
/// DEADLINE_EXCEEDED -> kTimeout; FAILED_PRECONDITION -> kDiverged; DATA_LOSS -> kStorage; anything
/// else -> kProtocol. `what` names the operation.
base::Error error_of(const grpc::Status& status, const std::string& what);

/// True when the same call may succeed later: UNAVAILABLE, DEADLINE_EXCEEDED, CANCELLED (a server
/// that shuts down drops its calls; a caller that cancels checks that itself first), and INTERNAL
/// or UNKNOWN of a broken connection.
bool is_transient(const grpc::Status& status);

/// The answer of a coordinator that is there but cannot answer yet: UNAVAILABLE, distinguishable
/// from a failed connection.
grpc::Status busy_status(const std::string& why);
bool is_busy_status(const grpc::Status& status);

}  // namespace duets::service
