#include "duets/cli/result_kind.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

class ResultKindTest : public testing::Test {
 protected:
  ResultKindTest() {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    directory_ = fs::path(testing::TempDir()) / ("duets-kind-" + std::string(info->name()));
    fs::remove_all(directory_);
    fs::create_directories(directory_);
  }
  ~ResultKindTest() override { fs::remove_all(directory_); }

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(directory_ / name) << text;
  }

  fs::path directory_;
};

const std::string kRun = R"({"run_digest": "00", "state_digest": "11"})";
const std::string kSettings = R"({"runs": 5, "build": "numbers 1, compiler gcc"})";
const std::string kManifest = R"({"command": "compare", "digest": "00"})";

TEST_F(ResultKindTest, EachRecognisesItsOwn) {
  put("manifest.json", kRun);
  EXPECT_TRUE(holds_run(directory_));
  EXPECT_FALSE(holds_experiment(directory_));
  put("manifest.json", kManifest);
  EXPECT_FALSE(holds_run(directory_));
  EXPECT_TRUE(holds_experiment(directory_));
  fs::remove(directory_ / "manifest.json");
  put("settings.json", kSettings);  // unfinished
  EXPECT_TRUE(holds_experiment(directory_));
}

TEST_F(ResultKindTest, ANameProvesNothing) {
  for (const std::string text : {"", "{", "[]", R"({"name": "my app"})", R"({"runs": 3})",
                                 R"({"digest": 1, "command": "compare"})"}) {
    put("manifest.json", text);
    put("settings.json", text);
    EXPECT_FALSE(holds_run(directory_)) << text;
    EXPECT_FALSE(holds_experiment(directory_)) << text;
  }
}

TEST_F(ResultKindTest, ForeignFilesInSubfoldersCountToo) {
  put("settings.json", kSettings);
  fs::create_directories(directory_ / "figures");
  put("figures/small.svg", "");
  EXPECT_TRUE(holds_experiment(directory_));
  put("figures/thesis.tex", "");
  EXPECT_FALSE(holds_experiment(directory_));
  fs::remove(directory_ / "figures/thesis.tex");
  fs::create_directories(directory_ / "figures" / "mine.svg");
  EXPECT_FALSE(holds_experiment(directory_));
}

TEST_F(ResultKindTest, NothingIsNoFileAtAll) {
  EXPECT_TRUE(holds_nothing(directory_));
  fs::create_directories(directory_ / "runs");
  EXPECT_TRUE(holds_nothing(directory_));
  put("runs/a.csv", "");
  EXPECT_FALSE(holds_nothing(directory_));
  fs::remove_all(directory_ / "runs");
  fs::create_directories(directory_ / "mine");
  EXPECT_FALSE(holds_nothing(directory_));
}

TEST_F(ResultKindTest, AnUnfinishedRunHasTrialsAndNoForeignFile) {
  put("study.toml", "");
  EXPECT_FALSE(holds_unfinished_run(directory_));
  put("trials.csv", "");
  EXPECT_TRUE(holds_unfinished_run(directory_));
  put("thesis.tex", "");
  EXPECT_FALSE(holds_unfinished_run(directory_));
}

TEST_F(ResultKindTest, AForeignFileMakesTheDirectoryForeign) {
  put("settings.json", kSettings);
  put("summary.csv.tmp", "");  // left by an interrupted write
  EXPECT_TRUE(holds_experiment(directory_));
  put("thesis.tex", "");
  EXPECT_FALSE(holds_experiment(directory_));
}

TEST_F(ResultKindTest, EmptyHoldsNothing) {
  EXPECT_FALSE(holds_run(directory_));
  EXPECT_FALSE(holds_experiment(directory_));
}

}  // namespace
}  // namespace duets::cli
