// Tests calls that come twice, late, out of order, with an old token or long after their epoch: the
// study ends with the digests of an undisturbed run in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <thread>
#include <utility>

#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

using grpc::StatusCode;
using protocol::Message;

constexpr std::uint32_t kAgents = 5;

protocol::Study study_of(domain::Domain domain) {
  protocol::Study study = protocol::small_study(std::move(domain));
  study.agents = kAgents;
  return study;
}

/// A study on a server, its agents, and the calls in flight.
class Disturbed {
 public:
  Disturbed(const protocol::Study& study, std::uint32_t seed)
      : study_(study), rng_(seed), server_(test_options(scratch_), protocol::kTestExecutor) {
    server_.create(test_definition(study), kTestSecret);
    server_.listen();
    for (std::uint32_t a = 0; a < study.agents; ++a) {
      agents_.push_back(std::make_unique<RawAgent>(server_.address(), a));
      EXPECT_TRUE(eventually([&] { return agents_.back()->join().ok(); }));
      agents_.back()->request().set_has_journal(true);  // from now on
      *agents_.back()->request().mutable_study_digest() = agents_.back()->joined().study_digest();
    }
    packed_.resize(study.agents);
  }

  std::uint32_t pick(std::size_t n) { return static_cast<std::uint32_t>(rng_() % n); }
  RawAgent& agent(std::uint32_t a) { return *agents_[a]; }
  void replace(std::uint32_t a, std::unique_ptr<RawAgent> other) { agents_[a] = std::move(other); }
  std::string address() const { return server_.address(); }
  v1::StudyStatus status() const { return server_.status(""); }
  bool finished() const { return status().state() == v1::STUDY_STATE_FINISHED; }

  void fetch(std::uint32_t a) {
    v1::FetchReply reply;
    const grpc::Status status = agents_[a]->fetch(0, reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
  }

  /// The agent answers its plan. Its message is sent twice.
  void work(std::uint32_t a) {
    protocol::Agent& agent = agents_[a]->agent();
    if (!agent.finished()) agents_[a]->query();
    if (!agent.outstanding() || packed_[a] == base::value(agent.plan().epoch)) return;
    packed_[a] = base::value(agent.plan().epoch);
    for (int copy = 0; copy < 2; ++copy) under_way_.emplace_back(a, *agent.outstanding());
  }

  /// One of the calls in flight arrives, in any order.
  void arrive() {
    if (under_way_.empty()) return;
    std::swap(under_way_[pick(under_way_.size())], under_way_.back());
    arrived_.push_back(std::move(under_way_.back()));
    under_way_.pop_back();
    send(arrived_.back());
  }

  /// A call that arrived before arrives again.
  void arrive_again() {
    if (!arrived_.empty()) send(arrived_[pick(arrived_.size())]);
  }
  void all_arrive_again() {
    std::shuffle(arrived_.begin(), arrived_.end(), rng_);
    for (const auto& call : arrived_) send(call);
  }

  /// The agent as it is on another machine that got a copy of its journal.
  protocol::Agent copy_of(std::uint32_t a) const { return agents_[a]->agent(); }

  /// Joining again with the same instance changes nothing.
  void join_again(std::uint32_t a) {
    grpc::ClientContext context;
    v1::JoinReply reply;
    const grpc::Status status = agents_[a]->stub().Join(&context, agents_[a]->request(), &reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
    EXPECT_EQ(reply.token(), agents_[a]->joined().token());
    EXPECT_EQ(reply.coin(), agents_[a]->joined().coin());
  }

  void step() {
    const std::uint32_t a = pick(agents_.size());
    work(a);
    switch (pick(8)) {
      case 0:
        return arrive_again();
      case 1:
        return join_again(a);
      case 2:
      case 3:
      case 4:
        return fetch(a);
      default:
        return arrive();
    }
  }

  void run() {
    constexpr int kMaxSteps = 20'000;
    for (int i = 0; i < kMaxSteps && !finished(); ++i) {
      step();
      if (testing::Test::HasFatalFailure()) return;
    }
    ASSERT_TRUE(finished());
  }

  void expect_undisturbed_digests() const {
    protocol::TestRun run = test_run(study_);
    run.finish();
    EXPECT_EQ(from_wire(status().run_digest()), run.coordinator().summary().run_digest());
    EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
    EXPECT_TRUE(status().complete_participation());
  }

 private:
  void send(const std::pair<std::uint32_t, Message>& call) {
    v1::SendReply reply;
    const grpc::Status status = agents_[call.first]->send(to_wire(call.second), reply);
    ASSERT_TRUE(status.ok()) << status.error_message();
    // The reply is lost half of the time.
    if (pick(2) == 0) return;
    for (const v1::Message& answer : reply.answers()) {
      agents_[call.first]->agent().receive(from_wire(answer, study_));
    }
  }

  protocol::Study study_;
  std::mt19937 rng_;
  Scratch scratch_;
  Server server_;
  std::vector<std::unique_ptr<RawAgent>> agents_;
  std::vector<std::uint32_t> packed_;  ///< the last epoch whose message was sent, by agent
  std::vector<std::pair<std::uint32_t, Message>> under_way_, arrived_;
};

class DisturbedCallsTest : public testing::TestWithParam<std::uint32_t> {};

TEST_P(DisturbedCallsTest, TwiceLateAndInAnyOrderOnAFiniteSet) {
  Disturbed calls(study_of(domain::Domain::finite(protocol::lattice(60, 2))), GetParam());
  ASSERT_NO_FATAL_FAILURE(calls.run());
  calls.expect_undisturbed_digests();
}

TEST_P(DisturbedCallsTest, TwiceLateAndInAnyOrderInABox) {
  Disturbed calls(study_of(domain::Domain::box(2)), GetParam());
  ASSERT_NO_FATAL_FAILURE(calls.run());
  calls.expect_undisturbed_digests();
}

TEST_P(DisturbedCallsTest, TwiceLateAndInAnyOrderWithSurvivingData) {
  protocol::Study study = study_of(domain::Domain::finite(protocol::lattice(60, 2)));
  study.data = protocol::DataPolicy::kSurviving;
  study.upload = protocol::UploadRule::kProjection;
  study.closing = protocol::ClosingRule::kProjection;
  Disturbed calls(study, GetParam());
  ASSERT_NO_FATAL_FAILURE(calls.run());
  calls.expect_undisturbed_digests();
}

TEST_P(DisturbedCallsTest, RepeatingAllCallsAfterTheEndChangesNothing) {
  Disturbed calls(study_of(domain::Domain::finite(protocol::lattice(60, 2))), GetParam());
  ASSERT_NO_FATAL_FAILURE(calls.run());
  calls.all_arrive_again();
  for (std::uint32_t a = 0; a < kAgents; ++a) {
    calls.fetch(a);
    calls.join_again(a);
  }
  EXPECT_TRUE(calls.finished());
  calls.expect_undisturbed_digests();
}

// At any time: later calls of the old machine are refused and change nothing.
TEST_P(DisturbedCallsTest, AnotherMachineTakesOverAndTheOldOneKeepsCalling) {
  Disturbed calls(study_of(domain::Domain::finite(protocol::lattice(60, 2))), GetParam());
  for (std::uint32_t i = 0; i < 40 * GetParam() && !calls.finished(); ++i) {
    ASSERT_NO_FATAL_FAILURE(calls.step());
  }
  const std::uint32_t a = calls.pick(kAgents);
  const v1::SendRequest stale = [&] {
    v1::SendRequest request;
    request.mutable_caller()->set_study("study");
    request.mutable_caller()->set_agent(a);
    request.mutable_caller()->set_token(calls.agent(a).joined().token());
    protocol::Upload upload;
    upload.agent = base::AgentId{a};
    upload.epoch = base::EpochId{1};
    upload.values = {1, 2};
    *request.mutable_message() = to_wire(Message(upload));
    return request;
  }();
  auto other = std::make_unique<RawAgent>(calls.address(), a, 'o');
  other->request().set_take_over(true);
  ASSERT_TRUE(other->join().ok());
  other->agent() = calls.copy_of(a);  // with a copy of its journal
  calls.replace(a, std::move(other));
  while (!calls.finished()) {
    grpc::ClientContext context;
    v1::SendReply reply;
    const grpc::Status status = calls.agent(a).stub().Send(&context, stale, &reply);
    ASSERT_EQ(status.error_code(), StatusCode::ABORTED) << status.error_message();
    ASSERT_NO_FATAL_FAILURE(calls.step());
  }
  calls.expect_undisturbed_digests();
}

// Every message from four threads at once, in the order of a server's threads.
TEST_P(DisturbedCallsTest, Concurrently) {
  Disturbed calls(study_of(domain::Domain::finite(protocol::lattice(60, 2))), GetParam());
  while (!calls.finished()) {
    std::vector<std::thread> threads;
    std::vector<std::pair<std::uint32_t, v1::Message>> messages;
    for (std::uint32_t a = 0; a < kAgents; ++a) {
      ASSERT_NO_FATAL_FAILURE(calls.fetch(a));
      if (!calls.agent(a).agent().finished()) calls.agent(a).query();
      const auto& outstanding = calls.agent(a).agent().outstanding();
      if (outstanding) messages.emplace_back(a, to_wire(*outstanding));
    }
    for (int copy = 0; copy < 4; ++copy) {
      for (const auto& [a, message] : messages) {
        threads.emplace_back([&calls, a = a, &message = message] {
          v1::SendReply reply;
          // One message per agent is handled at a time; a concurrent copy is retried.
          EXPECT_TRUE(eventually([&] { return calls.agent(a).send(message, reply).ok(); }));
        });
      }
    }
    for (std::thread& thread : threads) thread.join();
  }
  calls.expect_undisturbed_digests();
}

INSTANTIATE_TEST_SUITE_P(Seeds, DisturbedCallsTest, testing::Values(1U, 2U, 3U));

// The first message counts, whatever comes after it.
TEST(DisturbedCalls, AnotherMessageOfTheSameEpochIsRefused) {
  Disturbed calls(study_of(domain::Domain::finite(protocol::lattice(60, 2))), 1);
  v1::FetchReply fetched;
  while (!calls.agent(0).agent().outstanding()) {
    ASSERT_TRUE(calls.agent(0).fetch(5, fetched).ok());
    calls.agent(0).query();
  }
  const auto first = std::get<protocol::Upload>(*calls.agent(0).agent().outstanding());
  calls.work(0);
  calls.arrive();
  protocol::Upload other = first;
  other.values[0] += 1;
  v1::SendReply reply;
  ASSERT_TRUE(calls.agent(0).send(to_wire(Message(other)), reply).ok());
  ASSERT_EQ(reply.answers_size(), 1);
  EXPECT_EQ(reason_of(reply.answers(0)), protocol::Reason::kConflict);
  ASSERT_NO_FATAL_FAILURE(calls.run());
  reply.Clear();
  ASSERT_TRUE(calls.agent(0).send(to_wire(Message(other)), reply).ok());
  ASSERT_EQ(reply.answers_size(), 2);
  EXPECT_TRUE(std::holds_alternative<protocol::Trim>(decoded(reply.answers(0))));
  EXPECT_EQ(reason_of(reply.answers(1)), protocol::Reason::kStale);
  calls.expect_undisturbed_digests();
}

// A repeated call gets the same bytes, at any later time.
TEST(DisturbedCalls, AFetchGivesTheSameBytesAgain) {
  Disturbed calls(study_of(domain::Domain::box(2)), 3);
  RawAgent reader(calls.address(), 0);
  ASSERT_TRUE(reader.join().ok());
  std::vector<std::string> seen;
  const auto look = [&] {
    v1::FetchReply reply;
    ASSERT_TRUE(reader.join().ok());  // starts again from nothing
    ASSERT_TRUE(reader.fetch(0, reply).ok());
    ASSERT_GE(reply.broadcasts_size(), static_cast<int>(seen.size()));
    for (int i = 0; i < reply.broadcasts_size(); ++i) {
      const std::string bytes = reply.broadcasts(i).SerializeAsString();
      if (i == static_cast<int>(seen.size())) seen.push_back(bytes);
      EXPECT_EQ(bytes, seen[static_cast<std::size_t>(i)]) << "broadcast " << i;
    }
  };
  for (int i = 0; !calls.finished(); ++i) {
    ASSERT_NO_FATAL_FAILURE(calls.step());
    if (i % 20 != 0) continue;
    ASSERT_NO_FATAL_FAILURE(look());
  }
  ASSERT_NO_FATAL_FAILURE(look());
  EXPECT_GE(seen.size(), 4U);
}

}  // namespace
}  // namespace duets::service
