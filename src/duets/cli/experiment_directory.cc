#include "duets/cli/experiment_directory.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>

#include <cerrno>
#include <sstream>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"
#include "duets/cli/file_io.h"
#include "duets/cli/result_kind.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr const char* kSettings = "settings.json";
constexpr const char* kManifest = "manifest.json";

bool is_finished(const fs::path& directory) { return fs::exists(directory / kManifest); }

[[noreturn]] void refuse(const fs::path& directory, const std::string& constraint) {
  base::refuse("--output", directory.string(), constraint);
}

[[noreturn]] void refuse_existing(const fs::path& directory) {
  if (!fs::is_directory(directory) || !holds_experiment(directory)) {
    refuse(directory, "exists and has other contents; choose another directory");
  }
  if (is_finished(directory)) {
    refuse(directory,
           "already exists; choose another directory, replace it with --overwrite, or add to it "
           "with --resume");
  }
  refuse(directory, "unfinished: --resume continues it, --overwrite starts over");
}

void remove_earlier(const fs::path& directory) {
  if (!fs::is_directory(directory) || !holds_experiment(directory)) {
    refuse(directory, "is not a comparison of this program, and is not overwritten");
  }
  const DirectoryLock lock(directory);
  std::error_code error;
  fs::remove_all(directory, error);
  if (error) fail_io("cannot remove", directory, error);
}

std::string text_of(const Json& settings) { return settings.dump(2) + "\n"; }

Json stored_settings(const fs::path& directory) {
  const fs::path path = directory / kSettings;
  Json stored = Json::parse(read_whole_file(path), nullptr, false);
  if (!stored.is_object() || !stored.contains("runs") || !stored["runs"].is_number_unsigned()) {
    throw CodedError(ExitCode::kStorage, fmt::format("{}: damaged; remove {} to start over",
                                                     path.string(), directory.string()));
  }
  return stored;
}

// The difference, short enough to read: for texts, the first lines that differ.
std::pair<std::string, std::string> differing(const Json& now, const Json& before) {
  if (!now.is_string() || !before.is_string()) return {now.dump(), before.dump()};
  std::istringstream these(now.get<std::string>());
  std::istringstream those(before.get<std::string>());
  std::string a, b;
  do {
    a.clear();
    b.clear();
    std::getline(these, a);
    std::getline(those, b);
  } while (a == b && (these || those));
  return {Json(a).dump(), Json(b).dump()};
}

}  // namespace

DirectoryLock::DirectoryLock(const fs::path& directory)
    : descriptor_(open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
  if (!descriptor_.ok()) fail_io("cannot open", directory, last_error());
  if (flock(descriptor_.get(), LOCK_EX | LOCK_NB) != 0) {
    throw CodedError(ExitCode::kStorage,
                     fmt::format("{}: another process is using it", directory.string()));
  }
}

ExperimentDirectory::ExperimentDirectory(const fs::path& directory, Entry entry,
                                         const Json& settings)
    : path_(full_name(directory)), settings_(settings) {
  if (fs::exists(path_)) enter_existing(entry);
  make_directory(units());
  make_directory(path_ / "figures");
  lock_ = std::make_unique<DirectoryLock>(path_);
}

void ExperimentDirectory::enter_existing(Entry entry) const {
  if (holds_nothing(path_)) return;
  if (entry == Entry::kNew) refuse_existing(path_);
  if (entry == Entry::kOverwrite) {
    remove_earlier(path_);
  } else {
    if (!fs::is_directory(path_)) refuse(path_, "exists and is not a directory");
    check_settings();
  }
}

void ExperimentDirectory::check_settings() const {
  if (!fs::exists(path_ / kSettings)) {
    refuse(path_, "has no settings.json, so there is nothing to resume");
  }
  const Json stored = stored_settings(path_);
  for (const auto& [key, value] : settings_.items()) {
    const Json before = stored.value(key, Json());
    if (key == "runs" ? before <= value : before == value) continue;
    const char* rule = key == "runs" ? "runs can only be added" : "--resume needs the same";
    const auto [is, was] = differing(value, before);
    base::refuse(key, is,
                 fmt::format("{} was created with {}; {} (or start over with --overwrite)",
                             path_.string(), was, rule));
  }
}

void ExperimentDirectory::begin() const {
  std::error_code error;
  for (const fs::path& half : half_written(path_)) fs::remove(half, error);
  fs::remove(path_ / kManifest, error);
  if (error) fail_io("cannot remove", path_ / kManifest, error);
  write(kSettings, text_of(settings_));
}

void ExperimentDirectory::write(const std::string& name, std::string_view text) const {
  write_whole_file(path_ / name, text);
}

bool is_begun(const fs::path& directory, const Json& settings) {
  std::error_code error;
  const fs::path path = directory / kSettings;
  return fs::is_directory(directory / "runs", error) && fs::is_regular_file(path, error) &&
         read_whole_file(path) == text_of(settings);
}

}  // namespace duets::cli
