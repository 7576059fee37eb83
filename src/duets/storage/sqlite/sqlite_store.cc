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

  template <typename Action>
  void write(Action action, bool has_fail_points = false) {
    const std::lock_guard hold(mutex_);
    if (!opened_.lock) {
      base::refuse("store", opened_.connection->file().string(), "is open for reading only");
    }
    Transaction transaction(*opened_.connection, Transaction::Kind::kWrite);
    action();
    const std::uint64_t commits = journals_.count_commit();
    if (has_fail_points) pass_fail_point("append.before");
    transaction.commit();
    if (has_fail_points) pass_fail_point("append.after");
    opened_.lock->note_commits(commits);
  }

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
