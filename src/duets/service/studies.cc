#include "duets/service/studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/secret.h"
#include "duets/service/study_difference.h"
#include "duets/service/wire_text.h"
#include "duets/storage/secret_file.h"

namespace duets::service {
namespace {

using storage::StorageError;

constexpr auto kTick = std::chrono::milliseconds(100);
/// Size limit of the records in one answer: well below the largest message.
constexpr std::size_t kMaxExportBytes = std::size_t{16} << 20;
constexpr std::uint64_t kExportStep = 256;

// The source of a secret's text, for errors.
constexpr const char* kSecretOptions = "--secret or --seed";

ServiceNote serving_now() { return {unix_seconds(), ServiceNote::kServing, {}}; }

bool is_secret_of(const std::string& text, const std::filesystem::path& file) {
  return parse_secret(text, kSecretOptions).public_coin().key() ==
         load_secret(file).public_coin().key();
}

std::filesystem::path made(const std::filesystem::path& storage) {
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

// Differences in the study file, except for the address and directories of the coordinator.
std::vector<FieldDifference> changed_fields(const Definition& there, const Definition& given) {
  // Printed again: a text of an earlier program may lack keys.
  std::vector<FieldDifference> differences =
      differing_fields(study::resolved_toml(*there.file), study::resolved_toml(*given.file));
  std::erase_if(differences, [](const FieldDifference& d) {
    return d.field == "coordinator.listen" || d.field == "coordinator.storage" ||
           d.field == "coordinator.tls";
  });
  return differences;
}

void require_same_study(const Definition& there, const Definition& given,
                        const std::vector<FieldDifference>& differences) {
  const base::Digest digest = protocol::study_digest(*there.study);
  const base::Digest given_digest = protocol::study_digest(*given.study);
  if (digest == given_digest) return;
  base::refuse("study.name", there.study->name,
               fmt::format("is used by another study: {}; choose another name or delete the old "
                           "one",
                           differences.empty()
                               ? fmt::format("its digest is {}, this one has {}",
                                             base::to_hex(digest), base::to_hex(given_digest))
                               : difference_text(differences)));
}

// The digest covers the model; this is the rest: the objective, and when an epoch ends.
bool is_beside_the_digest(const FieldDifference& d) {
  return d.field.starts_with("study.") || d.field.starts_with("objective.") ||
         d.field.starts_with("coordinator.");
}

}  // namespace

Studies::Studies(const std::filesystem::path& storage, HostOptions options,
                 const base::Executor& executor)
    : storage_(made(storage)),
      options_(std::move(options)),
      executor_(executor),
      store_(storage::open_store(store_path(storage_), storage::Access::kWrite)) {
  for (const std::string& name : store_->names()) open(name);
  ticker_ = std::thread([this] { tick_until_stopped(); });
}

Studies::~Studies() {
  {
    const std::lock_guard lock(tick_mutex_);
    stopping_ = true;
  }
  tick_wake_.notify_all();
  ticker_.join();
}

void Studies::open(const std::string& name) {
  StudyJournal journal(*store_, name);
  const std::filesystem::path file = secret_path(storage_, name);
  if (!std::filesystem::exists(file)) {
    throw StorageError(
        StorageError::Cause::kDamaged,
        fmt::format("{}: the secret of study \"{}\" is missing", file.string(), name));
  }
  hosts_[name] =
      std::make_shared<StudyHost>(journal.load(), load_secret(file), journal, options_, executor_);
}

// A study cannot be changed once it exists: agents rely on its definition.
void Studies::require_same(const StudyHost& host, const Definition& given,
                           const std::string& secret_text) const {
  const Definition& there = host.definition();
  const std::string& name = there.study->name;
  const std::vector<FieldDifference> differences = changed_fields(there, given);
  require_same_study(there, given, differences);
  const auto refuse = [&](const std::string& field, const std::string& now,
                          const std::string& before) {
    base::refuse(field, now,
                 fmt::format("study \"{}\" was created {} and cannot be changed; use the "
                             "old file or another name, or delete the study",
                             name, before));
  };
  for (const FieldDifference& d : differences) {
    if (!is_beside_the_digest(d)) continue;
    refuse(d.field, d.second.empty() ? "(not given)" : d.second,
           d.first.empty() ? "without it" : "with " + d.first);
  }
  if (secret_text.empty() || is_secret_of(secret_text, secret_path(storage_, name))) return;
  refuse(kSecretOptions, "(not shown)", "with another one");
}

bool Studies::create(const Definition& definition, const std::string& secret_text) {
  const std::lock_guard lock(mutex_);
  const std::string& name = definition.study->name;
  const auto found = hosts_.find(name);
  if (found != hosts_.end()) {
    require_same(*found->second, definition, secret_text);
    return false;
  }
  // The secret first: a study without one could not be opened again. A secret without a study is
  // left over from a crash between the two steps, or its study was lost: it is used, not replaced.
  const std::filesystem::path file = secret_path(storage_, name);
  if (!std::filesystem::exists(file)) {
    const std::string text = secret_text.empty() ? new_secret_text() : secret_text;
    parse_secret(text, kSecretOptions);
    storage::write_secret_file(file, text);
  } else {
    base::require(secret_text.empty() || is_secret_of(secret_text, file), kSecretOptions,
                  "(not shown)",
                  fmt::format("{} has a different one; move that file first", file.string()));
  }
  StudyJournal::create(*store_, definition, unix_seconds());
  open(name);
  if (serving_) hosts_[name]->note_service(serving_now());
  return true;
}

std::vector<std::string> Studies::names() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::string> names;
  for (const auto& [name, host] : hosts_) names.push_back(name);
  return names;
}

std::shared_ptr<StudyHost> Studies::find(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  if (name.empty() && hosts_.size() == 1) return hosts_.begin()->second;
  const auto found = hosts_.find(name);
  if (found != hosts_.end()) return found->second;
  std::vector<std::string> names;
  for (const auto& [known, host] : hosts_) names.push_back(known);
  base::refuse("study", name.empty() ? "(none)" : name.substr(0, 100),
               names.empty() ? "there is no study on this server"
                             : fmt::format("must be one of {}", fmt::join(names, ", ")));
}

void Studies::remove(const std::string& name) {
  const std::shared_ptr<StudyHost> host = find(name);
  const std::string& full = host->definition().study->name;
  base::require(host->state() != v1::STUDY_STATE_RUNNING, "study", full,
                "is running; stop it before deleting it");
  base::require(host->becomes_idle(), "study", full, "is still computing; try again in a moment");
  // The worker ends before its journal is removed: the name stays in use until both are gone.
  host->shut_down();
  const std::lock_guard lock(mutex_);
  store_->remove(full);
  hosts_.erase(full);
  std::filesystem::remove(secret_path(storage_, full));
}

void Studies::begin_service() {
  const std::lock_guard lock(mutex_);
  serving_ = true;
  for (const auto& [name, host] : hosts_) host->note_service(serving_now());
}

void Studies::end_service(const std::string& how, const std::string& why) {
  const std::lock_guard lock(mutex_);
  if (!std::exchange(serving_, false)) return;
  const ServiceNote note{unix_seconds(), how, clean_text(why)};
  for (const auto& [name, host] : hosts_) host->note_service(note);
}

void Studies::shut_down() {
  std::map<std::string, std::shared_ptr<StudyHost>> hosts;
  {
    const std::lock_guard lock(mutex_);
    hosts = hosts_;
  }
  for (const auto& [name, host] : hosts) host->shut_down();
}

Studies::Export Studies::stored(const std::string& name, std::uint64_t first) const {
  const std::shared_ptr<StudyHost> host = find(name);
  const std::string& full = host->definition().study->name;
  Export part{host->definition(), {}, true};
  std::size_t bytes = 0;
  while (bytes < kMaxExportBytes) {
    std::vector<base::Bytes> records =
        store_->entries(full, first + part.records.size(), kExportStep);
    if (records.empty()) {
      part.more = false;
      break;
    }
    for (base::Bytes& record : records) {
      if (bytes >= kMaxExportBytes) break;
      bytes += record.size();
      part.records.push_back(std::move(record));
    }
  }
  return part;
}

void Studies::tick_until_stopped() {
  std::unique_lock lock(tick_mutex_);
  while (!tick_wake_.wait_for(lock, kTick, [this] { return stopping_; })) {
    lock.unlock();
    std::vector<std::shared_ptr<StudyHost>> hosts;
    {
      const std::lock_guard hosts_lock(mutex_);
      for (const auto& [name, host] : hosts_) hosts.push_back(host);
    }
    for (const auto& host : hosts) host->tick();
    hosts.clear();
    lock.lock();
  }
}

}  // namespace duets::service
