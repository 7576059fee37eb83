// Why there is no connection, in words for people instead of gRPC's.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

namespace duets::service {

/// Why a call to the coordinator at `server` ("host:port") got no answer, and what may help. What
/// the coordinator itself said is passed on; what gRPC says of connections is translated.
std::string away_text(const grpc::Status& status, const std::string& server);

/// Nothing listens at the address: it says so itself.
bool is_refused(const grpc::Status& status);

/// The other side showed a certificate that we do not take, or does not speak TLS.
bool is_bad_server(const grpc::Status& status);

/// The connection came about and was closed before anything was said; a timeout is not that. A
/// server that refuses a certificate does so without a word: in TLS 1.3 the client's is looked at
/// after the client is done.
bool is_closed_early(const grpc::Status& status);

}  // namespace duets::service
