// Reads and writes journals as database rows: their entries, facts and checksums.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/storage/sqlite/chain.h"
#include "duets/storage/sqlite/connection.h"

namespace duets::storage::sqlite {

/// The row of a journal: enough to detect that an entry or a fact is missing.
struct Journal {
  std::int64_t id = 0;
  std::string name;
  std::uint64_t entries = 0;
  Checksum head;  ///< the chain after the last entry
  std::uint64_t facts = 0;
};

/// Statements are prepared once. Methods that write must be called inside a transaction, methods
/// that take a Journal inside the one in which it was found. Everything that is read is compared
/// with its checksum: kDamaged. Not thread-safe.
class Journals {
 public:
  explicit Journals(Connection& connection);

  std::vector<std::string> names();
  std::optional<Journal> find(std::string_view name);
  /// kInvalid when it does not exist.
  Journal get(std::string_view name);

  /// No journal may have this name.
  Journal create(std::string_view name);
  void remove(const Journal& journal);
  /// These two change the journal; save() then writes its row.
  void append(Journal& journal, std::span<const std::uint8_t> entry);
  void set_fact(Journal& journal, std::string_view key, std::span<const std::uint8_t> value);
  void save(const Journal& journal);

  std::vector<base::Bytes> entries(const Journal& journal, std::uint64_t first,
                                   std::uint64_t limit);
  std::optional<base::Bytes> fact(const Journal& journal, std::string_view key);

  /// Reads and checks the whole journal.
  void check(const Journal& journal);

  /// Counts one more transaction; returns their number.
  std::uint64_t count_commit();

 private:
  using Visitor = std::function<void(std::span<const std::uint8_t>)>;
  void walk(const Journal& journal, std::uint64_t first, std::uint64_t limit,
            const Visitor& visitor);
  Checksum chain_before(const Journal& journal, std::uint64_t sequence);
  void check_facts(const Journal& journal);
  [[noreturn]] void damaged_entry(const Journal& journal, std::uint64_t sequence) const;
  [[noreturn]] void damaged(const Journal& journal, const std::string& what) const;

  Connection& connection_;
  Statement names_, find_, create_, save_, remove_, remove_entries_, remove_facts_;
  Statement append_, entries_, chain_, fact_, facts_, change_fact_, add_fact_, count_commit_;
};

}  // namespace duets::storage::sqlite
