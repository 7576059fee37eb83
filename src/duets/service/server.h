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
  std::string listen = "127.0.0.1:0";  ///< port 0: one that is free
  std::filesystem::path storage;       ///< directory: duets.db and secrets/; made when missing
  bool insecure = false;
  std::filesystem::path certs;   ///< directory with ca.crt and coordinator.{crt,key}
  double lease_seconds = 60;     ///< an agent not heard of for so long may be replaced
  double max_wait_seconds = 30;  ///< the longest long poll that is granted
  double silence_seconds = 10;   ///< connections that do not speak for so long are closed
  Log log;                       ///< may be empty
};

/// Thread-safe. Every study has a worker of its own; see docs/architecture.md.
class Server {
 public:
  /// Opens the store and brings every study back to where it was. Throws kStorage for a damaged or
  /// locked store, kInvalid for bad options.
  /// The executor must outlive the server and may be used by several threads at once.
  Server(ServerOptions options, const base::Executor& executor);
  /// Stops listening, lets workers finish what they are persisting.
  ~Server();
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// From now on it is called. Once: studies that must be there for the first caller are created
  /// before. Throws kConnection when it cannot listen.
  void listen();
  /// Where it listens: "host:port" with the real port; empty before listen().
  std::string address() const;

  /// Makes a study with a new secret, or with the one of `secret_text` (64 hexadecimal digits), and
  /// starts it. kInvalid when the name is taken by another study; when the same study (same
  /// digest) is there, it goes on and false is returned.
  bool create(const Definition& definition, const std::string& secret_text = {});

  /// In order.
  std::vector<std::string> names() const;
  /// False while the records of a study are being read: until then it counts as running.
  bool is_ready(const std::string& name) const;
  /// kInvalid when there is no such study; an empty name means the only one. Whatever else an
  /// operator may want comes as a call (operators.h).
  v1::StudyStatus status(const std::string& name) const;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::service
