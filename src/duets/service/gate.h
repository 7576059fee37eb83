// The door of a server: connections are accepted here and wait until they speak. What begins as a
// caller of ours goes on to gRPC; so does anything else, which gRPC refuses in its own way and
// without a word in any log: therefore it is told here. Who says nothing is shown out.
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

/// How a connection begins.
enum class Greeting : std::uint8_t { kPlaintext, kTls, kHttp, kGarbage };

/// From the first bytes, at least one; gRPC in plaintext counts as kPlaintext as far as it goes.
Greeting greeting_of(std::string_view bytes);

struct GateOptions {
  bool insecure = false;  ///< callers speak plaintext, otherwise TLS
  double seconds = 10;    ///< until the first byte
  Log log;                ///< may be empty
};

class Gate {
 public:
  /// Gets connections that have spoken; the descriptor is its own then. Called from one thread.
  using PassOn = std::function<void(int fd)>;

  Gate(const std::string& address, GateOptions options, PassOn pass_on);
  /// Accepts no more; closes those that have not spoken yet.
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
