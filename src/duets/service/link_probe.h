// Checks whether a server that closes connections uses TLS.
#pragma once

#include <string>

namespace duets::service {

/// Sends a TLS client hello to "host:port" and checks the first byte of the answer: true only for a
/// TLS handshake or alert. False when nothing arrives within a second, or there is no connection.
bool answers_in_tls(const std::string& server);

}  // namespace duets::service
