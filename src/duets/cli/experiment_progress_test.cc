#include "duets/cli/experiment_progress.h"

#include <gtest/gtest.h>

#include <string>

namespace duets::cli {
namespace {

std::string read_back(std::FILE* file) {
  std::rewind(file);
  std::string text(1 << 16, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), file));
  return text;
}

// Returns as soon as there is a line; otherwise after a long time.
bool says_something(std::FILE* file) {
  for (int i = 0; i < 3000; ++i) {
    if (std::ftell(file) > 0) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(ExperimentProgress, PrintsALineEvenWhenNoRunEnds) {
  std::FILE* out = std::tmpfile();
  {
    ExperimentProgress progress(out, Verbosity::kNormal, 1000, std::chrono::milliseconds(1));
    progress.run_done(false);
    EXPECT_TRUE(says_something(out));
  }
  EXPECT_NE(read_back(out).find(" of 1000 runs"), std::string::npos);
  std::fclose(out);
}

TEST(ExperimentProgress, QuietPrintsNothing) {
  std::FILE* out = std::tmpfile();
  {
    ExperimentProgress progress(out, Verbosity::kQuiet, 10, std::chrono::milliseconds(0));
    for (int i = 0; i < 10; ++i) progress.run_done(false);
    EXPECT_EQ(progress.done(), 10U);
  }
  EXPECT_EQ(read_back(out), "");
  std::fclose(out);
}

}  // namespace
}  // namespace duets::cli
