// Simulates several processes in one, for tests: ranks are threads that meet in gather and agree.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/base/executor.h"

namespace duets::base {

/// Where the ranks meet. When a rank asks for something other than the others do, or has already
/// ended, all fail: a real host would hang or give a wrong answer there.
class RankMeeting {
 public:
  explicit RankMeeting(std::size_t num_ranks) : num_ranks_(num_ranks), brought_(num_ranks) {}

  std::size_t num_ranks() const { return num_ranks_; }

  /// Waits for all ranks; returns what each brought, in rank order. `question` identifies the
  /// operation and must be the same in all ranks.
  std::vector<std::vector<Bytes>> meet(std::size_t rank, std::uint64_t question,
                                       std::vector<Bytes> mine) {
    std::unique_lock lock(mutex_);
    if (num_here_ == 0) question_ = question;
    if (question != question_) broken_ = true;
    brought_[rank] = std::move(mine);
    const std::uint64_t round = round_ + 1;
    if (++num_here_ == num_ranks_ && !broken_) {
      result_ = brought_;
      num_here_ = 0;
      round_ = round;
    }
    everybody_.notify_all();
    everybody_.wait(lock, [&] { return broken_ || round_ == round; });
    if (round_ != round) {
      throw Error(ErrorKind::kProtocol, "the ranks are out of step, or one failed");
    }
    return result_;
  }

  /// This rank has ended: no later meeting can succeed.
  void leave() {
    const std::lock_guard lock(mutex_);
    broken_ = true;
    everybody_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable everybody_;
  std::size_t num_ranks_;
  std::vector<std::vector<Bytes>> brought_;
  std::vector<std::vector<Bytes>> result_;
  std::size_t num_here_ = 0;
  std::uint64_t round_ = 0;
  std::uint64_t question_ = 0;
  bool broken_ = false;
};

/// The executor of one rank. Chunks run one after the other, the last one first.
class RankExecutor final : public Executor {
 public:
  RankExecutor(RankMeeting& meeting, std::size_t rank) : meeting_(&meeting), rank_(rank) {}

  std::size_t rank() const { return rank_; }

  void parallel_for(std::size_t num_chunks,
                    const std::function<void(std::size_t)>& body) const override {
    for (std::size_t chunk = num_chunks; chunk > 0; --chunk) body(chunk - 1);
  }

  std::size_t num_processes() const override { return meeting_->num_ranks(); }
  UnitRange share(std::size_t num_units) const override {
    return even_share(num_units, rank_, meeting_->num_ranks());
  }

  std::vector<Bytes> gather(std::size_t num_units, std::vector<Bytes> mine) const override {
    if (mine.size() != share(num_units).size()) {
      meeting_->leave();
      throw Error(ErrorKind::kProtocol, "gather: not one result for each unit of the share");
    }
    std::vector<Bytes> all;
    for (std::vector<Bytes>& part : meeting_->meet(rank_, 2 * num_units + 1, std::move(mine))) {
      for (Bytes& bytes : part) all.push_back(std::move(bytes));
    }
    return all;
  }

  Bytes agree(Bytes bytes) const override {
    return meeting_->meet(rank_, 0, {std::move(bytes)}).front().front();
  }

 private:
  RankMeeting* meeting_;
  std::size_t rank_;
};

/// Calls body(executor of the rank) once for every rank, concurrently; rethrows the first error.
/// `Thread` is std::thread, which this module may not name: run_ranks<std::thread>(3, ..).
template <class Thread>
void run_ranks(std::size_t num_ranks, const std::function<void(const RankExecutor&)>& body) {
  RankMeeting meeting(num_ranks);
  std::exception_ptr first_error;
  std::once_flag failed;
  std::vector<Thread> threads;
  for (std::size_t rank = 0; rank < num_ranks; ++rank) {
    threads.emplace_back([&, rank] {
      try {
        body(RankExecutor(meeting, rank));
      } catch (...) {
        std::call_once(failed, [&] { first_error = std::current_exception(); });
      }
      meeting.leave();
    });
  }
  for (Thread& thread : threads) thread.join();
  if (first_error) std::rethrow_exception(first_error);
}

}  // namespace duets::base
