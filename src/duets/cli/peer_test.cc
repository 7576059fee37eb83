#include "duets/cli/peer.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

/// A directory with empty certificates: only names matter here.
class PeerTest : public ::testing::Test {
 protected:
  PeerTest() : directory_(fs::temp_directory_path() / ("duets-peer-" + std::to_string(getpid()))) {
    fs::remove_all(directory_);
    fs::create_directories(directory_);
    add("ca");
    add("coordinator");
  }
  ~PeerTest() override { fs::remove_all(directory_); }
  void add(const std::string& name) { std::ofstream(directory_ / (name + ".crt")); }
  std::string chosen(const WantedAgents& wanted) { return agent_identity(directory_, wanted); }
  std::string refused(const WantedAgents& wanted) {
    try {
      return "chosen: " + agent_identity(directory_, wanted);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      return error.what();
    }
  }
  fs::path directory_;
};

TEST(Peer, LoopbackAddressesStayOnThisMachine) {
  for (const char* here : {"127.0.0.1:7117", "127.255.0.9:1", "[::1]:7117", "localhost:7117"}) {
    EXPECT_TRUE(is_loopback(here)) << here;
  }
  for (const char* there :
       {"128.0.0.1:7117", "10.0.0.1:7117", "0.0.0.0:7117", "[::2]:7117", "tuner.example:7117",
        "localhost.example:7117", "127.0.0.1.example:7117", "127.1:7117", "", ":7117"}) {
    EXPECT_FALSE(is_loopback(there)) << there;
  }
}

TEST_F(PeerTest, TheOnlyAgentsCertificateNeedsNoNumber) {
  add("agent-3");
  EXPECT_EQ(chosen({}), "agent-3");
}

TEST_F(PeerTest, ChoosesTheNarrowestThatCoversTheAgents) {
  add("agents-0-99");
  add("agent-3");
  EXPECT_EQ(chosen({"", 3, 3}), "agent-3");
  EXPECT_EQ(chosen({"", 4, 4}), "agents-0-99");
  EXPECT_EQ(chosen({"", 3, 4}), "agents-0-99");
}

TEST_F(PeerTest, ACertificateOfAStudyIsOnlyForThatStudy) {
  add("my_study_agent-3");
  EXPECT_EQ(chosen({"my_study", 3, 3}), "my_study/agent-3");
  EXPECT_EQ(chosen({"", 3, 3}), "my_study/agent-3");
  EXPECT_NE(refused({"other", 3, 3}).find("no certificate of agent 3"), std::string::npos);
}

TEST_F(PeerTest, SeveralNeedANumber) {
  add("agent-3");
  add("agent-4");
  EXPECT_NE(refused({}).find("--agent N"), std::string::npos);
}

TEST_F(PeerTest, WithoutOneTheErrorHasTheCommand) {
  EXPECT_NE(refused({"", 5, 5}).find("duets certs agent 5"), std::string::npos);
  EXPECT_NE(refused({"", 5, 9}).find("duets certs agent 5-9"), std::string::npos);
  EXPECT_EQ(chosen({"", 5, 5, true}), "operator");
  fs::remove_all(directory_);
  EXPECT_NE(refused({}).find("--insecure"), std::string::npos);
}

}  // namespace
}  // namespace duets::cli
