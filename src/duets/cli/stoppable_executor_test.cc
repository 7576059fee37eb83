#include "duets/cli/stoppable_executor.h"

#include <gtest/gtest.h>

#include "duets/cli/shell_line.h"

namespace duets::cli {
namespace {

TEST(StoppableExecutor, EndsBeforeTheNextChunk) {
  const base::SerialExecutor serial;
  std::atomic<bool> stop{false};
  const StoppableExecutor executor(serial, stop);
  std::size_t done = 0;
  executor.parallel_for(3, [&](std::size_t) { ++done; });
  EXPECT_EQ(done, 3U);
  EXPECT_THROW(executor.parallel_for(10,
                                     [&](std::size_t chunk) {
                                       ++done;
                                       if (chunk == 1) stop = true;
                                     }),
               Interrupted);
  EXPECT_EQ(done, 5U);
  EXPECT_THROW(executor.parallel_for(1, [&](std::size_t) { ++done; }), Interrupted);
  EXPECT_EQ(done, 5U);
}

TEST(StoppableExecutor, SharesAndGathersLikeTheInnerExecutor) {
  const base::SerialExecutor serial;
  const std::atomic<bool> stop{true};
  const StoppableExecutor executor(serial, stop);
  EXPECT_EQ(executor.share(5), (base::UnitRange{0, 5}));
  EXPECT_EQ(executor.gather(1, {{1, 2}}), (std::vector<base::Bytes>{{1, 2}}));
  EXPECT_EQ(executor.agree({3}), (base::Bytes{3}));
}

TEST(ShellLine, QuotesWhatAShellWouldChange) {
  EXPECT_EQ(shell_line({"duets", "run", "a b.toml", "it's", ""}),
            "duets run 'a b.toml' 'it'\\''s' ''");
}

}  // namespace
}  // namespace duets::cli
