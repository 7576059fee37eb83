#include "duets/service/stored_study.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "duets/base/error.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/lease_table.h"
#include "duets/service/secret.h"
#include "duets/service/study_board.h"

namespace duets::service {
namespace {

std::string full_name(const storage::Store& store, const std::string& name) {
  const std::vector<std::string> names = store.names();
  if (name.empty() && names.size() == 1) return names.front();
  base::require(std::find(names.begin(), names.end(), name) != names.end(), "study",
                name.empty() ? "(none)" : name,
                names.empty() ? "there is no study in this storage"
                              : fmt::format("must be one of {}", fmt::join(names, ", ")));
  return name;
}

/// Nothing when the records of a study that has failed cannot be replayed: that may be why.
std::optional<protocol::Coordinator> replayed(const StoredStudy& stored,
                                              const random::StudySecret& secret,
                                              const base::Executor& executor) {
  try {
    return protocol::Coordinator::replay(stored.definition.study, secret, executor, stored.records);
  } catch (const base::Error&) {
    if (stored.state != StudyState::kFailed) throw;
    return std::nullopt;
  }
}

}  // namespace

std::vector<std::string> stored_names(const std::filesystem::path& storage) {
  return storage::open_store(store_path(storage), storage::Access::kRead)->names();
}

StoredStudy read_stored(const std::filesystem::path& storage, const std::string& name) {
  const auto store = storage::open_store(store_path(storage), storage::Access::kRead);
  return StudyJournal(*store, full_name(*store, name)).load();
}

StudyStatus stored_status(const std::filesystem::path& storage, const std::string& name,
                          const base::Executor& executor) {
  const StoredStudy stored = read_stored(storage, name);
  const Definition& definition = stored.definition;
  const protocol::Study& study = *definition.study;
  const random::StudySecret secret = load_secret(secret_path(storage, study.name));
  const auto coordinator = replayed(stored, secret, executor);
  LeaseTable leases(study.agents, 0);
  if (!stored.leases.empty()) leases.load(stored.leases, 0);
  StudyBoard board(definition);
  board.show_policy(stored.policy);
  board.show_retired(leases.retired());
  for (const base::Bytes& record : stored.records) board.show(protocol::decode_record(record));
  for (const auto& [epoch, note] : stored.epochs) board.show_note(epoch, note);
  board.show_traffic(stored.traffic);
  board.show_state(stored.state);
  if (coordinator) board.show(*coordinator, secret, stored.state);
  board.show_problem(stored.problem);

  StudyStatus status = board.status(unix_seconds());
  status.served = storage::has_writer(store_path(storage));
  status.created_unix = stored.created_unix;
  status.guarantee = protocol::guarantee_of(study, status.complete_participation);
  for (std::uint32_t agent = 0; agent < study.agents; ++agent) {
    AgentStatus line = leases.status(agent, status.epoch, 1);
    line.uploaded = board.uploaded(agent);
    line.epochs_excluded =
        static_cast<std::uint32_t>(status.epochs.size()) - board.epochs_taken_part(agent);
    status.agent_status.push_back(std::move(line));
  }
  return status;
}

void stop_stored(const std::filesystem::path& storage, const std::string& name) {
  const auto store = storage::open_store(store_path(storage), storage::Access::kWrite);
  StudyJournal journal(*store, full_name(*store, name));
  const StudyState state = journal.load().state;
  base::require(state == StudyState::kRunning, "study", journal.name(),
                fmt::format("is {}, not running", base::name_of(state)));
  journal.set_state(StudyState::kStopped);
}

void delete_stored(const std::filesystem::path& storage, const std::string& name) {
  const auto store = storage::open_store(store_path(storage), storage::Access::kWrite);
  const std::string full = full_name(*store, name);
  base::require(StudyJournal(*store, full).load().state != StudyState::kRunning, "study", full,
                "is running; stop it before deleting it");
  store->remove(full);
  std::filesystem::remove(secret_path(storage, full));
}

}  // namespace duets::service
