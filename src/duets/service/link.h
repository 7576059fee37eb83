// A connection to a coordinator: address, credentials, and calls that are retried.
#pragma once

#include <atomic>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

#include "duets/service/log.h"

namespace grpc {
class ChannelInterface;
class ClientContext;
class Status;
}  // namespace grpc

namespace duets::service {

/// Minimum time between log lines about the same problem.
inline constexpr double kRepeatSeconds = 60;

/// For a call that is never stopped.
inline const std::atomic<bool> kUnstopped = false;

struct LinkOptions {
  std::string server;           ///< "host:port"
  bool insecure = false;        ///< plaintext; never the default
  std::filesystem::path certs;  ///< directory with ca.crt and the certificate, unless insecure
  std::string identity;         ///< whose certificate: "agent-3", "operator"
  double call_seconds = 20;     ///< time limit of one attempt of a short call
  double give_up_seconds = 0;   ///< stop trying after this time; 0: never
  double refused_seconds = 0;   ///< the same while connections are refused; 0: like give_up_seconds
  Log log;                      ///< may be empty
};

/// Thread-safe.
class Link {
 public:
  /// kInvalid for a bad address or missing certificates, kConnection for a certificate that has
  /// expired or is not from the authority in ca.crt. Does not connect yet.
  explicit Link(LinkOptions options);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// For the stub of a service; calls go through call() or try_once().
  const std::shared_ptr<grpc::ChannelInterface>& channel() const;
  const std::string& server() const;
  /// The owner of the certificate in use; empty when insecure.
  const std::string& identity() const;
  /// Writes to the log of the options.
  void say(const LogLine& line) const;

  using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

  /// Calls `attempt` until it succeeds, fails with an error that a retry does not fix, or `stop` is
  /// true. Waits between attempts: 0.1 s doubling to 10 s, with jitter; less when a lost connection
  /// comes back. A call that is cut off counts as not answered. Logs once that the coordinator
  /// cannot be reached, then every minute, and when it is back. Returns false when stopped. Throws
  /// error_of() of the last status. `extra_seconds` is added to the time limit of an attempt (a
  /// call that waits). Does not retry with certificates that do not match: as long as the
  /// coordinator has never answered, a connection that fails like a broken handshake is
  /// kConnection.
  bool call(const std::string& what, const Attempt& attempt, const std::atomic<bool>& stop,
            double extra_seconds = 0);

  /// One attempt, ended after `seconds` (DEADLINE_EXCEEDED) or when `stop` becomes true
  /// (CANCELLED). An attempt that fails does not wait for the connection, but starts to restore it
  /// for later attempts.
  grpc::Status try_once(const Attempt& attempt, const std::atomic<bool>& stop, double seconds);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::service
