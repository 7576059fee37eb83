#include "duets/storage/whole_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "duets/base/error.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage {
namespace {

using testing::HasSubstr;

class WholeFileTest : public testing::Test {
 protected:
  template <typename Body>
  static std::string refusal(const Body& body) {
    try {
      body();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kIo);
      return error.what();
    }
    return "";
  }

  TemporaryDirectory scratch_;
};

TEST_F(WholeFileTest, RoundTripsAndReplacesAnExistingFile) {
  const Path file = scratch_ / "file";
  const std::string bytes("a\0\r\n\xff", 5);
  write_whole_file(file, "");
  EXPECT_EQ(read_whole_file(file), "");
  write_whole_file(file, "something longer");
  write_whole_file(file, bytes);
  EXPECT_EQ(read_whole_file(file), bytes);
  EXPECT_FALSE(std::filesystem::exists(file.string() + ".tmp"));
}

TEST_F(WholeFileTest, AFailureNamesTheFileAndTheReason) {
  const Path file = scratch_ / "nowhere" / "file";
  EXPECT_THAT(refusal([&] { read_whole_file(file); }),
              HasSubstr("cannot read " + file.string() + ": No such file"));
  EXPECT_THAT(refusal([&] { write_whole_file(file, "text"); }),
              HasSubstr("cannot write " + file.string() + ": No such file"));
}

// /dev/full refuses every byte, but only when the stream writes it out. The old file remains.
TEST_F(WholeFileTest, AFullDiskIsReportedAndTheOldFileRemains) {
  const Path file = scratch_ / "file";
  write_whole_file(file, "before");
  std::filesystem::create_symlink("/dev/full", file.string() + ".tmp");
  EXPECT_THAT(refusal([&] { write_whole_file(file, "something else"); }),
              HasSubstr("cannot write " + file.string() + ": No space left"));
  EXPECT_EQ(read_whole_file(file), "before");
}

TEST_F(WholeFileTest, ADirectoryIsNotAFileAndNothingIsLeftBehind) {
  const Path taken = scratch_ / "directory";
  std::filesystem::create_directories(taken / "with-something");
  EXPECT_THAT(refusal([&] { write_whole_file(taken, "text"); }),
              HasSubstr("cannot write " + taken.string()));
  EXPECT_FALSE(std::filesystem::exists(taken.string() + ".tmp"));
  EXPECT_THAT(refusal([&] { read_whole_file(taken); }),
              HasSubstr("cannot read " + taken.string() + ": Is a directory"));
}

}  // namespace
}  // namespace duets::storage
