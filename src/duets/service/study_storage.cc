#include "duets/service/study_storage.h"

#include <fmt/format.h>

#include <algorithm>

#include "duets/base/error.h"
#include "duets/service/secret.h"
#include "duets/service/study_board.h"
#include "duets/service/study_difference.h"
#include "duets/storage/secret_file.h"

namespace duets::service {
namespace {

using storage::StorageError;

// The source of a secret's text, for errors.
constexpr const char* kSecretOptions = "--secret or --seed";

bool is_secret_of(const std::string& text, const std::filesystem::path& file) {
  return parse_secret(text, kSecretOptions).public_coin().key() ==
         load_secret(file).public_coin().key();
}

std::vector<FieldDifference> changed_fields(const Definition& stored, const Definition& given,
                                            const std::vector<std::string_view>& allowed) {
  // Printed again: a text of an earlier program may lack keys.
  std::vector<FieldDifference> differences =
      differing_fields(study::resolved_toml(*stored.file), study::resolved_toml(*given.file));
  std::erase_if(differences, [&](const FieldDifference& d) {
    return std::ranges::find(allowed, d.field) != allowed.end();
  });
  return differences;
}

// The digest covers the model; this is the rest: the objective, and when an epoch ends.
bool is_beside_the_digest(const FieldDifference& d) {
  return d.field.starts_with("study.") || d.field.starts_with("objective.") ||
         d.field.starts_with("coordinator.");
}

}  // namespace

std::filesystem::path make_storage(const std::filesystem::path& storage) {
  std::error_code error;
  const bool fresh = std::filesystem::create_directories(storage, error);
  if (fresh && !error) {
    std::filesystem::permissions(storage, std::filesystem::perms::owner_all, error);
  }
  if (error) {
    throw StorageError(StorageError::Cause::kUnwritable,
                       fmt::format("{}: {}", storage.string(), error.message()));
  }
  return storage;
}

// The secret first: a study without one could not be opened again.
StudyJournal create_study(storage::Store& store, const std::filesystem::path& storage,
                          const Definition& definition, const std::string& secret_text) {
  const std::filesystem::path file = secret_path(storage, definition.study->name);
  if (!std::filesystem::exists(file)) {
    const std::string text = secret_text.empty() ? new_secret_text() : secret_text;
    parse_secret(text, kSecretOptions);
    storage::write_secret_file(file, text);
  } else {
    base::require(secret_text.empty() || is_secret_of(secret_text, file), kSecretOptions,
                  "(not shown)",
                  fmt::format("{} has a different one; move that file first", file.string()));
  }
  return StudyJournal::create(store, definition, unix_seconds());
}

random::StudySecret stored_secret(const std::filesystem::path& storage, const std::string& study) {
  const std::filesystem::path file = secret_path(storage, study);
  if (!std::filesystem::exists(file)) {
    throw StorageError(
        StorageError::Cause::kDamaged,
        fmt::format("{}: the secret of study \"{}\" is missing", file.string(), study));
  }
  return load_secret(file);
}

void require_same_study(const std::filesystem::path& storage, const Definition& stored,
                        const Definition& asked, const std::string& secret_text,
                        const StudyChanges& changes) {
  const bool is_older = protocol::has_digest(*stored.study, protocol::study_digest(*asked.study));
  const Definition given = is_older ? with_stages_of(stored, asked) : asked;
  const std::string& name = stored.study->name;
  const std::vector<FieldDifference> differences = changed_fields(stored, given, changes.allowed);
  const base::Digest digest = protocol::study_digest(*stored.study);
  const base::Digest given_digest = protocol::study_digest(*given.study);
  if (digest != given_digest) {
    base::refuse("study.name", name,
                 fmt::format("is used by another study: {}; {}",
                             differences.empty()
                                 ? fmt::format("its digest is {}, this one has {}",
                                               base::to_hex(digest), base::to_hex(given_digest))
                                 : difference_text(differences),
                             changes.way_out));
  }
  const auto refuse = [&](const std::string& field, const std::string& now,
                          const std::string& before) {
    base::refuse(field, now,
                 fmt::format("study \"{}\" was created {} and cannot be changed; {}", name, before,
                             changes.way_out));
  };
  for (const FieldDifference& d : differences) {
    if (!is_beside_the_digest(d)) continue;
    refuse(d.field, d.second.empty() ? "(not given)" : d.second,
           d.first.empty() ? "without it" : "with " + d.first);
  }
  if (secret_text.empty() || is_secret_of(secret_text, secret_path(storage, name))) return;
  refuse(kSecretOptions, "(not shown)", "with another one");
}

}  // namespace duets::service
