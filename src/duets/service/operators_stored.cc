// Operators on the files of a storage directory.
#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "duets/base/error.h"
#include "duets/protocol/guarantee.h"
#include "duets/service/answer_journal.h"
#include "duets/service/lease_table.h"
#include "duets/service/operators.h"
#include "duets/service/secret.h"
#include "duets/service/studies.h"
#include "duets/service/study_board.h"
#include "duets/service/study_status.h"

namespace duets::service {
namespace {

using storage::Access;
using storage::StorageError;

/// Nothing when the records of a failed study cannot be replayed: that may be why it failed.
std::optional<protocol::Coordinator> replayed(const StoredStudy& stored,
                                              const random::StudySecret& secret,
                                              const base::Executor& executor) {
  try {
    return protocol::Coordinator::replay(stored.definition.study, secret, executor, stored.records);
  } catch (const base::Error&) {
    if (stored.state != v1::STUDY_STATE_FAILED) throw;
    return std::nullopt;
  }
}

class StoredOperators final : public Operators {
 public:
  StoredOperators(std::filesystem::path storage, std::shared_ptr<const base::Executor> executor)
      : storage_(std::move(storage)), file_(store_path(storage_)), executor_(std::move(executor)) {}

  // The list needs no replay.
  std::vector<v1::StudyStatus> list() override {
    const bool had_writer = storage::has_writer(file_);
    std::vector<v1::StudyStatus> statuses;
    for (const std::string& name : storage::open_store(file_, Access::kRead)->names()) {
      const StoredStudy stored = read(name);
      v1::StudyStatus status = board_of(stored)->status(unix_seconds());
      const std::uint32_t epoch = stored.epochs.empty() ? 0 : stored.epochs.rbegin()->first;
      status.set_epoch(epoch);
      if (epoch > 0) {
        status.set_epoch_length(protocol::lengths(*stored.definition.study).at(epoch - 1));
      }
      statuses.push_back(with_facts(std::move(status), stored, had_writer));
    }
    return statuses;
  }

  v1::StudyStatus status(const std::string& study) override {
    const bool had_writer = storage::has_writer(file_);
    const StoredStudy stored = read(study);
    const Definition& definition = stored.definition;
    const random::StudySecret secret = load_secret(secret_path(storage_, definition.study->name));
    const std::unique_ptr<StudyBoard> board = board_of(stored);
    for (const base::Bytes& record : stored.records) board->show(protocol::decode_record(record));
    if (const auto coordinator = replayed(stored, secret, *executor_)) {
      board->show(*coordinator, secret, stored.state);
    }
    v1::StudyStatus status = with_facts(board->status(unix_seconds()), stored, had_writer);
    status.set_guarantee(
        protocol::guarantee_of(*definition.study, status.complete_participation()));
    board->add_agents(leases_of(stored), 1, status);
    derive(status);
    return status;
  }

  Definition definition(const std::string& study) override { return read(study).definition; }

  ExportedStudy exported(const std::string& study) override {
    StoredStudy stored = read(study);
    return {std::move(stored.definition), std::move(stored.records)};
  }

  bool create(const Definition& definition) override {
    bool made = false;
    changing([&] { made = Studies(storage_, {}, *executor_).create(definition, {}); });
    return made;
  }

  void stop(const std::string& study) override {
    require_store();
    changing([&] {
      const auto store = storage::open_store(file_, Access::kWrite);
      StudyJournal journal(*store, full_name(*store, study));
      const v1::StudyState state = journal.load().state;
      base::require(state == v1::STUDY_STATE_RUNNING, "study", journal.name(),
                    fmt::format("is {}, not running", word_of(state)));
      journal.set_state(v1::STUDY_STATE_STOPPED);
    });
  }

  void extend(const std::string& study, std::uint32_t horizon) override {
    require_store();
    changing([&] {
      const auto store = storage::open_store(file_, Access::kWrite);
      StudyJournal journal(*store, full_name(*store, study));
      const StoredStudy stored = journal.load();
      base::require(
          stored.state == v1::STUDY_STATE_FINISHED, "study", journal.name(),
          fmt::format("is {}; a study is extended when it is finished", word_of(stored.state)));
      const Definition& before = stored.definition;
      journal.extend(with_study(before, protocol::extended(*before.study, horizon)));
    });
  }

  void remove(const std::string& study) override {
    require_store();
    changing([&] {
      const auto store = storage::open_store(file_, Access::kWrite);
      const std::string full = full_name(*store, study);
      base::require(StudyJournal(*store, full).load().state != v1::STUDY_STATE_RUNNING, "study",
                    full, "is running; stop it before deleting it");
      store->remove(full);
      std::filesystem::remove(secret_path(storage_, full));
    });
  }

 private:
  static std::string full_name(const storage::Store& store, const std::string& name) {
    const std::vector<std::string> names = store.names();
    if (name.empty() && names.size() == 1) return names.front();
    base::require(std::ranges::find(names, name) != names.end(), "study",
                  name.empty() ? "(none)" : name,
                  names.empty() ? "there is no study in this storage"
                                : fmt::format("must be one of {}", fmt::join(names, ", ")));
    return name;
  }

  StoredStudy read(const std::string& study) const {
    const auto store = storage::open_store(file_, Access::kRead);
    return StudyJournal(*store, full_name(*store, study)).load();
  }

  static LeaseTable leases_of(const StoredStudy& stored) {
    LeaseTable leases(stored.definition.study->agents, 0);
    if (!stored.leases.empty()) leases.load(stored.leases, 0);
    return leases;
  }

  static std::unique_ptr<StudyBoard> board_of(const StoredStudy& stored) {
    auto board = std::make_unique<StudyBoard>(stored.definition);
    board->show_policy(stored.policy);
    board->show_retired(leases_of(stored).retired());
    for (const auto& [epoch, note] : stored.epochs) board->show_note(epoch, note);
    board->show_traffic(stored.traffic);
    board->show_state(stored.state);
    board->show_problem(stored.problem);
    if (stored.service) board->show_end(*stored.service);
    return board;
  }

  // A writer that came or went during the read counts as serving: its end may have been stored
  // after the read.
  v1::StudyStatus with_facts(v1::StudyStatus status, const StoredStudy& stored,
                             bool had_writer) const {
    status.set_served(had_writer || storage::has_writer(file_));
    if (status.served()) status.clear_ended();
    status.set_local(std::filesystem::exists(answers_path(storage_)));
    status.set_created(stored.created_unix);
    return status;
  }

  // Opening for writing would create an empty store.
  void require_store() const {
    base::require(std::filesystem::exists(file_), "--storage", storage_.string(), "has no studies");
  }

  template <class Change>
  static void changing(const Change& change) {
    try {
      change();
    } catch (const StorageError& error) {
      if (error.cause() != StorageError::Cause::kLocked) throw;
      throw StorageError(
          StorageError::Cause::kLocked,
          fmt::format("{}; a coordinator runs there: use --server HOST:PORT", error.what()));
    }
  }

  const std::filesystem::path storage_;
  const std::filesystem::path file_;
  const std::shared_ptr<const base::Executor> executor_;
};

}  // namespace

void Operators::refuse(const std::string& study, const char* what) {
  base::refuse("study", study,
               fmt::format("{} by a running coordinator; use --server HOST:PORT", what));
}

std::unique_ptr<Operators> stored_operators(const std::filesystem::path& storage,
                                            std::shared_ptr<const base::Executor> executor) {
  return std::make_unique<StoredOperators>(storage, std::move(executor));
}

}  // namespace duets::service
