// Tests the parts of `duets reproduce` and `duets compare`; tests/integration tests the commands
// themselves.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/experiment_directory.h"
#include "duets/cli/experiment_run.h"
#include "duets/cli/extensions.h"
#include "duets/cli/figure_export.h"
#include "duets/cli/file_io.h"
#include "duets/cli/flag_lists.h"
#include "duets/lab/hindsight.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

class Scratch : public testing::Test {
 protected:
  void SetUp() override {
    root_ = fs::temp_directory_path() / ("duets-experiment-" + std::to_string(getpid()));
    fs::remove_all(root_);
    fs::create_directories(root_);
  }
  void TearDown() override { fs::remove_all(root_); }
  fs::path root_;
};

template <class Body>
std::string error_of(const Body& body) {
  try {
    body();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "";
}

TEST(FlagLists, SplitAndRefuse) {
  EXPECT_TRUE(word_list("--x", "").empty());
  EXPECT_EQ(word_list("--x", "a,b"), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(word_list("--x", " a, b "), (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(beta_list("--x", "0, 0.5,1e2"), (std::vector<double>{0, 0.5, 100}));
  for (const char* bad : {"a,,b", ",a", "a,", ",", "a,a", " ", "a, ,b", "a, a"}) {
    EXPECT_NE(error_of([&] { word_list("--x", bad); }).find("--x = "), std::string::npos) << bad;
  }
  for (const char* bad : {"-1", "nan", "inf", "1x", "x", "1e999", "0.5,0.50", "1 2"}) {
    EXPECT_NE(error_of([&] { beta_list("--x", bad); }).find("--x = "), std::string::npos) << bad;
  }
}

TEST(ResumeCommand, IsALineForAShell) {
  EXPECT_EQ(resume_command({"./duets", "reproduce", "--overwrite", "-o", "a b"}),
            "./duets reproduce -o 'a b' --resume");
  EXPECT_EQ(resume_command({"duets", "--resume", "it's"}), "duets --resume 'it'\\''s'");
}

TEST(CurvesDigest, DependsOnEveryNumberAndName) {
  lab::Experiment experiment;
  experiment.tasks = {{"p", "f", {}, {{"A", 1, "", {}}}}};
  experiment.seeds = {1};
  lab::ExperimentResult result;
  result.units = {{{lab::Curves{{1}, {0.5}, {1}, {2}, {3}, {4}, {5}}}}};
  const std::string before = curves_digest(experiment, result);
  EXPECT_EQ(before.size(), 32U);
  result.units[0][0][0].links[0] = 4;
  EXPECT_NE(curves_digest(experiment, result), before);
  result.units[0][0][0].links[0] = 3;
  EXPECT_EQ(curves_digest(experiment, result), before);
  result.units[0][0][0].recommendation_regret = 0.1;
  const std::string other = curves_digest(experiment, result);
  EXPECT_NE(other, before);
  result.units[0][0][0].lost = true;
  EXPECT_NE(curves_digest(experiment, result), other);
  result.units[0][0][0] = {{1}, {0.5}, {1}, {2}, {3}, {4}, {5}};
  EXPECT_EQ(curves_digest(experiment, result), before);
  result.units[0][0][0].rounds = 1;
  EXPECT_NE(curves_digest(experiment, result), before);
  result.units[0][0][0].rounds = 0;
  EXPECT_EQ(curves_digest(experiment, result), before);
  experiment.tasks[0].contenders[0].beta = 2;
  EXPECT_NE(curves_digest(experiment, result), before);
}

TEST(Extensions, NamesMustBeValidAndUnused) {
  const auto make = [](const random::Coin& coin) {
    return problems::make_problem("branin", {}, coin);
  };
  EXPECT_EQ(error_of([&] { validate({{}, {{"mine", "", make}}}); }), "");
  for (const char* bad : {"", "Branin", "a,b", "../x", "-x", "branin"}) {
    EXPECT_NE(error_of([&] { validate({{}, {{bad, "", make}}}); }), "") << bad;
  }
  EXPECT_NE(error_of([&] { validate({{}, {{"mine", "", make}, {"mine", "", make}}}); }), "");
  EXPECT_NE(error_of([&] { validate({{}, {{"mine", "", {}}}}); }), "");
  lab::Algorithm own;
  own.key = "duets";
  own.name = "Mine";
  EXPECT_NE(error_of([&] { validate({{own}, {}}); }).find("already used"), std::string::npos);
}

using Directory = Scratch;

const Json kOne{{"runs", 1U}, {"build", "numbers 1"}};

TEST_F(Directory, NewRefusesAnExistingDirectoryAndSaysWhatItIs) {
  const fs::path path = root_ / "out";
  { const ExperimentDirectory directory(path, Entry::kNew, kOne); }
  // Nothing was written into it: a full disk must not prevent a second attempt.
  EXPECT_EQ(error_of([&] { ExperimentDirectory(path, Entry::kNew, kOne); }), "");
  write_whole_file(path / "runs" / "notes.txt", "mine");
  EXPECT_NE(
      error_of([&] { ExperimentDirectory(path, Entry::kNew, kOne); }).find("has other contents"),
      std::string::npos);
  fs::remove_all(path);
  { ExperimentDirectory(path, Entry::kNew, kOne).begin(); }
  EXPECT_NE(error_of([&] {
              ExperimentDirectory(path, Entry::kNew, kOne);
            }).find("unfinished: --resume continues it, --overwrite starts over"),
            std::string::npos);
  write_whole_file(path / "manifest.json", "{}");
  EXPECT_NE(error_of([&] { ExperimentDirectory(path, Entry::kNew, kOne); }).find("already exists"),
            std::string::npos);
}

TEST_F(Directory, OverwriteReplacesOnlyExperiments) {
  const fs::path path = root_ / "out";
  fs::create_directories(path);
  write_whole_file(path / "thesis.tex", "years of work");
  EXPECT_NE(error_of([&] {
              ExperimentDirectory(path, Entry::kOverwrite, {{"runs", 1U}});
            }).find("is not overwritten"),
            std::string::npos);
  EXPECT_TRUE(fs::exists(path / "thesis.tex"));
  write_whole_file(path / "settings.json", kOne.dump());
  EXPECT_NE(error_of([&] { ExperimentDirectory(path, Entry::kOverwrite, kOne); }), "");
  EXPECT_TRUE(fs::exists(path / "thesis.tex"));
  fs::remove(path / "thesis.tex");
  write_whole_file(path / "curves.csv", "old");
  const ExperimentDirectory directory(path, Entry::kOverwrite, kOne);
  EXPECT_FALSE(fs::exists(path / "curves.csv"));
}

TEST_F(Directory, ResumeNeedsTheSameSettingsExceptForMoreRuns) {
  const fs::path path = root_ / "out";
  { ExperimentDirectory(path, Entry::kResume, {{"betas", "1"}, {"runs", 2U}}).begin(); }
  const auto resume = [&](const Json& settings) {
    return error_of([&] { ExperimentDirectory(path, Entry::kResume, settings); });
  };
  EXPECT_EQ(resume({{"betas", "1"}, {"runs", 2U}}), "");
  EXPECT_EQ(resume({{"betas", "1"}, {"runs", 3U}}), "");
  EXPECT_NE(resume({{"betas", "1"}, {"runs", 1U}}).find("only be added"), std::string::npos);
  EXPECT_NE(resume({{"betas", "2"}, {"runs", 2U}}).find("betas = \"2\""), std::string::npos);
  EXPECT_NE(resume({{"betas", "1"}, {"runs", 2U}, {"new", 1}}), "");
  write_whole_file(path / "settings.json", "{\"runs\"");
  EXPECT_NE(resume({{"betas", "1"}, {"runs", 2U}}).find("damaged"), std::string::npos);
}

TEST_F(Directory, BeginRemovesTheManifestAndPartialFiles) {
  const fs::path path = root_ / "out";
  const ExperimentDirectory directory(path, Entry::kNew, {{"runs", 1U}});
  write_whole_file(path / "manifest.json", "{}");
  write_whole_file(path / "runs" / "a.csv.tmp", "half");
  write_whole_file(path / "thesis.tmp", "years of work");
  directory.begin();
  EXPECT_TRUE(fs::exists(path / "thesis.tmp"));
  EXPECT_FALSE(fs::exists(path / "manifest.json"));
  EXPECT_FALSE(fs::exists(path / "runs" / "a.csv.tmp"));
  EXPECT_TRUE(fs::exists(path / "settings.json"));
}

// A process on another machine checks with it whether it sees the same directory.
TEST_F(Directory, IsBegunWithTheSameSettingsOnly) {
  const fs::path path = root_ / "out";
  EXPECT_FALSE(is_begun(path, kOne));
  const ExperimentDirectory directory(path, Entry::kNew, kOne);
  EXPECT_FALSE(is_begun(path, kOne));
  directory.begin();
  EXPECT_TRUE(is_begun(path, kOne));
  EXPECT_FALSE(is_begun(path, {{"runs", 2U}, {"build", "numbers 1"}}));
  fs::remove_all(path / "runs");
  EXPECT_FALSE(is_begun(path, kOne));
}

TEST_F(Directory, OneProcessAtATime) {
  const fs::path path = root_ / "out";
  const ExperimentDirectory directory(path, Entry::kNew, kOne);
  directory.begin();
  for (const Entry entry : {Entry::kResume, Entry::kOverwrite}) {
    try {
      const ExperimentDirectory second(path, entry, kOne);
      ADD_FAILURE() << "two at once";
    } catch (const CodedError& error) {
      EXPECT_EQ(error.code(), ExitCode::kStorage);
    }
  }
  EXPECT_TRUE(fs::exists(path / "settings.json"));
}

using FileIo = Scratch;

// /dev/full fails every write like a full disk.
TEST_F(FileIo, SaysWhyAFileCannotBeWritten) {
  fs::create_symlink("/dev/full", root_ / "a.csv.tmp");
  EXPECT_NE(error_of([&] { write_whole_file(root_ / "a.csv", "text"); }).find("No space left"),
            std::string::npos);
}

TEST(Seeds, TheLastSeedMustBeValid) {
  // The seeds that choose settings are the highest.
  const std::uint64_t last = (std::uint64_t{1} << 63) - 1 - lab::kSelectionDistance;
  EXPECT_EQ(error_of([&] { check_seeds("--seed", last, 1); }), "");
  EXPECT_EQ(error_of([&] { check_seeds("--seed", last - 4, 5); }), "");
  EXPECT_NE(error_of([&] { check_seeds("study.seed", last - 3, 5); }).find("study.seed = "),
            std::string::npos);
  EXPECT_EQ(runs_text(1), "1 run");
}

using FigureExport = Scratch;

// A stub of rsvg-convert: the option before the last word is the output.
fs::path stub(const fs::path& folder, const std::string& body) {
  fs::path path = folder / "rsvg-convert";
  write_whole_file(path, "#!/bin/sh\n" + body + "\n");
  chmod(path.c_str(), 0755);
  return path;
}

TEST_F(FigureExport, AFailureNamesTheFileAndShowsTheConvertersError) {
  write_whole_file(root_ / "a.svg", "<svg/>");
  const fs::path converter = stub(root_, "echo no fonts >&2; exit 3");
  const std::string error =
      error_of([&] { export_figures(converter, {root_ / "a.svg"}, base::SerialExecutor()); });
  EXPECT_NE(error.find("a.png"), std::string::npos) << error;
  EXPECT_NE(error.find("no fonts"), std::string::npos) << error;
}

TEST_F(FigureExport, OutputThatIsNotAPictureIsAnError) {
  write_whole_file(root_ / "a.svg", "<svg/>");
  const std::string write_text =
      "while [ $# -gt 1 ]; do [ $1 = --output ] && echo text >$2; shift; done";
  for (const std::string& body : {std::string("exit 0"), write_text}) {
    const fs::path converter = stub(root_, body);
    EXPECT_NE(
        error_of([&] { export_figures(converter, {root_ / "a.svg"}, base::SerialExecutor()); }),
        "");
    EXPECT_FALSE(fs::exists(root_ / "a.png"));
    EXPECT_FALSE(fs::exists(root_ / "a.png.tmp"));
  }
  EXPECT_NE(error_of([&] {
              export_figures(root_ / "missing", {root_ / "a.svg"}, base::SerialExecutor());
            }),
            "");
}

}  // namespace
}  // namespace duets::cli
