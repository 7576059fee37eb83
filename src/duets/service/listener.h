// Sockets that listen: one for each address that a name stands for.
#pragma once

#include <deque>
#include <string>

#include "duets/storage/files.h"

namespace duets::service {

class Listener {
 public:
  /// "HOST:PORT"; port 0: one that is free. 0.0.0.0 and [::] stand for all addresses of the
  /// machine, of both families. A host of several addresses needs one that can be had. Throws
  /// kInvalid for what is not HOST:PORT, kConnection, with what may help, when it cannot listen.
  explicit Listener(const std::string& address);

  int port() const { return port_; }
  /// Non-blocking; at least one.
  const std::deque<storage::Descriptor>& sockets() const { return sockets_; }

 private:
  std::deque<storage::Descriptor> sockets_;
  int port_ = 0;
};

}  // namespace duets::service
