// Explains why there is no connection, in words for people instead of gRPC's.
#pragma once

#include <grpcpp/support/status.h>

#include <string>

namespace duets::service {

/// Why a call to the coordinator at `server` ("host:port") got no answer, and what may help. Texts
/// of the coordinator itself are passed on; gRPC's texts about connections are translated.
std::string away_text(const grpc::Status& status, const std::string& server);

/// The connection was refused: nothing listens at the address.
bool is_refused(const grpc::Status& status);

/// The other side has a certificate that we refuse, or does not use TLS.
bool is_bad_server(const grpc::Status& status);

/// The connection was made, and closed before anything was sent; a timeout does not count. A server
/// that refuses a certificate does so without giving a reason: in TLS 1.3 it checks the client's
/// certificate after the client has finished the handshake.
bool is_closed_early(const grpc::Status& status);

}  // namespace duets::service
