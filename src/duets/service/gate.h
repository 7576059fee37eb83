// Accepts the connections of a server and holds each until its first bytes arrive, then passes it
// on to gRPC. gRPC refuses strangers without logging it, so the gate logs them. It closes
// connections that stay silent.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <thread>

#include "duets/service/clock.h"
#include "duets/service/listener.h"
#include "duets/service/log.h"

namespace duets::service {

/// The protocol that a connection's first bytes belong to.
enum class Greeting : std::uint8_t { kPlaintext, kTls, kHttp, kGarbage };

/// From the first bytes, at least one; a prefix of gRPC's plaintext preface counts as kPlaintext.
Greeting greeting_of(std::string_view bytes);

struct GateOptions {
  bool insecure = false;  ///< callers use plaintext, otherwise TLS
  double seconds = 10;    ///< until the first byte
  Log log;                ///< may be empty
};

class Gate {
 public:
  /// Gets connections that have sent bytes, and owns the descriptor. Called from one thread.
  using PassOn = std::function<void(int fd)>;

  Gate(const std::string& address, GateOptions options, PassOn pass_on);
  /// Accepts no more connections; closes those that have sent nothing yet.
  ~Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  int port() const { return listener_.port(); }

 private:
  struct Silent {
    std::string peer;
    Clock::time_point until;
  };

  void run();
  void accept_from(int listener);
  void hear(int fd);
  void expire(Clock::time_point now);
  void tell(const std::string& message, const char* cause, const std::string& peer,
            LogLevel level = LogLevel::kWarning) const;

  const GateOptions options_;
  const PassOn pass_on_;
  const Listener listener_;
  const storage::Descriptor events_;  ///< epoll
  std::map<int, Silent> silent_;      ///< by descriptor
  std::atomic<bool> ending_ = false;
  std::thread thread_;  // last: it uses the others
};

}  // namespace duets::service
