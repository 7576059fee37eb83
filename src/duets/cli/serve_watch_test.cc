#include "duets/cli/serve_watch.h"

#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::cli {
namespace {

class ServeWatchTest : public testing::Test {
 protected:
  ServeWatchTest() { server_.listen(); }
  void create() { server_.create(service::test_definition(), service::kTestSecret); }
  void end() {
    service::operators_of(server_)->stop("study");
    service::operators_of(server_)->remove("study");
  }

  service::Scratch scratch_;
  service::Server server_{service::test_options(scratch_), protocol::kTestExecutor};
  service::Log log_ = [](const service::LogLine&) {};
};

// If a name were remembered forever, every later study with it would count as over: nobody would
// learn which agents it waits for, and the memory of a server would grow with its studies.
TEST_F(ServeWatchTest, ADeletedStudyIsForgotten) {
  ServeWatch watch(server_, 0, log_);
  EXPECT_FALSE(watch.look()) << "there is none";
  create();
  EXPECT_TRUE(watch.look());
  service::operators_of(server_)->stop("study");
  EXPECT_FALSE(watch.look());
  service::operators_of(server_)->remove("study");
  EXPECT_FALSE(watch.look());
  create();
  EXPECT_TRUE(watch.look()) << "another study of the same name";
  end();
}

TEST_F(ServeWatchTest, AQuorumOutOfReachEndsServeOnlyOnRequest) {
  create();
  ASSERT_TRUE(service::eventually([&] { return server_.is_ready("study"); }));
  ServeWatch patient(server_, 0, log_);
  EXPECT_TRUE(patient.look());
  EXPECT_TRUE(patient.look());
  ServeWatch impatient(server_, 1e-9, log_);
  EXPECT_EQ(protocol::error_kind([&] {
              impatient.look();
              impatient.look();
            }),
            base::ErrorKind::kQuorum);
  try {
    impatient.look();
    ADD_FAILURE() << "nobody came";
  } catch (const GaveUp& gave_up) {
    EXPECT_EQ(gave_up.reason(),
              "only 0 of the 3 agents that epoch 1 of study study needs could be reached for "
              "1e-09 s");
    EXPECT_TRUE(std::string(gave_up.what()).starts_with(gave_up.reason() + "; everything"));
  }
  end();
}

}  // namespace
}  // namespace duets::cli
