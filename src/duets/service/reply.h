// A reply to a call that is sent later, from another thread.
#pragma once

#include <grpcpp/support/status.h>

#include <functional>
#include <utility>

namespace duets::service {

/// The status for all callers when the coordinator stops.
grpc::Status going_away();

/// Replies exactly once: with the given status, or with going_away() if it is destroyed without one
/// (a job that was dropped). Shared, not copied.
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
