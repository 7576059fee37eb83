#include "duets/service/link_connector.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "duets/service/clock.h"
#include "duets/service/link_watch.h"

namespace duets::service {

LinkConnector::LinkConnector(std::shared_ptr<grpc::Channel> channel)
    : channel_(std::move(channel)), thread_([this] { run(); }) {}

void LinkConnector::connect() {
  const std::lock_guard lock(thread_.mutex);
  wanted_ = true;
  thread_.changed.notify_all();
}

void LinkConnector::sleep_unless_back(const std::atomic<bool>& stop, double seconds,
                                      std::uint64_t known) const {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  // At least one step: a connection that comes and breaks at once is no reason to hurry.
  do {
    const std::chrono::duration<double> left = end - Clock::now();
    sleep_unless(stop, std::min(kNoticeSeconds, left.count()));
  } while (!stop && num_returns_ == known && Clock::now() < end);
}

void LinkConnector::run() {
  std::unique_lock lock(thread_.mutex);
  while (!thread_.ending) {
    thread_.changed.wait(lock, [this] { return thread_.ending || wanted_; });
    wanted_ = false;
    lock.unlock();
    wait_for_connection();
    lock.lock();
  }
}

void LinkConnector::wait_for_connection() {
  bool missed = false;
  while (!thread_.ending) {
    const grpc_connectivity_state state = channel_->GetState(true);
    if (state == GRPC_CHANNEL_READY) {
      // If the connection was never lost, this is no news: the coordinator itself did not answer.
      if (missed) ++num_returns_;
      return;
    }
    missed = true;
    const auto notice = std::chrono::duration_cast<std::chrono::milliseconds>(
        std::chrono::duration<double>(kNoticeSeconds));
    channel_->WaitForStateChange(state, std::chrono::system_clock::now() + notice);
  }
}

}  // namespace duets::service
