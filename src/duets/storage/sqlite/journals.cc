#include "duets/storage/sqlite/journals.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "duets/storage/store.h"

namespace duets::storage::sqlite {
namespace {

// SQLite's integers are signed; no journal comes near either bound.
std::int64_t clamped(std::uint64_t value) {
  constexpr auto kMax = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::min(value, static_cast<std::uint64_t>(kMax)));
}

base::Bytes copy(std::span<const std::uint8_t> bytes) { return {bytes.begin(), bytes.end()}; }

}  // namespace

Journals::Journals(Connection& c)
    : connection_(c),
      names_(c, "SELECT name FROM journals ORDER BY name"),
      find_(c, "SELECT id, entries, head, facts FROM journals WHERE name = ?"),
      create_(c, "INSERT INTO journals (name, entries, head, facts) VALUES (?, 0, ?, 0)"),
      save_(c, "UPDATE journals SET entries = ?, head = ?, facts = ? WHERE id = ?"),
      remove_(c, "DELETE FROM journals WHERE id = ?"),
      remove_entries_(c, "DELETE FROM entries WHERE journal = ?"),
      remove_facts_(c, "DELETE FROM facts WHERE journal = ?"),
      append_(c, "INSERT INTO entries (journal, sequence, chain, bytes) VALUES (?, ?, ?, ?)"),
      entries_(c,
               "SELECT sequence, chain, bytes FROM entries WHERE journal = ? AND sequence >= ? "
               "ORDER BY sequence LIMIT ?"),
      chain_(c, "SELECT chain FROM entries WHERE journal = ? AND sequence = ?"),
      fact_(c, "SELECT checksum, value FROM facts WHERE journal = ? AND key = ?"),
      facts_(c, "SELECT key, checksum, value FROM facts WHERE journal = ?"),
      change_fact_(c, "UPDATE facts SET checksum = ?, value = ? WHERE journal = ? AND key = ?"),
      add_fact_(c, "INSERT INTO facts (checksum, value, journal, key) VALUES (?, ?, ?, ?)"),
      count_commit_(c, "UPDATE store SET commits = commits + 1 RETURNING commits") {}

std::vector<std::string> Journals::names() {
  Query query(names_);
  std::vector<std::string> names;
  while (query.next()) names.emplace_back(query.text(0));
  return names;
}

std::optional<Journal> Journals::find(std::string_view name) {
  Query query(find_);
  query.bind(name);
  if (!query.next()) return std::nullopt;
  Journal journal;
  journal.id = query.number(0);
  journal.name = name;
  journal.entries = static_cast<std::uint64_t>(query.number(1));
  journal.head = copy(query.bytes(2));
  journal.facts = static_cast<std::uint64_t>(query.number(3));
  return journal;
}

Journal Journals::get(std::string_view name) {
  std::optional<Journal> journal = find(name);
  if (!journal) {
    base::refuse("journal", std::string(name),
                 fmt::format("does not exist in {}", connection_.file().string()));
  }
  return *std::move(journal);
}

Journal Journals::create(std::string_view name) {
  Journal journal;
  journal.name = name;
  journal.head = chain_start(name);
  Query(create_).bind(name).bind(journal.head).next();
  journal.id = sqlite3_last_insert_rowid(connection_.get());
  return journal;
}

void Journals::remove(const Journal& journal) {
  Query(remove_entries_).bind(journal.id).next();
  Query(remove_facts_).bind(journal.id).next();
  Query(remove_).bind(journal.id).next();
}

void Journals::append(Journal& journal, std::span<const std::uint8_t> entry) {
  Checksum chain = chain_next(journal.head, entry);
  Query(append_).bind(journal.id).bind(clamped(journal.entries)).bind(chain).bind(entry).next();
  journal.head = std::move(chain);
  ++journal.entries;
}

void Journals::set_fact(Journal& journal, std::string_view key,
                        std::span<const std::uint8_t> value) {
  const Checksum checksum = fact_checksum(journal.name, key, value);
  Query(change_fact_).bind(checksum).bind(value).bind(journal.id).bind(key).next();
  if (sqlite3_changes64(connection_.get()) > 0) return;
  Query(add_fact_).bind(checksum).bind(value).bind(journal.id).bind(key).next();
  ++journal.facts;
}

void Journals::save(const Journal& journal) {
  Query(save_)
      .bind(clamped(journal.entries))
      .bind(journal.head)
      .bind(clamped(journal.facts))
      .bind(journal.id)
      .next();
}

std::vector<base::Bytes> Journals::entries(const Journal& journal, std::uint64_t first,
                                           std::uint64_t limit) {
  std::vector<base::Bytes> entries;
  walk(journal, first, limit,
       [&entries](std::span<const std::uint8_t> bytes) { entries.push_back(copy(bytes)); });
  return entries;
}

std::optional<base::Bytes> Journals::fact(const Journal& journal, std::string_view key) {
  Query query(fact_);
  query.bind(journal.id).bind(key);
  if (!query.next()) return std::nullopt;
  base::Bytes value = copy(query.bytes(1));
  if (!std::ranges::equal(query.bytes(0), fact_checksum(journal.name, key, value))) {
    damaged(journal, fmt::format("its fact '{}' is not what was written", key));
  }
  return value;
}

void Journals::check(const Journal& journal) {
  walk(journal, 0, UINT64_MAX, [](std::span<const std::uint8_t>) {});
  check_facts(journal);
}

void Journals::check_facts(const Journal& journal) {
  Query query(facts_);
  query.bind(journal.id);
  std::uint64_t found = 0;
  for (; query.next(); ++found) {
    const std::string key(query.text(0));
    if (!std::ranges::equal(query.bytes(1), fact_checksum(journal.name, key, query.bytes(2)))) {
      damaged(journal, fmt::format("its fact '{}' is not what was written", key));
    }
  }
  if (found != journal.facts) {
    damaged(journal, fmt::format("it has {} facts instead of {}", found, journal.facts));
  }
}

std::uint64_t Journals::count_commit() {
  Query query(count_commit_);
  const std::uint64_t commits = query.next() ? static_cast<std::uint64_t>(query.number(0)) : 0;
  while (query.next()) {
  }
  return commits;
}

// Visits entries first .. first + limit - 1, as far as they exist, and compares each with the
// chain; the last entry of the journal must also match its head.
void Journals::walk(const Journal& journal, std::uint64_t first, std::uint64_t limit,
                    const Visitor& visitor) {
  const bool to_end = first <= journal.entries && limit >= journal.entries - first;
  if (first > journal.entries) return;
  Checksum chain = chain_before(journal, first);
  std::uint64_t sequence = first;
  Query query(entries_);
  query.bind(journal.id).bind(clamped(first)).bind(clamped(limit));
  for (; query.next(); ++sequence) {
    chain = chain_next(chain, query.bytes(2));
    const bool follows = static_cast<std::uint64_t>(query.number(0)) == sequence;
    if (!follows || !std::ranges::equal(query.bytes(1), chain)) damaged_entry(journal, sequence);
    visitor(query.bytes(2));
  }
  const std::uint64_t end = to_end ? journal.entries : first + limit;
  if (sequence != end || (to_end && chain != journal.head)) damaged_entry(journal, sequence);
}

Checksum Journals::chain_before(const Journal& journal, std::uint64_t sequence) {
  if (sequence == 0) return chain_start(journal.name);
  Query query(chain_);
  query.bind(journal.id).bind(clamped(sequence - 1));
  if (!query.next()) damaged_entry(journal, sequence - 1);
  return copy(query.bytes(0));
}

void Journals::damaged_entry(const Journal& journal, std::uint64_t sequence) const {
  damaged(journal, sequence < journal.entries
                       ? fmt::format("its entry {} is missing or is not what was written", sequence)
                       : fmt::format("its count or checksum after entry {} is wrong", sequence));
}

void Journals::damaged(const Journal& journal, const std::string& what) const {
  throw StorageError(StorageError::Cause::kDamaged,
                     fmt::format("{}: journal '{}': {} (the file is damaged and was not changed; "
                                 "restore a copy of it)",
                                 connection_.file().string(), journal.name, what));
}

}  // namespace duets::storage::sqlite
