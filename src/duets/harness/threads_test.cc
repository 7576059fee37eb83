#include "duets/harness/threads.h"

#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "duets/base/error.h"

namespace duets::harness {
namespace {

TEST(ThreadExecutor, VisitsEveryChunkExactlyOnce) {
  const ThreadExecutor executor(4);
  for (const std::size_t num_chunks : {0, 1, 2, 7, 1000}) {
    std::vector<std::atomic<int>> visits(num_chunks);
    executor.parallel_for(num_chunks, [&](std::size_t chunk) { ++visits[chunk]; });
    for (const auto& count : visits) EXPECT_EQ(count, 1);
  }
}

TEST(ThreadExecutor, RethrowsTheErrorOfTheLowestChunkAndStaysUsable) {
  const ThreadExecutor executor(3);
  for (int repeat = 0; repeat < 50; ++repeat) {
    try {
      executor.parallel_for(64, [](std::size_t chunk) {
        if (chunk % 10 == 7) throw std::runtime_error(std::to_string(chunk));
      });
      FAIL();
    } catch (const std::runtime_error& error) {
      EXPECT_STREQ(error.what(), "7");
    }
  }
}

TEST(ThreadExecutor, NestedLoopsRunSeriallyInsideTheirChunk) {
  const ThreadExecutor executor(2);
  std::atomic<int> total = 0;
  executor.parallel_for(8, [&](std::size_t) {
    int own = 0;  // no lock: would be a race if the inner loop left this thread
    executor.parallel_for(100, [&](std::size_t) { ++own; });
    total += own;
  });
  EXPECT_EQ(total, 800);
}

TEST(ThreadExecutor, RefusesZeroThreads) { EXPECT_THROW(ThreadExecutor(0), base::Error); }

}  // namespace
}  // namespace duets::harness
