// The coordinator as a server: several studies, one address, one store.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "duets/base/executor.h"
#include "duets/service/definition.h"
#include "duets/service/log.h"

namespace duets::v1 {
class StudyStatus;
}  // namespace duets::v1

namespace duets::service {

struct ServerOptions {
  std::string listen = "127.0.0.1:0";  ///< port 0: any free port
  std::filesystem::path storage;       ///< directory: duets.db and secrets/; created if missing
  bool insecure = false;
  std::filesystem::path certs;   ///< directory with ca.crt and coordinator.{crt,key}
  double lease_seconds = 60;     ///< an agent that is silent for this long may be replaced
  double max_wait_seconds = 30;  ///< the longest long poll
  double silence_seconds = 10;   ///< connections that send nothing for this long are closed
  Log log;                       ///< may be empty
};

/// Thread-safe. Every study has its own worker; see docs/architecture.md.
class Server {
 public:
  /// Opens the store and restores every study. Throws kStorage for a damaged or locked store,
  /// kInvalid for bad options. The executor must outlive the server and may be used by several
  /// threads at once.
  Server(ServerOptions options, const base::Executor& executor);
  /// Stops listening; lets workers finish what they are persisting.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// Starts to accept calls, and stores with every study that it is being served. Call once, after
  /// creating the studies that must exist for the first caller. Throws kConnection when it cannot
  /// listen.
  void listen();
  /// The address: "host:port" with the actual port; empty before listen().
  std::string address() const;

  /// Creates a study with a new secret, or with `secret_text` (64 hexadecimal digits), and starts
  /// it. kInvalid when the name is used by another study; when the same study (same digest) exists,
  /// it continues and the result is false.
  bool create(const Definition& definition, const std::string& secret_text = {});

  /// Sorted.
  std::vector<std::string> names() const;
  /// False while the records of a study are being read; it counts as running until then.
  bool is_ready(const std::string& name) const;
  /// kInvalid for an unknown study; an empty name means the only one. All other actions of an
  /// operator are calls (operators.h).
  v1::StudyStatus status(const std::string& name) const;

  /// Stores with every study that is not over how its service ended ("gave up") and why (may be
  /// empty), for those who read the storage later: without it they take the server for killed. The
  /// first call after listen() counts. Errors are logged.
  void end(const std::string& how, const std::string& why = {});

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::service
