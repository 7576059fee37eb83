// The reply to a call that is given later, from another thread.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <utility>

namespace duets::service {

/// What every caller hears when the coordinator stops.
grpc::Status going_away();

/// Replies exactly once: with what it is told, or that the coordinator goes away when it is
/// destroyed without having been told anything (a job that was dropped). Shared, not copied.
class Reply {
 public:
  explicit Reply(std::function<void(const grpc::Status&)> done) : done_(std::move(done)) {}
  ~Reply() {
    if (done_) done_(going_away());
  }
  Reply(const Reply&) = delete;
  Reply& operator=(const Reply&) = delete;

  void operator()(const grpc::Status& status) { std::exchange(done_, nullptr)(status); }

 private:
  std::function<void(const grpc::Status&)> done_;
};

}  // namespace duets::service
