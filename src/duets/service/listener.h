// Listening sockets, one for each address of a host name.
#pragma once

#include <deque>
#include <string>

#include "duets/storage/files.h"

namespace duets::service {

class Listener {
 public:
  /// "HOST:PORT"; port 0: a free one. 0.0.0.0 and [::] mean all addresses of the machine, of both
  /// families. If a host has several addresses, one that works is enough. Throws kInvalid for
  /// what is not HOST:PORT, kConnection, with advice, when it cannot listen.
  explicit Listener(const std::string& address);

  int port() const { return port_; }
  /// Non-blocking; at least one.
  const std::deque<storage::Descriptor>& sockets() const { return sockets_; }

 private:
  std::deque<storage::Descriptor> sockets_;
  int port_ = 0;
};

}  // namespace duets::service
