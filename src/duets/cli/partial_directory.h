// Files that get their directory's name all at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace duets::cli {

/// Writes into "<directory>.partial" and moves it into place when everything is there, so that a
/// directory with the final name is always complete. Throws kInvalid when the directory exists and
/// may not be replaced, kIo when a file cannot be written.
class PartialDirectory {
 public:
  /// Whether the program itself has written what a directory holds.
  using Ours = bool (*)(const std::filesystem::path&);
  /// What may be there: an earlier one of these, finished (replaced; null: never) or cut off
  /// (removed). Nothing else is touched.
  struct Replaced {
    Ours finished = nullptr;
    Ours cut_off = nullptr;
    const char* hint = "choose another directory or add --overwrite";  ///< when never
  };

  PartialDirectory(const std::filesystem::path& directory, Replaced replaced);
  /// Removes what was not committed.
  ~PartialDirectory();
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;

  /// Where the files are until commit().
  const std::filesystem::path& path() const { return partial_; }
  /// `name` may be in a folder: "figures/map.svg".
  void write(const std::string& name, std::string_view text);
  /// The names that were written, in order.
  const std::vector<std::string>& files() const { return files_; }
  void commit();

 private:
  std::filesystem::path directory_;
  std::filesystem::path partial_;
  Replaced replaced_;
  std::vector<std::string> files_;
  bool committed_ = false;
};

/// kInvalid unless a PartialDirectory could get this name now.
void require_free(const std::filesystem::path& directory,
                  const PartialDirectory::Replaced& replaced);

}  // namespace duets::cli
