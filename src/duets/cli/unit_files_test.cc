#include "duets/cli/unit_files.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>
#include <unistd.h>

#include <bit>
#include <cmath>

#include "duets/cli/exit_code.h"
#include "duets/cli/file_io.h"
#include "duets/cli/unit_text.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

lab::Task small_task() {
  lab::Task task;
  task.preset = "paper";
  task.function = "branin";
  task.contenders = {{"DUETS", 0.2, "", {}}, {"Dis, \"quoted\"", 5, "D = 5", {}}};
  return task;
}

lab::Unit small_unit() {
  return {
      {{1, 2}, {0.1, 1.0 / 3}, {0, 7}, {0, 1e300}, {0, 5e-324}, {0, 3}, {1, 9}, 4, 1.0 / 7, true},
      {{1, 2}, {-0.0, 1e-17}, {1, 2}, {3, 4}, {5, 6}, {7, 8}, {9, 10}, 0, -1e-17, false}};
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("duets-units-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Folder() { fs::remove_all(path_); }
  const fs::path& path() const { return path_; }
  fs::path file() const { return path_ / "paper-branin-1.csv"; }

 private:
  fs::path path_;
};

lab::Experiment small_experiment() { return {{small_task()}, {1, 2}}; }

ExitCode code_of_reading(const fs::path& folder, const std::string& context) {
  UnitFiles files(folder, context);
  try {
    files.read_all(small_experiment());
  } catch (const CodedError& error) {
    EXPECT_NE(std::string(error.what()).find("paper-branin-1.csv"), std::string::npos);
    return error.code();
  }
  return ExitCode::kOk;
}

TEST(UnitText, RoundTripsToTheBit) {
  const auto settings = unit_settings("c", small_task(), 1);
  const std::string text = unit_text(settings, small_task(), 1, small_unit());
  const UnitReading reading = read_unit(text, settings, small_task());
  ASSERT_EQ(reading.state, UnitState::kGood) << reading.why;
  EXPECT_EQ(reading.unit, small_unit());
  EXPECT_TRUE(std::signbit(reading.unit[1].regret[0]));
}

RC_GTEST_PROP(UnitText, AnyFiniteNumberComesBack, (std::uint64_t bits)) {
  const double value = std::bit_cast<double>(bits);
  RC_PRE(std::isfinite(value));
  lab::Unit unit = small_unit();
  unit[0].regret[1] = value;
  const auto settings = unit_settings("c", small_task(), 1);
  const auto reading =
      read_unit(unit_text(settings, small_task(), 1, unit), settings, small_task());
  RC_ASSERT(std::bit_cast<std::uint64_t>(reading.unit.at(0).regret.at(1)) == bits);
}

// Every changed byte and every cut is detected: a checksum of 128 bits misses one of 2^128.
TEST(UnitText, EveryChangedByteAndEveryCutIsDamage) {
  const auto settings = unit_settings("c", small_task(), 1);
  const std::string text = unit_text(settings, small_task(), 1, small_unit());
  ASSERT_GT(text.size(), 100U);
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string changed = text;
    changed[i] = changed[i] == '7' ? '8' : '7';
    EXPECT_EQ(read_unit(changed, settings, small_task()).state, UnitState::kDamaged) << i;
    EXPECT_EQ(read_unit(text.substr(0, i), settings, small_task()).state, UnitState::kDamaged) << i;
  }
}

TEST(UnitText, SettingsCoverEverythingTheNumbersDependOn) {
  const auto base_digest = unit_settings("c", small_task(), 1);
  EXPECT_NE(unit_settings("d", small_task(), 1), base_digest);
  EXPECT_NE(unit_settings("c", small_task(), 2), base_digest);
  lab::Task task = small_task();
  task.preset = "as-plotted";
  EXPECT_NE(unit_settings("c", task, 1), base_digest);
  task = small_task();
  task.function = "h1";
  EXPECT_NE(unit_settings("c", task, 1), base_digest);
  task = small_task();
  task.contenders[0].beta = 0.5;
  EXPECT_NE(unit_settings("c", task, 1), base_digest);
  task = small_task();
  task.contenders[1].variant = "D = 6";
  EXPECT_NE(unit_settings("c", task, 1), base_digest);
  task = small_task();
  std::swap(task.contenders[0], task.contenders[1]);
  EXPECT_NE(unit_settings("c", task, 1), base_digest);
}

TEST(UnitFiles, LoadsSavedUnits) {
  const Folder folder;
  UnitFiles writer(folder.path(), "c");
  writer.save(small_task(), 1, small_unit());
  EXPECT_EQ(writer.stored(), 1U);
  UnitFiles reader(folder.path(), "c");
  reader.read_all(small_experiment());
  EXPECT_EQ(reader.stored(), 1U);
  EXPECT_EQ(reader.load(small_task(), 1), small_unit());
  EXPECT_EQ(reader.load(small_task(), 2), std::nullopt);
}

TEST(UnitFiles, AUnitUnderAnotherNameIsDamage) {
  const Folder folder;
  UnitFiles(folder.path(), "c").save(small_task(), 2, small_unit());
  fs::rename(folder.path() / "paper-branin-2.csv", folder.file());
  EXPECT_EQ(code_of_reading(folder.path(), "c"), ExitCode::kStorage);
}

TEST(UnitFiles, NamesDamagedAndForeignFilesAndDoesNotChangeThem) {
  const Folder folder;
  UnitFiles(folder.path(), "c").save(small_task(), 1, small_unit());
  EXPECT_EQ(code_of_reading(folder.path(), "c"), ExitCode::kOk);
  EXPECT_EQ(code_of_reading(folder.path(), "other"), ExitCode::kUsage);
  const std::string text = read_whole_file(folder.file());
  const std::string cut = text.substr(0, text.size() / 2);
  write_whole_file(folder.file(), cut);
  EXPECT_EQ(code_of_reading(folder.path(), "c"), ExitCode::kStorage);
  EXPECT_EQ(read_whole_file(folder.file()), cut);
}

// If the processes of a job share the folder, a unit exists when it is received; otherwise the
// first process writes it.
TEST(UnitFiles, UnitsOfOtherProcessesAreKeptOnce) {
  for (const bool visible : {true, false}) {
    const Folder folder;
    HelperUnitFiles helper(folder.path(), "c", visible);
    helper.save(small_task(), 1, small_unit());
    EXPECT_EQ(fs::exists(folder.file()), visible);
    EXPECT_FALSE(helper.load(small_task(), 1));
    UnitFiles first(folder.path(), "c");
    first.received(small_task(), 1, small_unit());
    EXPECT_EQ(first.stored(), 1U);
    EXPECT_EQ(code_of_reading(folder.path(), "c"), ExitCode::kOk);
    EXPECT_TRUE(fs::exists(folder.file()));
  }
}

}  // namespace
}  // namespace duets::cli
