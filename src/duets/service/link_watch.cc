#include "duets/service/link_watch.h"

#include <algorithm>
#include <chrono>
#include <thread>

#include "duets/service/clock.h"

namespace duets::service {
namespace {

constexpr std::chrono::duration<double> kNotice(kNoticeSeconds);

}  // namespace

void sleep_unless(const std::atomic<bool>& stop, double seconds) {
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (!stop && Clock::now() < end) {
    std::this_thread::sleep_for(
        std::min<std::chrono::duration<double>>(kNotice, end - Clock::now()));
  }
}

LinkWatch::LinkWatch() : thread_([this] { run(); }) {}

void LinkWatch::run() {
  std::unique_lock lock(thread_.mutex);
  while (!thread_.ending) {
    if (calls_.empty()) {
      thread_.changed.wait(lock);
    } else {
      thread_.changed.wait_for(lock, kNotice);
    }
    for (const Call& call : calls_) {
      if (*call.stop) call.context->TryCancel();
    }
  }
}

LinkWatch::Guard::Guard(LinkWatch& watch, grpc::ClientContext& context,
                        const std::atomic<bool>& stop)
    : watch_(watch) {
  const std::lock_guard lock(watch_.thread_.mutex);
  call_ = watch_.calls_.insert(watch_.calls_.end(), {&context, &stop});
  if (watch_.calls_.size() == 1) watch_.thread_.changed.notify_all();
}

LinkWatch::Guard::~Guard() {
  const std::lock_guard lock(watch_.thread_.mutex);
  watch_.calls_.erase(call_);
}

}  // namespace duets::service
