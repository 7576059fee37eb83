// Writes a directory of files that appears under its final name all at once.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace duets::cli {

/// Writes into "<directory>.partial" and moves it into place when it is complete, so that a
/// directory with the final name is always complete. Throws kInvalid when the directory exists and
/// must not be replaced, kIo when a file cannot be written.
class PartialDirectory {
 public:
  /// True when the program itself has written the contents of a directory.
  using Ours = bool (*)(const std::filesystem::path&);
  /// Recognises an earlier directory of this kind, finished (replaced; null: never) or cut off
  /// (removed). Nothing else is changed.
  struct Replaced {
    Ours finished = nullptr;
    Ours cut_off = nullptr;
    const char* hint = "choose another directory or add --overwrite";  ///< when it is not replaced
    const char* field = "--output";                                    ///< of which errors speak
  };

  PartialDirectory(const std::filesystem::path& directory, Replaced replaced);
  /// Removes the files unless they were committed.
  ~PartialDirectory();
  PartialDirectory(const PartialDirectory&) = delete;
  PartialDirectory& operator=(const PartialDirectory&) = delete;

  /// The directory of the files until commit().
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
