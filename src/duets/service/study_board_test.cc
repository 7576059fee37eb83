#include "duets/service/study_board.h"

#include <gtest/gtest.h>

#include "duets/service/answer.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

TEST(StudyBoard, WhatAnOperatorStoppedStaysStoppedWhateverTheWorkerShows) {
  auto run = test_run();
  StudyBoard board(test_definition());
  board.show_state(StudyState::kStopped);
  board.show(run.coordinator(), {}, {}, StudyState::kRunning);
  EXPECT_EQ(board.state(), StudyState::kStopped);
}

TEST(StudyBoard, AClosedBoardAnswersWhoWaitsAndWhoComesLater) {
  auto run = test_run();
  StudyBoard board(test_definition());
  board.show(run.coordinator(), {}, {}, StudyState::kRunning);
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

TEST(Answer, IsGivenOnceAndAlsoWhenTheJobIsDropped) {
  std::vector<grpc::StatusCode> heard;
  const auto listen = [&](const grpc::Status& status) { heard.push_back(status.error_code()); };
  { Answer dropped(listen); }
  {
    Answer told(listen);
    told(grpc::Status::OK);
  }
  EXPECT_EQ(heard, (std::vector{grpc::StatusCode::UNAVAILABLE, grpc::StatusCode::OK}));
}

}  // namespace
}  // namespace duets::service
