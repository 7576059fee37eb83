// Tests disks that are full, limited or read-only: nothing of the call is stored, and it may
// succeed later.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "duets/storage/sqlite/connection.h"
#include "duets/storage/store_test_support.h"

namespace duets::storage::sqlite {
namespace {

const std::vector<base::Bytes> kSmall = {bytes_of("small")};
const std::vector<base::Bytes> kLarge(40, base::Bytes(20'000, 'x'));

void expect_unwritable(const std::function<void()>& action) {
  const auto failure = failure_of(action);
  ASSERT_TRUE(failure);
  EXPECT_EQ(failure->cause, StorageError::Cause::kUnwritable) << failure->text;
}

// Temporarily sets the process's limit on file sizes.
class FileSizeLimit {
 public:
  explicit FileSizeLimit(rlim_t bytes) {
    old_signal_ = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &old_limit_);
    const rlimit limit{bytes, old_limit_.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &old_limit_);
    signal(SIGXFSZ, old_signal_);
  }
  FileSizeLimit(const FileSizeLimit&) = delete;
  FileSizeLimit& operator=(const FileSizeLimit&) = delete;

 private:
  rlimit old_limit_{};
  void (*old_signal_)(int) = nullptr;
};

TEST(Unwritable, AppendBeyondALimitStoresNothingAndSucceedsLater) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const auto store = open_store(file, Access::kWrite);
  store->create("a", std::vector<Store::Fact>{{"k", bytes_of("old")}});
  store->append("a", kSmall);
  const std::vector<Store::Fact> facts = {{"k", bytes_of("new")}};
  {
    const FileSizeLimit limit(300'000);
    for (int i = 0; i < 3; ++i) expect_unwritable([&] { store->append("a", kLarge, facts); });
    EXPECT_EQ(store->entries("a"), kSmall);
    EXPECT_EQ(store->fact("a", "k"), bytes_of("old"));
    store->append("a", kSmall);
  }
  store->append("a", kLarge, facts);
  EXPECT_EQ(store->size("a"), 42);
  EXPECT_EQ(store->fact("a", "k"), bytes_of("new"));
  EXPECT_EQ(open_store(file, Access::kRead)->entries("a"), store->entries("a"));
}

TEST(Unwritable, CreationBeyondALimitLeavesNoStore) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  {
    const FileSizeLimit limit(5'000);
    expect_unwritable([&] { const auto store = open_store(file, Access::kWrite); });
    EXPECT_FALSE(std::filesystem::exists(file));
  }
  open_store(file, Access::kWrite)->create("a", {});
}

// A database shell, a backup: the writer's lock does not exclude them.
TEST(Unwritable, WaitsForAnotherProgramThatHasTheFileLocked) {
  const TemporaryDirectory directory;
  const Path file = directory / "duets.db";
  const auto store = open_store(file, Access::kWrite);
  store->create("a", {});
  {
    Connection shell(file, Connection::Mode::kReadWrite);
    const Transaction transaction(shell, Transaction::Kind::kWrite);
    const auto failure = failure_of([&] { store->append("a", kSmall); });
    ASSERT_TRUE(failure);
    EXPECT_EQ(failure->cause, StorageError::Cause::kUnwritable);
    EXPECT_THAT(failure->text, testing::HasSubstr("is locked by another program"));
    EXPECT_EQ(store->size("a"), 0);
  }
  store->append("a", kSmall);
  EXPECT_EQ(store->entries("a"), kSmall);
}

// Runs the action in a process with its own small disk at `mount_point`; skips if the machine does
// not allow that.
void on_small_disk(const Path& mount_point, const std::function<void()>& action) {
  constexpr int kNotAllowed = 77;
  std::filesystem::create_directory(mount_point);
  const pid_t child = fork();
  if (child == 0) {
    const bool mounted = unshare(CLONE_NEWNS) == 0 &&
                         mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
                         mount("tmpfs", mount_point.c_str(), "tmpfs", 0, "size=512k") == 0;
    if (!mounted) _exit(kNotAllowed);
    action();
    _exit(testing::Test::HasFailure() ? 1 : 0);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == kNotAllowed) GTEST_SKIP() << "this machine allows no mounts here";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(Unwritable, AFullDiskStoresNothingUntilThereIsRoom) {
  const TemporaryDirectory directory;
  const Path disk = directory / "disk";
  on_small_disk(disk, [&] {
    const auto store = open_store(disk / "duets.db", Access::kWrite);
    store->create("a", {});
    store->append("a", kSmall);
    std::string filler(1 << 20, 'f');
    write_file(disk / "filler", filler);
    expect_unwritable([&] { store->append("a", kLarge); });
    expect_unwritable([&] { store->set_fact("a", "k", base::Bytes(200'000, 'v')); });
    EXPECT_EQ(store->entries("a"), kSmall);
    EXPECT_EQ(store->fact("a", "k"), std::nullopt);
    std::filesystem::remove(disk / "filler");
    const std::vector<base::Bytes> medium = {base::Bytes(20'000, 'x')};
    store->append("a", medium);
    EXPECT_EQ(store->size("a"), 2);
  });
}

TEST(Unwritable, AReadOnlyDiskCanBeRead) {
  const TemporaryDirectory directory;
  const Path disk = directory / "disk";
  on_small_disk(disk, [&] {
    {
      const auto store = open_store(disk / "duets.db", Access::kWrite);
      store->create("a", {});
      store->append("a", kSmall);
    }
    ASSERT_EQ(mount(nullptr, disk.c_str(), nullptr, MS_REMOUNT | MS_RDONLY, nullptr), 0);
    expect_unwritable([&] { const auto store = open_store(disk / "duets.db", Access::kWrite); });
    expect_unwritable([&] { const auto store = open_store(disk / "new.db", Access::kWrite); });
    EXPECT_EQ(open_store(disk / "duets.db", Access::kRead)->entries("a"), kSmall);
  });
}

}  // namespace
}  // namespace duets::storage::sqlite
