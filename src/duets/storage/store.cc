#include "duets/storage/store.h"

#include <fmt/format.h>

#include <mutex>
#include <utility>

#include "duets/storage/connection.h"
#include "duets/storage/fail_point.h"
#include "duets/storage/journals.h"
#include "duets/storage/opening.h"

namespace duets::storage {

class Store::Impl {
 public:
  Impl(const std::filesystem::path& file, Access access)
      : opened_(open_store(file, access)), journals_(*opened_.connection) {}

  // Reads in one state of the file, whatever a writer does meanwhile.
  template <typename Action>
  auto read(Action action) {
    const std::lock_guard hold(mutex_);
    const Transaction transaction(*opened_.connection, Transaction::Kind::kRead);
    return action(journals_);
  }

  template <typename Action>
  void write(Action action, bool has_fail_points = false) {
    const std::lock_guard hold(mutex_);
    if (!opened_.lock) {
      base::refuse("store", opened_.connection->file().string(), "is open for reading only");
    }
    Transaction transaction(*opened_.connection, Transaction::Kind::kWrite);
    action(journals_);
    const std::uint64_t commits = journals_.count_commit();
    if (has_fail_points) pass_fail_point("append.before");
    transaction.commit();
    if (has_fail_points) pass_fail_point("append.after");
    opened_.lock->note_commits(commits);
  }

 private:
  std::mutex mutex_;
  Opened opened_;
  Journals journals_;
};

Store::Store(const std::filesystem::path& file, Access access)
    : impl_(std::make_unique<Impl>(file, access)) {}

Store::~Store() = default;

std::vector<std::string> Store::names() const {
  return impl_->read([](Journals& journals) { return journals.names(); });
}

bool Store::contains(std::string_view name) const {
  return impl_->read([&](Journals& journals) { return journals.find(name).has_value(); });
}

void Store::create(std::string_view name, std::span<const Fact> facts) {
  impl_->write([&](Journals& journals) {
    if (journals.find(name)) base::refuse("journal", std::string(name), "the name is taken");
    Journal journal = journals.create(name);
    for (const Fact& fact : facts) journals.set_fact(journal, fact.key, fact.value);
    journals.save(journal);
  });
}

void Store::remove(std::string_view name) {
  impl_->write([&](Journals& journals) { journals.remove(journals.get(name)); });
}

void Store::append(std::string_view name, std::span<const base::Bytes> entries) {
  append(name, entries, {});
}

void Store::append(std::string_view name, std::span<const base::Bytes> entries,
                   std::span<const Fact> facts) {
  const auto action = [&](Journals& journals) {
    Journal journal = journals.get(name);
    for (const base::Bytes& entry : entries) journals.append(journal, entry);
    for (const Fact& fact : facts) journals.set_fact(journal, fact.key, fact.value);
    journals.save(journal);
  };
  impl_->write(action, true);
}

std::uint64_t Store::size(std::string_view name) const {
  return impl_->read([&](Journals& journals) { return journals.get(name).entries; });
}

std::vector<base::Bytes> Store::entries(std::string_view name, std::uint64_t first,
                                        std::uint64_t limit) const {
  return impl_->read(
      [&](Journals& journals) { return journals.entries(journals.get(name), first, limit); });
}

std::optional<base::Bytes> Store::fact(std::string_view name, std::string_view key) const {
  return impl_->read([&](Journals& journals) { return journals.fact(journals.get(name), key); });
}

void Store::set_fact(std::string_view name, std::string_view key, const base::Bytes& value) {
  impl_->write([&](Journals& journals) {
    Journal journal = journals.get(name);
    journals.set_fact(journal, key, value);
    journals.save(journal);
  });
}

}  // namespace duets::storage
