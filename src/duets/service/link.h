// A connection to a coordinator: address, credentials, and calls that are tried again.
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

/// A line about the same problem is written no more often.
inline constexpr double kRepeatSeconds = 60;

/// For a call that nothing stops.
inline const std::atomic<bool> kUnstopped = false;

struct LinkOptions {
  std::string server;           ///< "host:port"
  bool insecure = false;        ///< plaintext; must be typed
  std::filesystem::path certs;  ///< directory with ca.crt and the certificate, unless insecure
  std::string identity;         ///< whose certificate: "agent-3", "operator"
  double call_seconds = 20;     ///< limit of one attempt of a short call
  double give_up_seconds = 0;   ///< stop trying after so long; 0: never
  double refused_seconds = 0;   ///< the same while nothing listens there; 0: as give_up_seconds
  Log log;                      ///< may be empty
};

/// Thread-safe.
class Link {
 public:
  /// kInvalid for a bad address or missing certificates, kConnection for a certificate that has
  /// expired or is not of the authority in ca.crt. Does not connect yet.
  explicit Link(LinkOptions options);
  ~Link();
  Link(const Link&) = delete;
  Link& operator=(const Link&) = delete;

  /// For the stub of a service; calls go through call() or try_once().
  const std::shared_ptr<grpc::ChannelInterface>& channel() const;
  const std::string& server() const;
  /// Whose certificate it shows; empty when insecure.
  const std::string& identity() const;
  /// Through the log of the options.
  void say(const LogLine& line) const;

  using Attempt = std::function<grpc::Status(grpc::ClientContext&)>;

  /// Calls `attempt` until it succeeds, ends with an error that trying again does not mend, or
  /// `stop` is true. Waits between attempts: 0.1 s doubling to 10 s, with jitter; less when a lost
  /// connection comes back. A call that breaks off counts as not answered. Says once that the
  /// coordinator cannot be reached, then every minute, and when it is back. Returns false when
  /// stopped. Throws what error_of() makes of the last status. `extra_seconds` is added to the
  /// limit of an attempt (a call that waits). Certificates that do not fit are not waited for: as
  /// long as the coordinator never answered, a connection that is made and then fails as a broken
  /// handshake does is kConnection.
  bool call(const std::string& what, const Attempt& attempt, const std::atomic<bool>& stop,
            double extra_seconds = 0);

  /// One attempt, given up after `seconds` (DEADLINE_EXCEEDED) or when `stop` becomes true
  /// (CANCELLED). One that fails does not wait for the connection, but has it brought back: a
  /// later attempt finds it.
  grpc::Status try_once(const Attempt& attempt, const std::atomic<bool>& stop, double seconds);

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::service
