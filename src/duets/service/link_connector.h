// Restores a lost connection. gRPC works on a connection only while a thread waits for it: calls
// that fail at once do not wait, and a TLS handshake between them would never finish.
#pragma once

#include <grpcpp/channel.h>

#include <atomic>
#include <cstdint>
#include <memory>

#include "duets/service/waiting_thread.h"

namespace duets::service {

/// A thread that waits for a channel to connect. Idle unless a connection is wanted. Thread-safe.
class LinkConnector {
 public:
  explicit LinkConnector(std::shared_ptr<grpc::Channel> channel);

  /// A call did not get through: connect, if there is no connection, however long it takes.
  void connect();
  /// The number of times that a lost connection has come back.
  std::uint64_t num_returns() const { return num_returns_; }
  /// Sleeps for `seconds`, or until `stop` is true, or until num_returns() differs from `known`.
  void sleep_unless_back(const std::atomic<bool>& stop, double seconds, std::uint64_t known) const;

 private:
  void run();
  void wait_for_connection();

  std::shared_ptr<grpc::Channel> channel_;
  std::atomic<std::uint64_t> num_returns_ = 0;
  bool wanted_ = false;
  WaitingThread thread_;
};

}  // namespace duets::service
