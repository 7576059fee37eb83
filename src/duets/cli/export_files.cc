#include "duets/cli/export_files.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"
#include "duets/cli/export_tables.h"
#include "duets/cli/participation_file.h"
#include "duets/cli/run_manifest.h"
#include "duets/harness/run_tables.h"
#include "duets/service/export_file.h"

namespace duets::cli {
namespace {

constexpr std::size_t kDigestDigits = 32;
constexpr std::string_view kGap = "  ";

std::string list_text(const FileTexts& digests) {
  std::string text = fmt::format("duets export {}\n", service::kExportVersion);
  for (const auto& [name, digest] : digests) text += fmt::format("{}{}{}\n", digest, kGap, name);
  return text + fmt::format("{}{}{}\n", digest_text(text), kGap, kDigestsFile);
}

}  // namespace

StudyExport read_journal(std::string_view bytes) {
  service::ExportedStudy study =
      service::decode_export({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
  return {std::move(study.definition), std::move(study.records)};
}

FileTexts tables_of(const StudyExport& study, std::span<const OwnFunction> functions,
                    const std::vector<double>& best_values) {
  const base::SerialExecutor executor;
  harness::RunResult result = result_of(study, functions, std::nullopt, executor).run;
  if (result.best_trial) result.best_trial->values = best_values;
  constexpr unsigned kThreads = 1;
  FileTexts files = result_files(result);
  files.emplace("study.toml", study.definition.toml);
  files.emplace("participation.toml",
                participation_toml(
                    protocol::summarise(*study.definition.study, study.records).participation()));
  files.emplace(kManifestFile, manifest_json(result, kThreads));
  return files;
}

// A JSON string cannot contain a line break, so this line is at the top level.
std::string_view without_build(std::string_view manifest) {
  return manifest.substr(0, manifest.find("\n  \"build\": {"));
}

std::string digest_text(std::string_view bytes) {
  return base::to_hex(
      base::digest_of({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()}));
}

std::string digests_text(const FileTexts& files) {
  FileTexts digests;
  for (const auto& [name, text] : files) digests.emplace(name, digest_text(text));
  return list_text(digests);
}

FileTexts parse_digests(std::string_view text) {
  FileTexts digests;
  for (std::string_view rest = text; !rest.empty();) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (line.size() <= kDigestDigits + kGap.size()) continue;
    digests.emplace(line.substr(kDigestDigits + kGap.size()), line.substr(0, kDigestDigits));
  }
  digests.erase(std::string(kDigestsFile));
  // Anything that was misread above is not written again.
  if (list_text(digests) != text) {
    throw base::Error(base::ErrorKind::kDecode,
                      "does not match its own digest, the last line: it was changed");
  }
  return digests;
}

}  // namespace duets::cli
