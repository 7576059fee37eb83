#include "duets/cli/result_kind.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using PlainJson = nlohmann::json;

constexpr std::array<std::string_view, 9> kRunEntries{
    "study.toml", "manifest.json",     "summary.json", "trials.csv", "epochs.csv",
    "regret.csv", "communication.csv", "figures",      "report.html"};
constexpr std::array<std::string_view, 10> kExportEntries{
    "study.toml",  "journal.bin",       "participation.toml", "manifest.json",
    "epochs.csv",  "communication.csv", "trials.csv",         "figures",
    "report.html", "digests.txt"};
constexpr std::array<std::string_view, 18> kExperimentEntries{
    "settings.json", "manifest.json",   "summary.csv",      "curves.csv", "differences.csv",
    "ask_tell.csv",  "rivals.csv",      "rival_slopes.csv", "runs",       "figures",
    "report.html",   "study.toml",      "variants.csv",     "costs.csv",  "scaling.csv",
    "slopes.csv",    "self_tuning.csv", "means.csv"};

template <std::size_t kSize>
bool is_among(const fs::path& text, const std::array<std::string_view, kSize>& words) {
  return std::find(words.begin(), words.end(), text.string()) != words.end();
}

// A temporary file of a killed program counts as the file it would have become.
fs::path final_name(const fs::path& path) {
  return path.extension() == ".tmp" ? path.stem() : path.filename();
}

// In "runs" and "figures" the names depend on the study, so only their kind is checked.
bool is_written_inside(const fs::directory_entry& entry) {
  constexpr std::array<std::string_view, 4> kSuffixes{".csv", ".svg", ".png", ".pdf"};
  return entry.is_regular_file() && is_among(final_name(entry.path()).extension(), kSuffixes);
}

bool is_folder(const fs::path& name) { return name == "runs" || name == "figures"; }

template <std::size_t kSize>
bool has_only(const fs::path& directory, const std::array<std::string_view, kSize>& names) {
  for (const fs::directory_entry& entry : fs::directory_iterator(directory)) {
    const fs::path name = final_name(entry.path());
    if (!is_among(name, names) || entry.is_symlink()) return false;
    if (entry.is_directory() != is_folder(name)) return false;
    if (entry.is_directory() &&
        !std::all_of(fs::directory_iterator(entry), fs::directory_iterator(), is_written_inside)) {
      return false;
    }
  }
  return true;
}

// The object in a file; empty when it cannot be parsed as one.
PlainJson object_in(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  PlainJson json = PlainJson::parse(in, nullptr, false);
  return json.is_object() ? json : PlainJson::object();
}

bool has_text(const PlainJson& json, const char* field, std::string_view start = "") {
  return json.contains(field) && json[field].is_string() &&
         json[field].get_ref<const std::string&>().starts_with(start);
}

}  // namespace

bool holds_nothing(const fs::path& directory) {
  return fs::is_directory(directory) &&
         std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [](const fs::directory_entry& entry) {
                       return !entry.is_symlink() && entry.is_directory() &&
                              is_folder(entry.path().filename()) && fs::is_empty(entry.path());
                     });
}

bool holds_unfinished_run(const fs::path& directory) {
  return fs::is_directory(directory) && fs::exists(directory / "trials.csv") &&
         has_only(directory, kRunEntries);
}

bool holds_unfinished_export(const fs::path& directory) {
  return fs::is_directory(directory) && has_only(directory, kExportEntries);
}

std::vector<fs::path> half_written(const fs::path& directory) {
  std::vector<fs::path> halves;
  for (const fs::path& folder : {directory, directory / "runs", directory / "figures"}) {
    if (!fs::is_directory(folder)) continue;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
      const bool named = folder == directory
                             ? is_among(final_name(entry.path()), kExperimentEntries)
                             : is_written_inside(entry);
      if (entry.path().extension() == ".tmp" && named) halves.push_back(entry.path());
    }
  }
  return halves;
}

bool holds_run(const fs::path& directory) {
  const PlainJson manifest = object_in(directory / "manifest.json");
  return has_text(manifest, "run_digest") && has_text(manifest, "state_digest") &&
         has_only(directory, kRunEntries);
}

bool holds_experiment(const fs::path& directory) {
  const PlainJson settings = object_in(directory / "settings.json");
  const PlainJson manifest = object_in(directory / "manifest.json");
  const bool recognised =
      (has_text(settings, "build", "numbers ") && settings.contains("runs")) ||
      (has_text(manifest, "digest") &&
       (has_text(manifest, "command", "reproduce") || has_text(manifest, "command", "compare")));
  return recognised && has_only(directory, kExperimentEntries);
}

}  // namespace duets::cli
