// The C++ part of python/tests/digests_test.py: one study and one function, the same run digest
// from the command line, C++ and Python.
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "duets/base/executor.h"
#include "duets/service/local_study.h"
#include "duets/service/secret.h"
#include "duets/study/study_file.h"

namespace duets::service {
namespace {

const std::filesystem::path kGolden = std::filesystem::path(DUETS_SOURCE_DIR) / "tests/golden";

double measure(const Query& query) {
  const double x = query.values[0];
  return x * (1 - x) - 0.125 * query.values[1] + query.values[2];
}

TEST(ThreeWays, CppHasTheRunDigestOfTheOthers) {
  const auto folder = std::filesystem::temp_directory_path() /
                      ("duets-three-ways-" + new_secret_text().substr(0, 16));
  const study::StudyFile file = study::parse_study(
      study::read_file(kGolden / "three_ways.toml", study::kMaxStudyBytes, "study"), "three_ways");
  const base::SerialExecutor serial;
  std::string digest;
  {
    LocalOptions options;
    options.storage = folder;
    options.secret_text = seed_secret_text(file.seed);
    LocalStudy study(definition_of(file), options, serial);
    while (const auto query = study.ask()) study.tell(*query, Value{measure(*query)});
    ASSERT_TRUE(study.finished());
    digest = base::to_hex(study.summary().run_digest());
  }
  std::filesystem::remove_all(folder);
  EXPECT_EQ(digest + "\n", study::read_file(kGolden / "three_ways.digest", 100, "digest"));
}

}  // namespace
}  // namespace duets::service
