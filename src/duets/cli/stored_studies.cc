#include "duets/cli/stored_studies.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/harness/threads.h"
#include "duets/service/stored_study.h"
#include "duets/service/studies.h"
#include "duets/storage/store.h"

namespace duets::cli {
namespace {

using storage::StorageError;

class StorageSource final : public StudySource {
 public:
  explicit StorageSource(std::filesystem::path directory) : directory_(std::move(directory)) {}

  // What a list shows needs no replay.
  std::vector<service::StudyStatus> list() override {
    std::vector<service::StudyStatus> statuses;
    const bool served = storage::has_writer(service::store_path(directory_));
    for (const std::string& name : service::stored_names(directory_)) {
      const service::StoredStudy stored = service::read_stored(directory_, name);
      const protocol::Study& study = *stored.definition.study;
      service::StudyStatus status;
      status.name = name;
      status.state = stored.state;
      status.problem = stored.problem;
      status.served = served;
      status.agents = study.agents;
      status.horizon = study.horizon;
      status.epoch = stored.epochs.empty() ? 0 : stored.epochs.rbegin()->first;
      const std::vector<std::uint32_t> lengths = protocol::lengths(study);
      status.num_epochs = static_cast<std::uint32_t>(lengths.size());
      if (status.epoch > 0) status.epoch_length = lengths.at(status.epoch - 1);
      status.created_unix = stored.created_unix;
      statuses.push_back(std::move(status));
    }
    return statuses;
  }

  service::StudyStatus status(const std::string& name) override {
    return service::stored_status(directory_, name, executor_);
  }
  service::Definition definition(const std::string& name) override {
    return service::read_stored(directory_, name).definition;
  }
  StudyExport exported(const std::string& name) override {
    service::StoredStudy stored = service::read_stored(directory_, name);
    return {std::move(stored.definition), std::move(stored.records)};
  }

  bool create(const service::Definition& definition) override {
    bool made = false;
    changing([&] { made = service::Studies(directory_, {}, executor_).create(definition, {}); });
    return made;
  }
  void stop(const std::string& name) override {
    require_store();
    changing([&] { service::stop_stored(directory_, name); });
  }
  void remove(const std::string& name) override {
    require_store();
    changing([&] { service::delete_stored(directory_, name); });
  }
  void close_epoch(const std::string& /*name*/, std::uint32_t /*epoch*/) override {
    refuse_decision("an epoch is closed");
  }
  void retire_agent(const std::string& /*name*/, std::uint32_t /*agent*/) override {
    refuse_decision("an agent is retired");
  }
  void set_policy(const std::string& /*name*/, std::optional<std::uint32_t> /*quorum*/,
                  std::optional<double> /*deadline*/) override {
    refuse_decision("quorum and deadline are changed");
  }

 private:
  [[noreturn]] void refuse_decision(const std::string& what) const {
    base::refuse("--storage", directory_.string(),
                 what + " by a running coordinator; use --server HOST:PORT");
  }

  // Opening for writing would make an empty one.
  void require_store() const {
    base::require(std::filesystem::exists(service::store_path(directory_)), "--storage",
                  directory_.string(), "holds no studies");
  }

  template <class Change>
  void changing(const Change& change) const {
    try {
      change();
    } catch (const StorageError& error) {
      if (error.cause() != StorageError::Cause::kLocked) throw;
      throw StorageError(
          StorageError::Cause::kLocked,
          fmt::format("{}; a coordinator runs there: use --server HOST:PORT", error.what()));
    }
  }

  std::filesystem::path directory_;
  harness::ThreadExecutor executor_{harness::default_threads()};
};

}  // namespace

std::unique_ptr<StudySource> open_storage(const std::filesystem::path& directory) {
  return std::make_unique<StorageSource>(directory);
}

}  // namespace duets::cli
