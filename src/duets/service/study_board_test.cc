#include "duets/service/study_board.h"

#include <gtest/gtest.h>

#include "duets/service/raw_agent_test_support.h"
#include "duets/service/reply.h"

namespace duets::service {
namespace {

TEST(StudyBoard, AStoppedStudyStaysStoppedWhateverTheWorkerShows) {
  auto run = test_run();
  StudyBoard board(test_definition());
  board.show_state(v1::STUDY_STATE_STOPPED);
  board.show(run.coordinator(), parse_secret(kTestSecret, "test"), v1::STUDY_STATE_RUNNING);
  EXPECT_EQ(board.state(), v1::STUDY_STATE_STOPPED);
}

TEST(StudyBoard, AClosedBoardAnswersWaitingAndLaterCalls) {
  auto run = test_run();
  StudyBoard board(test_definition());
  board.show(run.coordinator(), parse_secret(kTestSecret, "test"), v1::STUDY_STATE_RUNNING);
  int answered = 0;
  const FetchDone done = [&](const grpc::Status& status, v1::FetchReply&&) {
    EXPECT_EQ(status.error_code(), grpc::StatusCode::UNAVAILABLE);
    ++answered;
  };
  board.fetch(0, {}, 0, 10, done);
  EXPECT_EQ(answered, 0);
  board.close(going_away());
  EXPECT_EQ(answered, 1);
  board.fetch(1, {}, 0, 10, done);
  EXPECT_EQ(answered, 2);
}

// The traffic is what the study needs: repeated calls are not counted again.
TEST(StudyBoard, ABroadcastCountsOncePerAgent) {
  auto run = test_run();
  run.run_epoch();
  StudyBoard board(test_definition());
  for (const protocol::Record& record : run.records()) board.show(record);
  const auto fetch = [&](std::uint32_t agent) {
    int num_broadcasts = 0;
    board.fetch(agent, {}, 0, 0, [&](const grpc::Status& status, v1::FetchReply&& reply) {
      EXPECT_TRUE(status.ok());
      num_broadcasts = reply.broadcasts_size();
    });
    EXPECT_GT(num_broadcasts, 0);
  };
  fetch(0);
  const std::uint64_t bytes = board.traffic().payload_down_bytes();
  EXPECT_GT(bytes, 0U);
  fetch(0);
  EXPECT_EQ(board.traffic().payload_down_bytes(), bytes);
  fetch(1);
  EXPECT_EQ(board.traffic().payload_down_bytes(), 2 * bytes);
}

TEST(StudyBoard, RealsAreThoseOfTheRecords) {
  auto run = test_run();
  run.finish();
  StudyBoard board(test_definition());
  board.show(run.coordinator(), parse_secret(kTestSecret, "test"), v1::STUDY_STATE_FINISHED);
  ASSERT_FALSE(run.summary().communication().empty());
  const protocol::CommunicationPoint& end = run.summary().communication().back();
  EXPECT_EQ(static_cast<double>(board.traffic().reals_links()), end.links);
  EXPECT_EQ(static_cast<double>(board.traffic().closing_reals()), end.closing);
}

TEST(Reply, IsSentOnceAlsoWhenTheJobIsDropped) {
  std::vector<grpc::StatusCode> heard;
  const auto listen = [&](const grpc::Status& status) { heard.push_back(status.error_code()); };
  { Reply dropped(listen); }
  {
    Reply told(listen);
    told(grpc::Status::OK);
  }
  EXPECT_EQ(heard, (std::vector{grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::OK}));
}

}  // namespace
}  // namespace duets::service
