#include "duets/storage/secret_file.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "duets/storage/store_test_support.h"

namespace duets::storage {
namespace {

class SecretFileTest : public testing::Test {
 protected:
  std::size_t num_files() const {
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(directory_ / ""), {}));
  }
  TemporaryDirectory directory_;
  Path file_ = directory_ / "study.key";
};

TEST_F(SecretFileTest, RoundTripsForTheOwnerOnly) {
  const mode_t old = umask(0);
  write_secret_file(file_, "0123\n");
  umask(old);
  EXPECT_EQ(read_secret_file(file_), "0123\n");
  EXPECT_EQ(std::filesystem::status(file_).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(num_files(), 1) << "a temporary file was left behind";
}

TEST_F(SecretFileTest, AMissingDirectoryIsCreatedForTheOwnerOnly) {
  write_secret_file(directory_ / "secrets" / "study.key", "0123");
  EXPECT_EQ(std::filesystem::status(directory_ / "secrets").permissions(),
            std::filesystem::perms(0700));
}

TEST_F(SecretFileTest, IsNeverOverwritten) {
  write_secret_file(file_, "first");
  EXPECT_EQ(kind_of([&] { write_secret_file(file_, "second"); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(read_secret_file(file_), "first");
  EXPECT_EQ(num_files(), 1) << "a temporary file was left behind";
}

TEST_F(SecretFileTest, IsNotReadWhenOthersCanAndTheErrorHasTheFix) {
  write_secret_file(file_, "0123456789");
  for (const unsigned bits : {0640U, 0604U, 0610U, 0602U}) {
    chmod(file_.c_str(), bits);
    try {
      read_secret_file(file_);
      ADD_FAILURE() << "mode " << bits;
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid);
      EXPECT_THAT(error.what(), testing::HasSubstr("chmod 600 " + file_.string()));
      EXPECT_THAT(error.what(), testing::Not(testing::HasSubstr("0123456789")));
    }
  }
  chmod(file_.c_str(), 0400);
  EXPECT_EQ(read_secret_file(file_), "0123456789");
}

TEST_F(SecretFileTest, OnlySmallRegularFilesAreRead) {
  EXPECT_EQ(kind_of([&] { read_secret_file(file_); }), base::ErrorKind::kIo);
  EXPECT_EQ(kind_of([&] { read_secret_file(directory_ / ""); }), base::ErrorKind::kIo);
  write_secret_file(file_, std::string((1 << 20) + 1, 'x'));
  EXPECT_EQ(kind_of([&] { read_secret_file(file_); }), base::ErrorKind::kIo);
}

TEST_F(SecretFileTest, ADirectoryThatCannotBeCreatedIsNamed) {
  write_secret_file(file_, "a file, not a directory");
  EXPECT_EQ(kind_of([&] { write_secret_file(file_ / "deeper.key", "x"); }), base::ErrorKind::kIo);
}

}  // namespace
}  // namespace duets::storage
