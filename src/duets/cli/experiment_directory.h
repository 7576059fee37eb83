// The directory of an experiment, while it runs and afterwards (docs/formats/comparison.md).
#pragma once

#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "duets/storage/files.h"

namespace duets::cli {

/// Locks the directory for this process until it dies.
class DirectoryLock {
 public:
  /// CodedError kStorage when another process holds it.
  explicit DirectoryLock(const std::filesystem::path& directory);

 private:
  storage::Descriptor descriptor_;
};

enum class Entry { kNew, kOverwrite, kResume };

/// A directory is ours when holds_experiment() says so, and unfinished until it has a
/// manifest.json. kNew refuses every directory that exists and is not empty; kOverwrite replaces
/// one of ours; kResume continues one with the same settings, except that `runs` may be larger, and
/// starts if there is nothing yet. Errors are kInvalid (exit code 2) or CodedError kStorage.
class ExperimentDirectory {
 public:
  /// Checks; does not change anything that exists yet, except that kOverwrite removes the earlier
  /// directory. `settings` has a whole number "runs".
  ExperimentDirectory(const std::filesystem::path& directory, Entry entry,
                      const nlohmann::ordered_json& settings);

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path units() const { return path_ / "runs"; }

  /// From here on it is unfinished: stores the settings, removes the manifest and files that an
  /// earlier process did not finish.
  void begin() const;

  /// Writes a file; kIo.
  void write(const std::string& name, std::string_view text) const;

 private:
  void enter_existing(Entry entry) const;
  void check_settings() const;

  std::filesystem::path path_;
  nlohmann::ordered_json settings_;
  std::unique_ptr<DirectoryLock> lock_;
};

/// True when `directory` was begun with these settings: tells a process on another machine whether
/// it sees the directory of the first process.
bool is_begun(const std::filesystem::path& directory, const nlohmann::ordered_json& settings);

}  // namespace duets::cli
