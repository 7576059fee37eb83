// A second engine, for tests: stores in memory. It meets the whole contract except durability.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "duets/storage/fail_point.h"
#include "duets/storage/store.h"

namespace duets::storage {

/// Holds the stores of a test. Must outlive them.
class MemoryDisk {
 public:
  std::unique_ptr<Store> open(const std::filesystem::path& file, Access access) {
    const std::lock_guard hold(mutex_);
    if (access == Access::kRead && !files_.contains(file)) {
      base::refuse("store", file.string(), "does not exist");
    }
    File& opened = files_[file];
    if (access == Access::kWrite && std::exchange(opened.has_writer, true)) {
      throw StorageError(StorageError::Cause::kLocked, file.string() + ": already has a writer");
    }
    return std::make_unique<MemoryStore>(*this, opened, access);
  }

  bool has_writer(const std::filesystem::path& file) const {
    const std::lock_guard hold(mutex_);
    const auto found = files_.find(file);
    return found != files_.end() && found->second.has_writer;
  }

 private:
  struct Journal {
    std::vector<base::Bytes> entries;
    std::map<std::string, base::Bytes, std::less<>> facts;
  };
  struct File {
    bool has_writer = false;
    std::map<std::string, Journal, std::less<>> journals;
  };

  class MemoryStore final : public Store {
   public:
    MemoryStore(MemoryDisk& disk, File& file, Access access)
        : disk_(disk), file_(file), access_(access) {}
    ~MemoryStore() override {
      const std::lock_guard hold(disk_.mutex_);
      if (access_ == Access::kWrite) file_.has_writer = false;
    }
    MemoryStore(const MemoryStore&) = delete;
    MemoryStore& operator=(const MemoryStore&) = delete;

    std::vector<std::string> names() const override {
      const std::lock_guard hold(disk_.mutex_);
      std::vector<std::string> names;
      for (const auto& [name, journal] : file_.journals) names.push_back(name);
      return names;
    }
    bool contains(std::string_view name) const override {
      const std::lock_guard hold(disk_.mutex_);
      return file_.journals.contains(name);
    }
    void create(std::string_view name, std::span<const Fact> facts) override {
      const std::lock_guard hold(disk_.mutex_);
      require_writer();
      base::require(!file_.journals.contains(name), "journal", std::string(name), "already exists");
      set(file_.journals[std::string(name)], facts);
    }
    void remove(std::string_view name) override {
      const std::lock_guard hold(disk_.mutex_);
      require_writer();
      journal(name);
      file_.journals.erase(file_.journals.find(name));
    }
    void append(std::string_view name, std::span<const base::Bytes> entries,
                std::span<const Fact> facts) override {
      const std::lock_guard hold(disk_.mutex_);
      require_writer();
      Journal& changed = journal(name);
      pass_fail_point("append.before");
      changed.entries.insert(changed.entries.end(), entries.begin(), entries.end());
      set(changed, facts);
      pass_fail_point("append.after");
    }
    void append_soon(std::string_view name, std::span<const base::Bytes> entries) override {
      append(name, entries, {});
    }
    std::uint64_t size(std::string_view name) const override {
      const std::lock_guard hold(disk_.mutex_);
      return journal(name).entries.size();
    }
    std::vector<base::Bytes> entries(std::string_view name, std::uint64_t first,
                                     std::uint64_t limit) const override {
      const std::lock_guard hold(disk_.mutex_);
      const std::vector<base::Bytes>& all = journal(name).entries;
      const std::size_t begin = std::min<std::uint64_t>(first, all.size());
      const std::size_t count = std::min<std::uint64_t>(limit, all.size() - begin);
      const auto from = all.begin() + static_cast<std::ptrdiff_t>(begin);
      return {from, from + static_cast<std::ptrdiff_t>(count)};
    }
    std::optional<base::Bytes> fact(std::string_view name, std::string_view key) const override {
      const std::lock_guard hold(disk_.mutex_);
      const auto& facts = journal(name).facts;
      const auto found = facts.find(key);
      return found == facts.end() ? std::nullopt : std::optional(found->second);
    }
    void set_fact(std::string_view name, std::string_view key, const base::Bytes& value) override {
      const std::lock_guard hold(disk_.mutex_);
      require_writer();
      journal(name).facts[std::string(key)] = value;
    }

   private:
    void require_writer() const {
      base::require(access_ == Access::kWrite, "store", "(in memory)", "is open for reading only");
    }
    Journal& journal(std::string_view name) const {
      const auto found = file_.journals.find(name);
      base::require(found != file_.journals.end(), "journal", std::string(name), "does not exist");
      return found->second;
    }
    static void set(Journal& journal, std::span<const Fact> facts) {
      for (const Fact& fact : facts) journal.facts[fact.key] = fact.value;
    }

    MemoryDisk& disk_;
    File& file_;
    Access access_;
  };

  mutable std::mutex mutex_;
  std::map<std::filesystem::path, File> files_;
};

}  // namespace duets::storage
