#include "duets/service/studies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/study_storage.h"
#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

constexpr auto kTick = std::chrono::milliseconds(100);
/// Size limit of the records in one answer: well below the largest message.
constexpr std::size_t kMaxExportBytes = std::size_t{16} << 20;
constexpr std::uint64_t kExportStep = 256;

ServiceNote serving_now() { return {unix_seconds(), ServiceNote::kServing, {}}; }

// Where a coordinator listens and stores is no part of the study.
const StudyChanges& changes_allowed() {
  static const StudyChanges kChanges{
      {"coordinator.listen", "coordinator.storage", "coordinator.tls"},
      "use the old file or another name, or delete the study"};
  return kChanges;
}

}  // namespace

Studies::Studies(const std::filesystem::path& storage, HostOptions options,
                 const base::Executor& executor)
    : storage_(make_storage(storage)),
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
  hosts_[name] = std::make_shared<StudyHost>(journal.load(), stored_secret(storage_, name), journal,
                                             options_, executor_);
}

bool Studies::create(const Definition& definition, const std::string& secret_text) {
  const std::lock_guard lock(mutex_);
  const std::string& name = definition.study->name;
  const auto found = hosts_.find(name);
  if (found != hosts_.end()) {
    require_same_study(storage_, found->second->definition(), definition, secret_text,
                       changes_allowed());
    return false;
  }
  create_study(*store_, storage_, definition, secret_text);
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
