// What listens at an address that closes connections: does it speak TLS?
#pragma once

#include <string>

namespace duets::service {

/// Says hello in TLS to "host:port" and looks at the first byte that comes back: true only for a
/// handshake or an alert of TLS. False when nothing comes within a second, or there is no
/// connection.
bool answers_in_tls(const std::string& server);

}  // namespace duets::service
