#include "duets/cli/export_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/service/wire_text.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::JournalTrial;

constexpr std::string_view kFigures = "figures/";
constexpr const char* kMadeAgain = "recomputed from journal.bin: the same bytes";

bool is_export_file(std::string_view name) {
  return std::find(kExportFiles.begin(), kExportFiles.end(), name) != kExportFiles.end();
}

std::string_view next_line(std::string_view& rest) {
  const std::size_t end = std::min(rest.find('\n'), rest.size());
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(std::min(end + 1, rest.size()));
  return line;
}

std::string shown(std::string_view line) {
  constexpr std::size_t kShown = 60;
  return fmt::format("\"{}{}\"", service::clean_text(line, kShown),
                     line.size() > kShown ? "..." : "");
}

// Two long lines may agree in all that is shown: begin shortly before the first difference.
std::pair<std::string_view, std::string_view> from_difference(std::string_view a,
                                                              std::string_view b) {
  constexpr std::size_t kBefore = 20;
  const auto length = static_cast<std::size_t>(
      std::mismatch(a.begin(), a.end(), b.begin(), b.end()).first - a.begin());
  const std::size_t skipped = length > kBefore ? length - kBefore : 0;
  return {a.substr(skipped), b.substr(skipped)};
}

std::string first_difference(std::string_view theirs, std::string_view ours) {
  for (std::size_t number = 1; !theirs.empty() || !ours.empty(); ++number) {
    const std::string_view a = next_line(theirs);
    const std::string_view b = next_line(ours);
    if (a == b) continue;
    const auto [there, here] = from_difference(a, b);
    return fmt::format("line {} has {} instead of {}", number, shown(there), shown(here));
  }
  return "the end differs";
}

}  // namespace

ExportCheck::ExportCheck(const fs::path& path) {
  base::require(fs::exists(path), "path", path.string(),
                "no such directory or file: give the output of `duets study export`");
  is_directory_ = fs::is_directory(path);
  if (is_directory_) {
    read_directory(path);
  } else {
    texts_.emplace(kJournalFile, read_whole_file(path));
  }
}

void ExportCheck::read_directory(const fs::path& directory) {
  base::require(fs::exists(directory / kJournalFile) || fs::exists(directory / kDigestsFile),
                "path", directory.string(),
                "has no journal.bin: give a directory that `duets study export` wrote");
  read_folder(directory, "");
  read_digests();
  for (const std::string_view name : kExportFiles) {
    if (name == kDigestsFile) continue;
    const bool always = name != kTrialsFile && !name.starts_with(kFigures);
    const bool wanted = always || digests_.contains(name);
    if (text(name) == nullptr && wanted) set_wrong(name, "is missing");
    if (text(name) != nullptr && has_digests_ && !agrees_with_digest(name)) {
      set_wrong(name, digests_.contains(name)
                          ? "does not match its digest in digests.txt: it was changed"
                          : "is not in digests.txt: it was added");
    }
  }
}

void ExportCheck::read_folder(const fs::path& folder, const std::string& prefix) {
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    const std::string name = prefix + entry.path().filename().string();
    if (is_export_file(name) && entry.is_regular_file()) {
      texts_.emplace(name, read_whole_file(entry.path()));
    } else if (name + "/" == kFigures && entry.is_directory()) {
      read_folder(entry.path(), std::string(kFigures));
    } else {
      set_wrong(name, "is not a file of an export: remove it");
    }
  }
}

void ExportCheck::read_digests() {
  const std::string* list = text(kDigestsFile);
  if (list == nullptr) return set_wrong(kDigestsFile, "is missing");
  try {
    digests_ = parse_digests(*list);
    has_digests_ = true;
    set_checked(kDigestsFile, "matches its own digest", "");
  } catch (const base::Error& error) {
    set_wrong(kDigestsFile, error.what());
  }
  for (const auto& [name, digest] : digests_) {
    if (!is_export_file(name)) set_wrong(kDigestsFile, "lists a file that no export has: " + name);
  }
}

const std::string* ExportCheck::text(std::string_view name) const {
  const auto found = texts_.find(name);
  return found == texts_.end() ? nullptr : &found->second;
}

bool ExportCheck::agrees_with_digest(std::string_view name) const {
  const auto listed = digests_.find(name);
  return listed != digests_.end() && listed->second == digest_text(*text(name));
}

void ExportCheck::set_wrong(std::string_view name, const std::string& what) {
  FileVerdict& verdict = verdicts_[std::string(name)];
  if (verdict.wrong.empty()) verdict.wrong = what;
}

void ExportCheck::set_checked(std::string_view name, const std::string& checked,
                              const std::string& only_by_digest) {
  FileVerdict& verdict = verdicts_[std::string(name)];
  verdict.checked = checked;
  verdict.only_by_digest = only_by_digest;
}

// The difference says more than a digest that does not match.
void ExportCheck::compare_text(std::string_view name, std::string_view theirs,
                               std::string_view ours) {
  if (theirs == ours) return;
  std::string& wrong = verdicts_[std::string(name)].wrong;
  wrong = "differs from what journal.bin gives: " + first_difference(theirs, ours);
  if (has_digests_ && agrees_with_digest(name)) {
    wrong += "; digests.txt agrees with the file: both were changed, or another version wrote them";
  }
}

void ExportCheck::compare(const FileTexts& tables) {
  if (!is_directory_) return;
  for (const auto& [name, ours] : tables) {
    const std::string* theirs = text(name);
    if (theirs == nullptr) {
      set_wrong(name, "is missing");
      continue;
    }
    const bool is_manifest = name == kManifestFile;
    if (is_manifest) {
      compare_text(name, without_build(*theirs), without_build(ours));
    } else {
      compare_text(name, *theirs, ours);
    }
    if (!is_manifest && *theirs == ours && has_digests_ && !agrees_with_digest(name)) {
      verdicts_[name].wrong.clear();
      set_wrong(kDigestsFile,
                fmt::format("has another digest for {}, which matches journal.bin", name));
    }
    set_checked(name, kMadeAgain, is_manifest ? "\"build\"" : "");
  }
  set_checked("study.toml", "the study file in journal.bin: the same bytes",
              "seed, [objective] and [coordinator], which are in no record");
}

void ExportCheck::compare_trials(const std::string& written_again) {
  compare_text(kTrialsFile, *text(kTrialsFile), written_again);
}

std::size_t num_wrong(const Verdicts& files) {
  return static_cast<std::size_t>(std::count_if(
      files.begin(), files.end(), [](const auto& file) { return !file.second.wrong.empty(); }));
}

void judge_journal(const protocol::Verification& verification, std::size_t num_answers,
                   ExportCheck& check) {
  const std::size_t made = verification.made_again.size();
  std::string checked =
      fmt::format("matches its checksum; {} records recomputed", verification.num_checked);
  if (num_answers > 0) {
    checked += fmt::format("; {} of {} messages of agents recomputed from {} answers", made,
                           verification.num_messages, num_answers);
  }
  std::string only = "clamped, variance_rank and variance_tolerance, which depend on the machine";
  if (made < verification.num_messages) {
    only += fmt::format(
        "; the rewards in {} messages of agents (--trials JOURNAL... compares them with the "
        "answers)",
        verification.num_messages - made);
  }
  check.set_checked(kJournalFile, checked, only);
}

void judge_trials(const std::vector<JournalTrial>& trials,
                  const protocol::Verification& verification, ExportCheck& check) {
  for (const protocol::Finding& finding : verification.findings) {
    if (finding.ok || !finding.from_answers) continue;
    check.set_wrong(kTrialsFile, fmt::format("does not match journal.bin: epoch {}: {}",
                                             base::value(finding.epoch), finding.what));
  }
  std::set<std::pair<std::uint32_t, std::uint32_t>> sent;
  for (const protocol::MadeAgain& message : verification.made_again) {
    if (message.has_rewards) sent.emplace(base::value(message.agent), base::value(message.epoch));
  }
  std::size_t num_values = 0;
  std::size_t num_sent = 0;
  for (const JournalTrial& trial : trials) {
    if (trial.kind == JournalTrial::Kind::kHole) continue;
    ++num_values;
    if (sent.contains({trial.query.agent, trial.query.epoch})) ++num_sent;
  }
  std::string only;
  if (num_sent < num_values) {
    only =
        fmt::format("{} of {} values, which are in no upload", num_values - num_sent, num_values);
  }
  check.set_checked(kTrialsFile,
                    fmt::format("{} trials; the points of {} recomputed; {} values give the "
                                "uploads in journal.bin to the bit",
                                trials.size(), verification.num_points, num_sent),
                    only);
}

}  // namespace duets::cli
