#include "duets/service/server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <fstream>
#include <mutex>

#include "duets/service/server_test_support.h"
#include "duets/service/study_board.h"
#include "duets/service/wire.h"
#include "duets/storage/secret_file.h"

namespace duets::service {
namespace {

using grpc::StatusCode;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

TEST_F(ServerTest, AFleetGivesTheDigestsOfARunInMemory) {
  create();
  auto agents = fleet();
  for (std::uint32_t epoch = 1; epoch <= 3; ++epoch) run_epoch(agents, epoch);
  ASSERT_TRUE(is(v1::STUDY_STATE_FINISHED));
  auto run = test_run();
  run.finish();
  EXPECT_EQ(from_wire(status().run_digest()), run.coordinator().summary().run_digest());
  EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
  EXPECT_TRUE(status().complete_participation());
  EXPECT_TRUE(status().has_best_trial() && status().has_recommendation());
}

TEST_F(ServerTest, ARestartContinuesInTheMiddleOfAnEpochWithTheSameBroadcasts) {
  create();
  {
    auto agents = fleet();
    run_epoch(agents, 1);
    agents[0]->reach(2);
    agents[0]->query();
    agents[0]->upload();
  }
  ASSERT_THAT(status().waiting_for(), ElementsAre(1U, 2U));
  start();
  auto agents = fleet();
  ASSERT_THAT(status().waiting_for(), ElementsAre(1U, 2U));
  for (std::uint32_t epoch = 2; epoch <= 3; ++epoch) run_epoch(agents, epoch);
  ASSERT_TRUE(is(v1::STUDY_STATE_FINISHED));
  auto run = test_run();
  run.finish();
  EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
  start();
  ASSERT_TRUE(is(v1::STUDY_STATE_FINISHED));
  EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
  EXPECT_EQ(from_wire(stored_status(scratch_.path(), "").state_digest()),
            run.coordinator().summary().state_digest())
      << "the storage can be read while a server runs";
}

/// The upload of the open epoch, once the agent has answered all of its queries.
protocol::Upload upload_of(RawAgent& agent, std::uint32_t epoch) {
  agent.reach(epoch);
  agent.query();
  v1::FetchReply fetched;
  while (!agent.agent().outstanding() && agent.fetch(5, fetched).ok()) {
  }
  return std::get<protocol::Upload>(agent.agent().outstanding().value());
}

TEST_F(ServerTest, UnusableResultsAreRefusedAndShownUntilNewOnesCome) {
  protocol::Study study = protocol::small_study();
  study.upload = protocol::UploadRule::kRewards;
  create(test_definition(study));
  auto agent = joined(1);
  protocol::Upload upload = upload_of(*agent, 1);
  upload.values[0] = 1e308;
  v1::SendReply reply;
  ASSERT_TRUE(agent->send(to_wire(protocol::Message(upload)), reply).ok());
  ASSERT_EQ(reply.answers_size(), 1);
  EXPECT_EQ(reason_of(reply.answers(0)), protocol::Reason::kUnusable);
  EXPECT_EQ(status().agent_status(1).problem(),
            "results of epoch 1 refused: not finite or too large");
  EXPECT_EQ(status().agent_status(0).problem(), "");
  agent->upload();
  EXPECT_EQ(status().agent_status(1).problem(), "");
  EXPECT_EQ(status().state(), v1::STUDY_STATE_RUNNING);
}

// Finite numbers from which no mean can be computed: only their agent is left out, the others
// continue, and the decision is the same after a restart.
TEST_F(ServerTest, ResultsThatPreventAnEpochFromClosingAreLeftOut) {
  protocol::Study study = protocol::small_study();
  study.upload = protocol::UploadRule::kProjection;
  study.lambda = 1e-3;
  create(test_definition(study));
  auto agents = fleet();
  protocol::Upload poison = upload_of(*agents[1], 1);
  for (double& value : poison.values) value = 1e308;
  v1::SendReply reply;
  ASSERT_TRUE(agents[1]->send(to_wire(protocol::Message(poison)), reply).ok());
  for (const std::uint32_t a : {0U, 2U}) {
    agents[a]->reach(1);
    agents[a]->query();
    agents[a]->upload();
  }
  const auto expect_left_out = [&] {
    ASSERT_TRUE(eventually([&] { return status().epoch() >= 2; }));
    const v1::EpochStatus epoch = status().closed_epochs(0);
    EXPECT_THAT(epoch.excluded(), ElementsAre(1U));
    EXPECT_THAT(epoch.why(), HasSubstr("the results of agent 1 cannot be used: "));
    EXPECT_NE(status().state(), v1::STUDY_STATE_FAILED);
  };
  expect_left_out();
  start();
  expect_left_out();
  agents = fleet();
  for (std::uint32_t epoch = 2; epoch <= 3; ++epoch) run_epoch(agents, epoch);
  ASSERT_TRUE(is(v1::STUDY_STATE_FINISHED));
  auto run = test_run(study);
  run.run_epoch({1});
  run.finish();
  EXPECT_EQ(from_wire(status().state_digest()), run.coordinator().summary().state_digest());
}

TEST_F(ServerTest, AnAgentGetsOnlyItsOwnCoinAndThePublicOne) {
  create();
  const auto agent = joined(1);
  const auto secret = parse_secret(kTestSecret, "test");
  const auto text = [](const random::Coin& coin) {
    return std::string(coin.key().begin(), coin.key().end());
  };
  EXPECT_EQ(agent->joined().coin(), text(secret.agent_coin(base::AgentId{1})));
  EXPECT_EQ(agent->joined().public_coin(), text(secret.public_coin()));
  const std::string everything = agent->joined().SerializeAsString();
  for (const std::uint32_t other : {0U, 2U}) {
    EXPECT_EQ(everything.find(text(secret.agent_coin(base::AgentId{other}))), std::string::npos);
  }
  EXPECT_EQ(everything.find(text(secret.problem_coin())), std::string::npos);
}

TEST_F(ServerTest, TheSecretIsInASeparateFileThatOnlyTheOwnerCanRead) {
  create();
  const auto file = secret_path(scratch_.path(), "study");
  EXPECT_EQ(std::filesystem::status(file).permissions(),
            std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  server_.reset();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(scratch_.path())) {
    if (!entry.is_regular_file() || entry.path() == file) continue;
    std::ifstream in(entry.path(), std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    EXPECT_THAT(text, Not(HasSubstr(kTestSecret))) << entry.path();
  }
}

TEST_F(ServerTest, AMissingSecretIsNamedAndNothingStarts) {
  create();
  server_.reset();
  std::filesystem::remove(secret_path(scratch_.path(), "study"));
  EXPECT_EQ(protocol::error_kind([&] { start(); }), base::ErrorKind::kStorage);
  EXPECT_THAT(protocol::error_text([&] { start(); }), HasSubstr("study.key"));
}

// The secret of another study: the agents' messages do not match the points it gives.
TEST_F(ServerTest, AFailedStudyIsStoredWithItsReasonAndMayContinueLater) {
  create();
  auto agents = fleet();
  run_epoch(agents, 1);
  const auto swap_secret = [&](const std::string& text) {
    server_.reset();
    std::filesystem::remove(secret_path(scratch_.path(), "study"));
    storage::write_secret_file(secret_path(scratch_.path(), "study"), text);
  };
  swap_secret(std::string(64, '8'));
  start();
  ASSERT_TRUE(is(v1::STUDY_STATE_FAILED));
  server_.reset();
  const auto stored = [&] { return stored_status(scratch_.path(), "study"); };
  EXPECT_EQ(stored().state(), v1::STUDY_STATE_FAILED);
  EXPECT_THAT(stored().problem(), HasSubstr("does not fit its epoch"));
  EXPECT_FALSE(stored().served());
  swap_secret(kTestSecret);
  start();
  ASSERT_TRUE(eventually([&] { return server_->is_ready("study"); }));
  EXPECT_EQ(status().state(), v1::STUDY_STATE_RUNNING);
  EXPECT_EQ(stored().state(), v1::STUDY_STATE_RUNNING);
  EXPECT_EQ(stored().problem(), "");
  EXPECT_TRUE(stored().served()) << "a server is using the storage";
}

// If the note of a start did not replace that of an earlier end, a kill would read as that end; if
// it were stored with studies that nobody serves, each new one would read as killed.
TEST_F(ServerTest, TheStorageTellsHowTheServiceEnded) {
  const auto stored = [&] { return stored_status(scratch_.path(), "study"); };
  stored_operators(scratch_.path(), std::make_shared<base::SerialExecutor>())
      ->create(test_definition());
  EXPECT_FALSE(stored().has_ended()) << "never served";
  start();
  EXPECT_TRUE(stored().served() && !stored().has_ended());
  server_->end("gave up", "nobody\ncame");
  server_->end("ended with an error", "the first call counts");
  EXPECT_EQ(status().ended().how(), "gave up");
  EXPECT_FALSE(status().served());
  server_.reset();
  EXPECT_FALSE(stored().served());
  EXPECT_EQ(stored().ended().how(), "gave up");
  EXPECT_EQ(stored().ended().why(), "nobody came");
  EXPECT_GE(stored().ended().seconds_ago(), 0);
  EXPECT_LT(stored().ended().seconds_ago(), 600);
  start();
  server_.reset();  // as if killed
  EXPECT_EQ(stored().ended().how(), "not recorded");
  EXPECT_FALSE(stored().ended().has_seconds_ago());
  start();
  operators_of(*server_)->stop("study");
  server_->end("gave up");
  server_.reset();
  EXPECT_FALSE(stored().has_ended()) << "the state of a study that is over says more";
}

TEST_F(ServerTest, AStudyThatIsCreatedWhileAServerRunsIsServed) {
  create();
  server_.reset();
  EXPECT_EQ(stored_status(scratch_.path(), "study").ended().how(), "not recorded");
}

TEST(ServiceNote, AnyOtherBytesAreRefused) {
  const base::Bytes good = encode_service({1.5, "gave up", "nobody came"});
  const ServiceNote note = decode_service(good);
  EXPECT_EQ(note.unix, 1.5);
  EXPECT_EQ(note.how, "gave up");
  EXPECT_EQ(note.why, "nobody came");
  base::Bytes longer = good;
  longer.push_back(0);
  const base::Bytes shorter(good.begin(), good.end() - 1);
  const base::Bytes endless = encode_service({HUGE_VAL, "gave up", ""});
  for (const base::Bytes& bytes : {longer, shorter, endless, base::Bytes{}}) {
    EXPECT_EQ(protocol::error_kind([&] { decode_service(bytes); }), base::ErrorKind::kDecode);
  }
}

TEST_F(ServerTest, RefusedCallsAreLoggedWithTheirCauseExceptRetries) {
  std::mutex mutex;
  std::vector<LogLine> lines;
  options_.log = [&](const LogLine& line) {
    const std::lock_guard lock(mutex);
    if (!line.cause.empty()) lines.push_back(line);
  };
  create();
  auto agent = joined(0);
  {
    const std::lock_guard lock(mutex);
    EXPECT_TRUE(lines.empty()) << lines.front().message;
  }
  RawAgent stranger(server_->address(), 7);
  EXPECT_FALSE(stranger.join().ok());
  EXPECT_FALSE(stranger.join().ok());
  server_.reset();
  ASSERT_EQ(lines.size(), 2U);
  EXPECT_THAT(lines[0].message, HasSubstr("has agents 0 to 2"));
  EXPECT_EQ(lines[0].cause, lines[1].cause);
  EXPECT_EQ(lines[0].level, LogLevel::kWarning);
  EXPECT_THAT(lines[0].peer, HasSubstr("127.0.0.1:"));
}

TEST_F(ServerTest, ASecondServerOnTheSameStorageIsRefused) {
  create();
  EXPECT_EQ(protocol::error_kind([&] { Server second(options_, protocol::kTestExecutor); }),
            base::ErrorKind::kStorage);
}

TEST_F(ServerTest, MismatchedHandshakesAreRefusedAndNameBothSides) {
  create();
  RawAgent agent(server_->address(), 0);
  ASSERT_TRUE(eventually([&] { return agent.join().ok(); }));
  agent.request().set_protocol_version(kProtocolVersion + 1);
  grpc::Status status = agent.join();
  EXPECT_EQ(status.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(status.error_message(), HasSubstr(std::to_string(kProtocolVersion + 1)));
  agent.request().set_protocol_version(kProtocolVersion);
  agent.request().mutable_numeric_fingerprint()->set_low(1);
  EXPECT_EQ(agent.join().error_code(), StatusCode::FAILED_PRECONDITION);
  *agent.request().mutable_numeric_fingerprint() = to_wire(fingerprint_of_start(""));
  agent.request().mutable_study_digest()->set_low(2);
  EXPECT_EQ(agent.join().error_code(), StatusCode::FAILED_PRECONDITION);
  agent.request().clear_study_digest();
  agent.request().set_study("another");
  status = agent.join();
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), HasSubstr("study")) << "names the known ones";
  agent.request().clear_study();
  agent.request().set_known_broadcasts(50);
  EXPECT_TRUE(agent.join().ok()) << "its journal has what the coordinator lost";
}

TEST_F(ServerTest, NaNAndWrongShapesAreRefusedAndChangeNothing) {
  create();
  const auto agent = joined(2);
  agent->query();
  v1::FetchReply fetched;
  while (!agent->agent().outstanding()) ASSERT_TRUE(agent->fetch(5, fetched).ok());
  const auto good = std::get<protocol::Upload>(*agent->agent().outstanding());
  const auto send = [&](const protocol::Upload& upload, v1::SendReply& reply) {
    return agent->send(to_wire(protocol::Message(upload)), reply);
  };
  protocol::Upload bad = good;
  bad.values[0] = std::nan("");
  v1::SendReply reply;
  grpc::Status status = send(bad, reply);
  EXPECT_EQ(status.error_code(), StatusCode::INVALID_ARGUMENT);
  EXPECT_THAT(status.error_message(), testing::AllOf(HasSubstr("agent 2"), HasSubstr("epoch 1")));
  bad = good;
  bad.values.push_back(1.0);
  status = send(bad, reply);
  EXPECT_TRUE(!status.ok() || reply.answers_size() == 1)
      << "refused by the reader or because of its shape";
  bad = good;
  bad.agent = base::AgentId{1};
  EXPECT_EQ(send(bad, reply).error_code(), StatusCode::PERMISSION_DENIED);
  EXPECT_EQ(this->status().waiting_for_size(), 3);
  ASSERT_TRUE(send(good, reply).ok());
  EXPECT_EQ(this->status().waiting_for_size(), 2);
}

TEST_F(ServerTest, TheOldHolderIsFencedAfterATakeOver) {
  create();
  const auto old = joined(0);
  RawAgent other(server_->address(), 0, 'o');
  const grpc::Status refused = other.join();
  EXPECT_EQ(refused.error_code(), StatusCode::ALREADY_EXISTS);
  EXPECT_THAT(refused.error_message(), HasSubstr("--take-over"));
  other.request().set_take_over(true);
  ASSERT_TRUE(other.join().ok());
  v1::FetchReply fetched;
  EXPECT_EQ(old->fetch(0, fetched).error_code(), StatusCode::ABORTED);
  v1::BeatReply beat;
  ASSERT_TRUE(old->beat(0, beat).ok());
  EXPECT_THAT(beat.fenced(), ElementsAre(0U));
  start();
  EXPECT_TRUE(eventually([&] {
    return old->fetch(0, fetched).error_code() == StatusCode::ABORTED;
  })) << "tokens survive a restart";
}

TEST_F(ServerTest, ALongPollEndsInTimeOrWithABroadcast) {
  create();
  auto agents = fleet();
  run_epoch(agents, 1);
  for (auto& agent : agents) agent->reach(2);
  v1::FetchReply reply;
  while (agents[0]->fetch(0, reply).ok() && reply.broadcasts_size() > 0) {
  }
  ASSERT_TRUE(agents[0]->fetch(0.2, reply).ok());
  EXPECT_EQ(reply.broadcasts_size(), 0);
  EXPECT_THAT(reply.waiting().agents(), ElementsAre(0U, 1U, 2U));
  EXPECT_EQ(reply.waiting().epoch(), 2U);
  std::thread others([&] {
    for (auto& agent : agents) agent->query();
    for (std::size_t i = 1; i < 3; ++i) agents[i]->upload();
    RawAgent twin(server_->address(), 0);
    v1::SendReply sent;
    EXPECT_TRUE(twin.join().ok());
    EXPECT_TRUE(twin.send(to_wire(*agents[0]->agent().outstanding()), sent).ok());
  });
  // The wait is far longer than the test may take: only the broadcast can end it.
  others.join();
  ASSERT_TRUE(agents[0]->fetch(30, reply).ok());
  EXPECT_GT(reply.broadcasts_size(), 0);
}

TEST_F(ServerTest, ADeadlineClosesWithAQuorumAndTheLateAgentRejoins) {
  create(test_definition(protocol::small_study(), {}, with_deadline(2, 1.0)));
  auto agents = fleet();
  for (auto& agent : agents) {
    v1::BeatReply beat;
    ASSERT_TRUE(agent->beat(1e-3, beat).ok());
  }
  for (const std::size_t i : {0U, 1U}) {
    agents[i]->query();
    agents[i]->upload();
  }
  ASSERT_TRUE(eventually([&] { return status().epoch() == 2; }));
  EXPECT_THAT(status().closed_epochs(0).excluded(), ElementsAre(2U));
  EXPECT_EQ(status().closed_epochs(0).why(), "deadline");
  EXPECT_FALSE(status().complete_participation());
  agents[2]->query();
  v1::SendReply sent;
  v1::FetchReply fetched;
  agents[2]->reach(2);
  agents[2]->query();
  agents[2]->upload();
  EXPECT_EQ(status().agent_status(2).epochs_excluded(), 1U);
}

TEST_F(ServerTest, WithoutAMeasurementADeadlineNeverPasses) {
  create(test_definition(protocol::small_study(), {}, with_deadline(1, 1.0)));
  auto agents = fleet();
  agents[0]->query();
  agents[0]->upload();
  EXPECT_FALSE(status().has_deadline_seconds());
  v1::BeatReply beat;
  ASSERT_TRUE(agents[0]->beat(1e-3, beat).ok());
  EXPECT_TRUE(eventually([&] { return status().epoch() == 2; }));
}

TEST_F(ServerTest, AnOperatorClosesAnEpochStopsAndDeletes) {
  create();
  auto agents = fleet();
  EXPECT_EQ(protocol::error_kind([&] { close_epoch(*server_, 1); }), base::ErrorKind::kInvalid)
      << "nobody has uploaded";
  agents[0]->query();
  agents[0]->upload();
  close_epoch(*server_, 1);
  EXPECT_THAT(status().closed_epochs(0).excluded(), ElementsAre(1U, 2U));
  EXPECT_EQ(status().closed_epochs(0).why(), "operator");
  EXPECT_EQ(protocol::error_kind([&] { close_epoch(*server_, 1); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(protocol::error_kind([&] { operators_of(*server_)->remove("study"); }),
            base::ErrorKind::kInvalid)
      << "it is running";
  operators_of(*server_)->stop("study");
  v1::FetchReply fetched;
  ASSERT_TRUE(agents[1]->fetch(10, fetched).ok());
  EXPECT_EQ(fetched.state(), v1::STUDY_STATE_STOPPED);
  start();
  ASSERT_TRUE(is(v1::STUDY_STATE_STOPPED));
  operators_of(*server_)->remove("study");
  EXPECT_TRUE(server_->names().empty());
  EXPECT_FALSE(std::filesystem::exists(secret_path(scratch_.path(), "study")));
}

TEST_F(ServerTest, AnExistingStudyCannotBeChangedAndItsSecretIsNotReplaced) {
  create();
  const protocol::Study same = protocol::small_study();
  const auto objection = [&](const Definition& changed) {
    return protocol::error_text([&] { server_->create(changed); });
  };
  EXPECT_THAT(objection(test_definition(same, {}, with_deadline(2, 3.0))),
              HasSubstr("coordinator.quorum = 2: study \"study\" was created without it"));
  study::Objective shorter;
  shorter.timeout = 7;
  EXPECT_THAT(objection(test_definition(same, shorter)),
              HasSubstr("objective.timeout = 7.0: study \"study\" was created with 600.0"));
  protocol::Study wider = same;
  wider.beta = 7;
  EXPECT_THAT(objection(test_definition(wider)),
              HasSubstr("is used by another study: duets.beta is 0.5 there and 7.0 here"));
  // As written by an earlier program that did not have the key.
  std::string older = test_definition().toml;
  const std::string line = "closing = \"best\"\n";
  older.erase(older.find(line), line.size());
  EXPECT_FALSE(server_->create(read_definition(older)));
  EXPECT_THAT(
      protocol::error_text([&] { server_->create(test_definition(), std::string(64, '8')); }),
      HasSubstr("--secret"));
  EXPECT_FALSE(server_->create(test_definition(), kTestSecret));
}

TEST_F(ServerTest, ASecretWithoutAStudyIsUsedAndNotReplaced) {
  storage::write_secret_file(secret_path(scratch_.path(), "study"), kTestSecret + "\n");
  start();
  EXPECT_EQ(protocol::error_kind([&] { server_->create(test_definition(), std::string(64, '8')); }),
            base::ErrorKind::kInvalid);
  EXPECT_TRUE(server_->create(test_definition()));
  EXPECT_EQ(joined(0)->joined().coin().size(), 32U);
  EXPECT_EQ(storage::read_secret_file(secret_path(scratch_.path(), "study")), kTestSecret + "\n");
}

TEST_F(ServerTest, ADeletedNameIsFreeForAnotherStudy) {
  create();
  operators_of(*server_)->stop("study");
  ASSERT_TRUE(eventually([&] {
    return protocol::error_text([&] { operators_of(*server_)->remove("study"); }).empty();
  }));
  protocol::Study other = protocol::small_study();
  other.beta = 0.75;
  EXPECT_TRUE(server_->create(test_definition(other)));
  EXPECT_EQ(joined(0)->joined().token(), 1U) << "nothing of the old study is left";
  ASSERT_TRUE(is(v1::STUDY_STATE_RUNNING));
  start();
  EXPECT_TRUE(is(v1::STUDY_STATE_RUNNING));
}

TEST_F(ServerTest, ARestartResetsTheDeadline) {
  create(test_definition(protocol::small_study(), {}, with_deadline(1, 1.0)));
  auto agents = fleet();
  agents[0]->query();
  agents[0]->upload();
  server_.reset();
  std::this_thread::sleep_for(std::chrono::milliseconds(1500));
  start();
  agents = fleet();
  // Two queries of 0.5 s: over in wall-clock time, but not in the time that the coordinator ran.
  v1::BeatReply beat;
  const double before = steady_seconds();
  ASSERT_TRUE(agents[1]->beat(0.5, beat).ok());
  ASSERT_TRUE(eventually([&] { return status().epoch() == 2; }));
  EXPECT_GT(steady_seconds() - before, 0.3) << "1 s minus the time to start";
}

TEST_F(ServerTest, AnAgentWaitsWithOneCallAndAnEmptyBeatIsRefused) {
  create();
  auto agents = fleet();
  v1::FetchReply first;
  while (agents[0]->fetch(0, first).ok() && first.broadcasts_size() > 0) {
  }
  std::thread earlier([&] {
    EXPECT_TRUE(agents[0]->fetch(30, first).ok());
    EXPECT_EQ(first.broadcasts_size(), 0);
  });
  // The second call replaces the first, whichever arrives first.
  v1::FetchReply second;
  const bool answered = eventually([&] {
    RawAgent twin(server_->address(), 0);
    if (!twin.join().ok()) return false;
    while (twin.fetch(0, second).ok() && second.broadcasts_size() > 0) {
    }
    EXPECT_TRUE(twin.fetch(0.3, second).ok());
    return true;
  });
  EXPECT_TRUE(answered);
  earlier.join();
  v1::BeatRequest nobody;
  nobody.set_study("study");
  v1::BeatReply reply;
  grpc::ClientContext context;
  EXPECT_EQ(agents[0]->stub().Beat(&context, nobody, &reply).error_code(),
            StatusCode::INVALID_ARGUMENT);
}

TEST_F(ServerTest, ATakeOverLearnsThatTheOpenEpochIsUploaded) {
  create();
  auto agents = fleet();
  EXPECT_FALSE(agents[0]->joined().uploaded());
  agents[0]->query();
  agents[0]->upload();
  RawAgent other(server_->address(), 0, 'o');
  other.request().set_take_over(true);
  ASSERT_TRUE(other.join().ok());
  EXPECT_TRUE(other.joined().uploaded());
}

TEST_F(ServerTest, OneServerHasSeveralStudiesWithUniqueNames) {
  create();
  EXPECT_FALSE(server_->create(test_definition())) << "the same study continues";
  protocol::Study other = protocol::small_study();
  other.beta = 0.75;
  EXPECT_EQ(protocol::error_kind([&] { server_->create(test_definition(other)); }),
            base::ErrorKind::kInvalid);
  other.name = "other";
  EXPECT_TRUE(server_->create(test_definition(other)));
  EXPECT_THAT(server_->names(), ElementsAre("other", "study"));
  EXPECT_EQ(protocol::error_kind([&] { server_->status(""); }), base::ErrorKind::kInvalid)
      << "which one?";
  EXPECT_NE(from_wire(server_->status("other").study_digest()),
            from_wire(server_->status("study").study_digest()));
}

TEST_F(ServerTest, WithSurvivingDataAnAgentThatTookPartNeedsItsJournal) {
  protocol::Study study = protocol::small_study();
  study.data = protocol::DataPolicy::kSurviving;
  create(test_definition(study));
  auto agents = fleet();
  run_epoch(agents, 1);
  RawAgent fresh(server_->address(), 1, 'f');
  fresh.request().set_take_over(true);
  const grpc::Status refused = fresh.join();
  EXPECT_EQ(refused.error_code(), StatusCode::FAILED_PRECONDITION);
  EXPECT_THAT(refused.error_message(), HasSubstr("journal"));
  v1::FetchReply fetched;
  EXPECT_TRUE(agents[1]->fetch(0, fetched).ok()) << "the holder keeps its lease";
  fresh.request().set_has_journal(true);
  EXPECT_TRUE(fresh.join().ok());
}

}  // namespace
}  // namespace duets::service
