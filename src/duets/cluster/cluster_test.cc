// The executor and the life of a job, over ranks that are threads of one process. The same promises
// are checked over MPI in tests/integration/mpi.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <mutex>
#include <thread>
#include <utility>

#include "duets/base/error.h"
#include "duets/base/rank_test_support.h"
#include "duets/cluster/cluster_executor.h"
#include "duets/cluster/conformance_test_support.h"
#include "duets/cluster/job.h"
#include "duets/cluster/mpi_transport.h"
#include "duets/cluster/placement.h"

namespace duets::cluster {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class ThreadTransport final : public Transport {
 public:
  ThreadTransport(base::RankMeeting& meeting, std::size_t rank) : meeting_(meeting), rank_(rank) {}
  std::size_t rank() const override { return rank_; }
  std::size_t size() const override { return meeting_.num_ranks(); }
  std::vector<base::Bytes> exchange(base::Bytes mine) override {
    std::vector<base::Bytes> all;
    for (auto& brought : meeting_.meet(rank_, 0, {std::move(mine)})) {
      all.push_back(std::move(brought.front()));
    }
    return all;
  }

 private:
  base::RankMeeting& meeting_;
  std::size_t rank_;
};

// Calls body(transport) in `size` ranks at the same time.
void in_ranks(std::size_t size, const std::function<void(Transport&)>& body) {
  base::RankMeeting meeting(size);
  std::vector<std::thread> threads;
  for (std::size_t rank = 0; rank < size; ++rank) {
    threads.emplace_back([&, rank] {
      ThreadTransport transport(meeting, rank);
      EXPECT_NO_THROW(body(transport));
      meeting.leave();
    });
  }
  for (std::thread& thread : threads) thread.join();
}

Failure explain(const std::exception& error) { return {9, error.what()}; }

using Body = std::function<void(const base::Executor&, std::size_t rank)>;

// What run_job gives in each rank.
std::vector<std::optional<Failure>> outcomes(std::size_t size, const Body& body) {
  std::vector<std::optional<Failure>> out(size);
  std::vector<Failure> told;  // by the first rank alone
  in_ranks(size, [&](Transport& transport) {
    const base::SerialExecutor local;
    const ClusterExecutor executor(local, transport);
    out[transport.rank()] = run_job(
        transport, [&] { body(executor, transport.rank()); }, explain,
        [&](const Failure& failure) { told.push_back(failure); });
  });
  EXPECT_EQ(told.size(), out[0] ? 1U : 0U);
  for (const Failure& failure : told) EXPECT_EQ(failure, out[0]);
  return out;
}

void gather_ranks(const base::Executor& executor, std::size_t size) {
  executor.gather(size, std::vector<base::Bytes>(executor.share(size).size()));
}

TEST(ClusterExecutor, FulfilsTheContractOfAnExecutor) {
  for (const std::size_t size : {1U, 2U, 3U, 4U, 9U}) {
    in_ranks(size, [&](Transport& transport) {
      const base::SerialExecutor local;
      const ClusterExecutor executor(local, transport);
      EXPECT_THAT(broken_promises(executor, transport.rank(), size, 3), IsEmpty());
    });
  }
}

// The suite itself: what other tests take for several processes passes it too.
TEST(Conformance, HoldsForTheExecutorsOfTests) {
  EXPECT_THAT(broken_promises(base::SerialExecutor(), 0, 1, 3), IsEmpty());
  base::run_ranks<std::thread>(3, [](const base::RankExecutor& executor) {
    EXPECT_THAT(broken_promises(executor, executor.rank(), 3, 3), IsEmpty());
  });
}

TEST(ClusterExecutor, RefusesAGatherThatIsNotItsShare) {
  const auto results = outcomes(2, [](const base::Executor& executor, std::size_t) {
    executor.gather(4, std::vector<base::Bytes>(3));
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result);
    EXPECT_EQ(result->text, "gather: 3 results for 2 units of the share");
  }
}

// A process alone, whose message arrives with `change` made to it.
class ChangingTransport final : public Transport {
 public:
  explicit ChangingTransport(std::function<void(base::Bytes&)> change)
      : change_(std::move(change)) {}
  std::size_t rank() const override { return 0; }
  std::size_t size() const override { return 1; }
  std::vector<base::Bytes> exchange(base::Bytes mine) override {
    change_(mine);
    return {std::move(mine)};
  }

 private:
  std::function<void(base::Bytes&)> change_;
};

// Two units of one byte each: two lengths of eight bytes, then the units.
TEST(ClusterExecutor, RefusesAMessageThatIsNotItsUnits) {
  const auto gathered = [](const std::function<void(base::Bytes&)>& change) {
    ChangingTransport transport(change);
    const base::SerialExecutor local;
    return ClusterExecutor(local, transport).gather(2, {{7}, {8}});
  };
  EXPECT_EQ(gathered([](base::Bytes&) {}), (std::vector<base::Bytes>{{7}, {8}}));
  const auto is_refused = [&](const std::function<void(base::Bytes&)>& change) {
    try {
      gathered(change);
    } catch (const base::Error& error) {
      return error.kind() == base::ErrorKind::kDecode;
    }
    return false;
  };
  EXPECT_TRUE(is_refused([](base::Bytes& m) { m.insert(m.begin() + 18, 9); })) << "a byte too many";
  EXPECT_TRUE(is_refused([](base::Bytes& m) { m.erase(m.begin() + 17); })) << "a byte too few";
  EXPECT_TRUE(is_refused([](base::Bytes& m) { m[8] = 200; })) << "a unit longer than the message";
  EXPECT_TRUE(is_refused([](base::Bytes& m) { m.erase(m.begin(), m.begin() + 8); }))
      << "a length is missing";
}

TEST(RunJob, NoProcessFails) {
  for (const auto& result :
       outcomes(3, [](const base::Executor&executor, std::size_t) { gather_ranks(executor, 3); })) {
    EXPECT_FALSE(result);
  }
}

TEST(RunJob, AnErrorOfAllProcessesIsReportedOnce) {
  for (const auto& result : outcomes(3, [](const base::Executor&executor, std::size_t) {
         gather_ranks(executor, 3);
         throw base::Error(base::ErrorKind::kNumeric, "no such file");
       })) {
    EXPECT_EQ(result, (Failure{9, "no such file"}));
  }
}

// The others are in the middle of their work (in a gather, an agree) or at its end: all learn of
// it.
TEST(RunJob, TheFailureOfOneProcessIsThatOfAll) {
  const std::vector<Body> others{
      [](const base::Executor& executor, std::size_t) { gather_ranks(executor, 3); },
      [](const base::Executor& executor, std::size_t) { executor.agree({1}); },
      [](const base::Executor&, std::size_t) {}};
  for (const Body& other : others) {
    const auto results = outcomes(3, [&](const base::Executor& executor, std::size_t rank) {
      gather_ranks(executor, 3);
      if (rank == 1) throw std::runtime_error("the disk is full");
      other(executor, rank);
    });
    for (const auto& result : results) {
      EXPECT_EQ(result, (Failure{9, "rank 1 of 3 on " + host_name() + ": the disk is full"}));
    }
  }
}

TEST(RunJob, OfSeveralFailuresThatOfTheLowestRankIsReported) {
  const auto results = outcomes(4, [&](const base::Executor& executor, std::size_t rank) {
    if (rank >= 2) throw std::runtime_error("no memory in " + std::to_string(rank));
    gather_ranks(executor, 4);
  });
  for (const auto& result : results) {
    EXPECT_EQ(result, (Failure{9, "rank 2 of 4 on " + host_name() + ": no memory in 2"}));
  }
}

TEST(RunJob, ProcessesOutOfStepFailTogether) {
  const std::vector<Body> second{
      [](const base::Executor& executor, std::size_t) { gather_ranks(executor, 5); },
      [](const base::Executor& executor, std::size_t) { executor.agree({}); },
      [](const base::Executor&, std::size_t) {}};
  for (const Body& body : second) {
    const auto results = outcomes(2, [&](const base::Executor& executor, std::size_t rank) {
      if (rank == 0) return gather_ranks(executor, 2);
      body(executor, rank);
    });
    for (const auto& result : results) {
      ASSERT_TRUE(result);
      EXPECT_THAT(result->text, HasSubstr("out of step: rank 0 gathers 2 units, rank 1 "));
    }
  }
}

TEST(RequireSame, NamesTheProcessThatDiffers) {
  const auto results = outcomes(3, [&](const base::Executor& executor, std::size_t rank) {
    require_same(executor, "the study", {1, 2});
    require_same(executor, "the study", {1, static_cast<std::uint8_t>(rank == 2 ? 3 : 2)});
  });
  for (const auto& result : results) {
    ASSERT_TRUE(result);
    EXPECT_THAT(result->text, HasSubstr("rank 2 of 3 on "));
    EXPECT_THAT(result->text, HasSubstr("the study differs"));
  }
}

// All ranks are on this machine and may use all its processors: together they use each once.
TEST(Placement, ProcessorsAreSharedByTheProcessesOfAMachine) {
  const unsigned all = std::max(1U, std::thread::hardware_concurrency());
  for (const std::size_t size : {1U, 2U, 5U}) {
    in_ranks(size, [&](Transport& transport) {
      const Placement placement = find_placement(transport);
      EXPECT_EQ(placement.num_hosts, 1U);
      EXPECT_EQ(placement.threads, std::max(1U, all / static_cast<unsigned>(size)));
    });
  }
}

TEST(OpenMpi, SaysWhatIsMissing) {
  if (mpi_version() != "none") {
    EXPECT_THAT(mpi_version(), HasSubstr("."));  // a version
    return;
  }
  try {
    open_mpi();
    ADD_FAILURE() << "there is no MPI";
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
    EXPECT_THAT(error.what(), HasSubstr("install libopenmpi-dev"));
  }
}

}  // namespace
}  // namespace duets::cluster
