#include "duets/cli/result_kind.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::array<std::string_view, 8> kRunEntries{
    "study.toml", "manifest.json",     "trials.csv", "epochs.csv",
    "regret.csv", "communication.csv", "figures",    "report.html"};
constexpr std::array<std::string_view, 13> kExperimentEntries{
    "settings.json", "manifest.json", "summary.csv", "curves.csv", "differences.csv",
    "runs",          "figures",       "report.html", "study.toml", "variants.csv",
    "costs.csv",     "scaling.csv",   "slopes.csv"};

// What a program died over while writing it counts as what it would have been.
bool has_only(const fs::path& directory, std::span<const std::string_view> names) {
  return std::all_of(fs::directory_iterator(directory), fs::directory_iterator(),
                     [&](const fs::directory_entry& entry) {
                       const fs::path name = entry.path().extension() == ".tmp"
                                                 ? entry.path().stem()
                                                 : entry.path().filename();
                       return std::find(names.begin(), names.end(), name.string()) != names.end();
                     });
}

// An object, or nothing that could be read as one.
Json object_in(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  Json json = Json::parse(in, nullptr, false);
  return json.is_object() ? json : Json::object();
}

bool has_text(const Json& json, const char* field, std::string_view start = "") {
  return json.contains(field) && json[field].is_string() &&
         json[field].get_ref<const std::string&>().starts_with(start);
}

}  // namespace

bool holds_run(const fs::path& directory) {
  const Json manifest = object_in(directory / "manifest.json");
  return has_text(manifest, "run_digest") && has_text(manifest, "state_digest") &&
         has_only(directory, kRunEntries);
}

bool holds_experiment(const fs::path& directory) {
  const Json settings = object_in(directory / "settings.json");
  const Json manifest = object_in(directory / "manifest.json");
  const bool recognised =
      (has_text(settings, "build", "numbers ") && settings.contains("runs")) ||
      (has_text(manifest, "digest") &&
       (has_text(manifest, "command", "reproduce") || has_text(manifest, "command", "compare")));
  return recognised && has_only(directory, kExperimentEntries);
}

}  // namespace duets::cli
