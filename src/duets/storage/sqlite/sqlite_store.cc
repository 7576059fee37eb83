#include "duets/storage/sqlite/sqlite_store.h"

#include <fmt/format.h>

#include <mutex>

#include "duets/storage/fail_point.h"
#include "duets/storage/sqlite/connection.h"
#include "duets/storage/sqlite/journals.h"
#include "duets/storage/sqlite/opening.h"

namespace duets::storage::sqlite {
namespace {

class SqliteStore final : public Store {
 private:
  // Reads one state of the file, whatever a writer does meanwhile.
  template <typename Action>
  auto read(Action action) const {
    const std::lock_guard hold(mutex_);
    const Transaction transaction(*opened_.connection, Transaction::Kind::kRead);
    return action();
  }

  /// The lock file must not count what may still be lost.
  enum class Sync : std::uint8_t { kNow, kLater };

  template <typename Action>
  void write(Action action, bool has_fail_points = false, Sync sync = Sync::kNow) {
    const std::lock_guard hold(mutex_);
    if (!opened_.lock) {
      base::refuse("store", opened_.connection->file().string(), "is open for reading only");
    }
    const Syncing syncing(*opened_.connection, sync);
    Transaction transaction(*opened_.connection, Transaction::Kind::kWrite);
    action();
    const std::uint64_t commits = journals_.count_commit();
    if (has_fail_points) pass_fail_point("append.before");
    transaction.commit();
    if (has_fail_points) pass_fail_point("append.after");
    if (sync == Sync::kNow) opened_.lock->note_commits(commits);
  }

  /// With NORMAL a commit is written to the WAL and not synced; the next one with FULL syncs both.
  class Syncing {
   public:
    Syncing(Connection& connection, Sync sync) : connection_(connection), sync_(sync) {
      if (sync_ == Sync::kLater) connection_.execute("PRAGMA synchronous = NORMAL");
    }
    ~Syncing() {
      if (sync_ == Sync::kLater) {
        sqlite3_exec(connection_.get(), "PRAGMA synchronous = FULL", nullptr, nullptr, nullptr);
      }
    }
    Syncing(const Syncing&) = delete;
    Syncing& operator=(const Syncing&) = delete;

   private:
    Connection& connection_;
    Sync sync_;
  };

 public:
  SqliteStore(const std::filesystem::path& file, Access access)
      : opened_(open_database(file, access)), journals_(*opened_.connection) {}

  std::vector<std::string> names() const override {
    return read([&] { return journals_.names(); });
  }
  bool contains(std::string_view name) const override {
    return read([&] { return journals_.find(name).has_value(); });
  }
  std::uint64_t size(std::string_view name) const override {
    return read([&] { return journals_.get(name).entries; });
  }
  std::vector<base::Bytes> entries(std::string_view name, std::uint64_t first,
                                   std::uint64_t limit) const override {
    return read([&] { return journals_.entries(journals_.get(name), first, limit); });
  }
  std::optional<base::Bytes> fact(std::string_view name, std::string_view key) const override {
    return read([&] { return journals_.fact(journals_.get(name), key); });
  }

  void create(std::string_view name, std::span<const Fact> facts) override {
    write([&] {
      if (journals_.find(name)) base::refuse("journal", std::string(name), "already exists");
      change(journals_.create(name), {}, facts);
    });
  }
  void remove(std::string_view name) override {
    write([&] { journals_.remove(journals_.get(name)); });
  }
  void append(std::string_view name, std::span<const base::Bytes> entries,
              std::span<const Fact> facts) override {
    write([&] { change(journals_.get(name), entries, facts); }, true);
  }
  void append_soon(std::string_view name, std::span<const base::Bytes> entries) override {
    write([&] { change(journals_.get(name), entries, {}); }, true, Sync::kLater);
  }
  void set_fact(std::string_view name, std::string_view key, const base::Bytes& value) override {
    const Fact fact{std::string(key), value};
    write([&] { change(journals_.get(name), {}, {&fact, 1}); });
  }

 private:
  void change(Journal journal, std::span<const base::Bytes> entries, std::span<const Fact> facts) {
    for (const base::Bytes& entry : entries) journals_.append(journal, entry);
    for (const Fact& fact : facts) journals_.set_fact(journal, fact.key, fact.value);
    journals_.save(journal);
  }

  mutable std::mutex mutex_;
  Opened opened_;
  mutable Journals journals_;  ///< prepared statements: reading uses them too
};

}  // namespace

std::unique_ptr<Store> open(const std::filesystem::path& file, Access access) {
  return std::make_unique<SqliteStore>(file, access);
}

}  // namespace duets::storage::sqlite
