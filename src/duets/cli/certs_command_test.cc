#include "duets/cli/certs_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

class CertsCommandTest : public ::testing::Test {
 protected:
  CertsCommandTest() {
    std::string name = (fs::temp_directory_path() / "duets-certs-command-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~CertsCommandTest() override { fs::remove_all(directory_); }

  struct Said {
    std::string data, advice;
  };

  /// Runs "certs WORDS --dir DIRECTORY" as from the command line.
  Said run(std::vector<std::string> words) const {
    words.insert(words.begin(), "certs");
    words.insert(words.end(), {"--dir", directory_.string()});
    std::reverse(words.begin(), words.end());  // CLI11 takes them from the back
    CLI::App app("duets");
    std::function<void()> chosen;
    add_certs(app, chosen);
    app.parse(words);
    ::testing::internal::CaptureStdout();
    ::testing::internal::CaptureStderr();
    std::exception_ptr error;
    try {
      chosen();
    } catch (const base::Error&) {
      error = std::current_exception();
    }
    std::fflush(stdout);
    Said said{::testing::internal::GetCapturedStdout(), ::testing::internal::GetCapturedStderr()};
    if (error) std::rethrow_exception(error);
    return said;
  }
  std::string path(const std::string& name) const { return (directory_ / name).string(); }

  fs::path directory_;
};

TEST_F(CertsCommandTest, PrintsTheCreatedFilesAndWhereTheyBelong) {
  EXPECT_EQ(run({"init"}).data, path("ca.crt") + "\n" + path("ca.key") + "\n");
  const Said server = run({"server", "--host", "tuner.example.org", "192.0.2.7"});
  EXPECT_EQ(server.data, path("coordinator.crt") + "\n" + path("coordinator.key") + "\n");
  EXPECT_THAT(server.advice, HasSubstr("ca.crt, coordinator.crt and coordinator.key"));
  const Said agents = run({"agent", "0-99", "--study", "tune"});
  EXPECT_EQ(agents.data, path("tune_agents-0-99.crt") + "\n" + path("tune_agents-0-99.key") + "\n");
  EXPECT_THAT(agents.advice, HasSubstr("agents 0 to 99"));
  EXPECT_EQ(run({"agent", "3", "--quiet"}).advice, "");
  EXPECT_THAT(run({"operator"}).data, HasSubstr("operator.crt"));
  for (const char* name : {"tune_agents-0-99.key", "agent-3.key", "operator.key"}) {
    EXPECT_TRUE(fs::exists(path(name))) << name;
  }
}

TEST_F(CertsCommandTest, NeverSaysToCopyTheAuthoritysKey) {
  run({"init"});
  EXPECT_THAT(run({"agent", "3"}).advice, HasSubstr("ca.key stays here"));
}

TEST_F(CertsCommandTest, RefusesInvalidAgentNumbers) {
  run({"init"});
  for (const char* word : {"x", "5-3", "3-3", "03", "1-2-3", "agent-3"}) {
    EXPECT_THROW(run({"agent", word}), base::Error) << word;
  }
  EXPECT_THROW(run({"agent", "3", "--study", "../up"}), base::Error);
  EXPECT_THROW(run({"agent"}), CLI::ParseError);
  EXPECT_THROW(run({"server"}), CLI::ParseError);
  EXPECT_THROW(run({"init", "--days", "0"}), CLI::ParseError);
}

}  // namespace
}  // namespace duets::cli
