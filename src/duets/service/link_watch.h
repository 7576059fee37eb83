// Cancels calls in progress when a stop is requested: a blocking call does not check flags.
#pragma once

#include <grpcpp/client_context.h>

#include <atomic>
#include <list>

#include "duets/service/waiting_thread.h"

namespace duets::service {

/// Time limit for noticing a flag.
inline constexpr double kNoticeSeconds = 0.05;

/// Sleeps for `seconds`, or until `stop` is true.
void sleep_unless(const std::atomic<bool>& stop, double seconds);

/// A thread that cancels calls whose flag is set. Idle while there are no calls.
class LinkWatch {
 public:
  LinkWatch();

 private:
  struct Call {
    grpc::ClientContext* context;
    const std::atomic<bool>* stop;
  };

 public:
  /// Watches a call for as long as the guard lives.
  class Guard {
   public:
    Guard(LinkWatch& watch, grpc::ClientContext& context, const std::atomic<bool>& stop);
    ~Guard();
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

   private:
    LinkWatch& watch_;
    std::list<Call>::iterator call_;
  };

 private:
  void run();

  std::list<Call> calls_;
  WaitingThread thread_;
};

}  // namespace duets::service
