#include "duets/service/heartbeat.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "duets/service/clock.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {
namespace {

constexpr std::size_t kMeasured = 20;         ///< answers in the mean
constexpr std::size_t kLongestProblem = 200;  ///< of a problem's text in a heartbeat
constexpr double kShortestInterval = 1;       ///< between two beats, even with news
constexpr double kLongestBeat = 15;           ///< so that news does not wait for a beat that hangs

double seconds_since(const std::optional<Clock::time_point>& begin) {
  if (!begin) return 0;
  return std::chrono::duration<double>(Clock::now() - *begin).count();
}

}  // namespace

Pulse::Pulse(v1::Caller caller, double lease_seconds)
    : caller_(std::move(caller)), lease_seconds_(lease_seconds) {
  progress_.set_agent(caller_.agent());
  progress_.set_token(caller_.token());
}

void Pulse::set_counts(std::uint32_t epoch, std::uint32_t answered, std::uint32_t holes) {
  change([&](v1::Progress& progress) {
    progress.set_epoch(epoch);
    progress.set_answered(answered);
    progress.set_holes(holes);
  });
}

void Pulse::begin_query() {
  const std::lock_guard lock(mutex_);
  query_began_ = Clock::now();
}

double Pulse::query_seconds() const {
  const std::lock_guard lock(mutex_);
  return seconds_since(query_began_);
}

void Pulse::end_query(double seconds) {
  const std::lock_guard lock(mutex_);
  query_began_.reset();
  if (seconds <= 0) return;
  seconds_.push_back(seconds);
  if (seconds_.size() > kMeasured) seconds_.pop_front();
  const double sum = std::accumulate(seconds_.begin(), seconds_.end(), 0.0);
  progress_.set_seconds_per_query(sum / static_cast<double>(seconds_.size()));
}

void Pulse::set_problem(const std::string& problem) {
  // Text of the user's program, shortened; a protobuf string must be UTF-8.
  std::string text = problem.substr(0, kLongestProblem);
  std::ranges::replace_if(
      text, [](char c) { return c < ' ' || c > '~'; }, '?');
  change([&](v1::Progress& progress) { progress.set_problem(text); });
}

void Pulse::set_state(const std::string& state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
}

std::string Pulse::state() const {
  const std::lock_guard lock(mutex_);
  return state_;
}

bool Pulse::fenced() const {
  const std::lock_guard lock(mutex_);
  return fenced_;
}

v1::StudyState Pulse::study_state() const {
  const std::lock_guard lock(mutex_);
  return study_state_;
}

std::uint32_t Pulse::coordinator_epoch() const {
  const std::lock_guard lock(mutex_);
  return coordinator_epoch_;
}

v1::Progress Pulse::progress() const {
  const std::lock_guard lock(mutex_);
  v1::Progress progress = progress_;
  progress.set_query_seconds(seconds_since(query_began_));
  return progress;
}

void Pulse::take(const v1::BeatReply& reply) {
  const std::lock_guard lock(mutex_);
  fenced_ = fenced_ || std::ranges::count(reply.fenced(), caller_.agent()) > 0;
  study_state_ = reply.state();
  coordinator_epoch_ = reply.waiting().epoch();
}

std::shared_ptr<HeartbeatThread> HeartbeatThread::of(const std::shared_ptr<Link>& link) {
  static std::mutex mutex;
  static std::map<const Link*, std::weak_ptr<HeartbeatThread>> threads;
  const std::lock_guard lock(mutex);
  std::erase_if(threads, [](const auto& entry) { return entry.second.expired(); });
  std::shared_ptr<HeartbeatThread> thread = threads[link.get()].lock();
  if (!thread) {
    thread = std::make_shared<HeartbeatThread>(link);
    threads[link.get()] = thread;
  }
  return thread;
}

HeartbeatThread::HeartbeatThread(std::shared_ptr<Link> link)
    : link_(std::move(link)), thread_([this] { run(); }) {}

void HeartbeatThread::add(std::shared_ptr<Pulse> pulse) {
  const std::lock_guard lock(thread_.mutex);
  pulses_.push_back(std::move(pulse));
  hurry_ = true;
  thread_.changed.notify_all();
}

void HeartbeatThread::hurry() {
  const std::lock_guard lock(thread_.mutex);
  hurry_ = true;
  thread_.changed.notify_all();
}

void HeartbeatThread::remove(const std::shared_ptr<Pulse>& pulse) {
  const std::lock_guard lock(thread_.mutex);
  std::erase(pulses_, pulse);
}

void HeartbeatThread::run() {
  std::unique_lock lock(thread_.mutex);
  while (!thread_.ending) {
    if (pulses_.empty()) {
      thread_.changed.wait(lock, [this] { return thread_.ending || !pulses_.empty(); });
      continue;
    }
    double lease = pulses_.front()->lease_seconds();
    for (const auto& pulse : pulses_) lease = std::min(lease, pulse->lease_seconds());
    const double interval = lease / 4;
    const Pulses pulses = pulses_;
    hurry_ = false;
    lock.unlock();
    const Clock::time_point begin = Clock::now();
    beat(pulses, std::min(interval, kLongestBeat));
    lock.lock();
    wait_until_due(lock, begin, interval);
  }
}

void HeartbeatThread::wait_until_due(std::unique_lock<std::mutex>& lock, Clock::time_point begin,
                                     double interval) {
  const auto due = begin + seconds(interval);
  const auto soonest = std::min(due, begin + seconds(kShortestInterval));
  thread_.changed.wait_until(lock, soonest, [this] { return thread_.ending.load(); });
  thread_.changed.wait_until(lock, due, [this] { return thread_.ending || hurry_; });
}

void HeartbeatThread::beat(const Pulses& pulses, double limit) {
  std::map<std::string, Pulses> studies;
  for (const auto& pulse : pulses) studies[pulse->caller().study()].push_back(pulse);
  for (const auto& [study, members] : studies) {
    v1::BeatRequest request;
    request.set_study(study);
    for (const auto& pulse : members) *request.add_progress() = pulse->progress();
    v1::BeatReply reply;
    const grpc::Status status = link_->try_once(
        [&](grpc::ClientContext& context) {
          return v1::Agents::Stub(link_->channel()).Beat(&context, request, &reply);
        },
        thread_.ending, limit);
    if (!status.ok()) continue;
    for (const auto& pulse : members) pulse->take(reply);
  }
}

}  // namespace duets::service
