// Runs every transcript of this folder. With DUETS_REWRITE=1 in the environment the expected parts
// are written anew; otherwise a difference is a failure, shown as a diff.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "stage.h"
#include "transcript.h"

namespace duets::scenario {
namespace {

const char* const kFolder = DUETS_SOURCE_DIR "/tests/scenario";

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    const std::filesystem::path& path = entry.path();
    if (path.extension() == ".txt" && path.stem() != "CMakeLists") names.push_back(path.stem());
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string path_of(const std::string& name) { return std::string(kFolder) + "/" + name + ".txt"; }

std::string read_text(const std::string& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Lines play(Stage& stage, const Block& block) {
  Lines lines;
  for (const std::string& command : block.commands) {
    const Lines answer = stage.run(command);
    lines.insert(lines.end(), answer.begin(), answer.end());
  }
  return lines;
}

class ScenarioTest : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioTest, AnswersAsWritten) {
  std::vector<Block> blocks = parse_transcript(read_text(path_of(GetParam())));
  const bool rewrite = std::getenv("DUETS_REWRITE") != nullptr;
  Stage stage;
  std::size_t played = 0;
  for (Block& block : blocks) {
    if (block.commands.empty()) continue;
    ++played;
    const Lines actual = play(stage, block);
    if (rewrite) {
      block.expected = actual;
    } else {
      EXPECT_EQ(actual, block.expected) << "in " << GetParam() << ".txt, after\n"
                                        << block.commands.back() << "\n"
                                        << difference(block.expected, actual);
    }
  }
  EXPECT_GT(played, 0U) << GetParam() << ".txt has no command";
  if (rewrite) std::ofstream(path_of(GetParam())) << format_transcript(blocks);
}

INSTANTIATE_TEST_SUITE_P(Transcripts, ScenarioTest, ::testing::ValuesIn(scenario_names()),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::replace(name.begin(), name.end(), '-', '_');
                           return name;
                         });

TEST(Transcript, FormattingUndoesParsing) {
  ASSERT_FALSE(scenario_names().empty());
  for (const std::string& name : scenario_names()) {
    const std::string text = read_text(path_of(name));
    EXPECT_EQ(format_transcript(parse_transcript(text)), text) << name;
  }
}

TEST(Transcript, ScriptsThatAreWrongAreNoticed) {
  EXPECT_THROW(parse_transcript("start\n"), std::runtime_error);
  Stage stage;
  EXPECT_THROW(stage.run("start"), std::runtime_error);
  EXPECT_THROW(stage.run("study domain=torus"), std::runtime_error);
  EXPECT_THROW(stage.run("study agnets=3"), std::runtime_error);
  stage.run("study");
  EXPECT_THROW(stage.run("strat"), std::runtime_error);
  EXPECT_THROW(stage.run("query agent=7"), std::runtime_error);
}

TEST(Transcript, DifferenceMarksLines) {
  EXPECT_EQ(difference({"a", "b", "c"}, {"a", "x", "c"}), "  a\n- b\n+ x\n  c\n");
  EXPECT_EQ(difference({"a"}, {"a", "b"}), "  a\n+ b\n");
  EXPECT_EQ(difference({"a", "b"}, {"b"}), "- a\n  b\n");
}

}  // namespace
}  // namespace duets::scenario
