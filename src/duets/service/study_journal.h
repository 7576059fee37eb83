// One study in the coordinator's store: the meaning of its facts and entries.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "duets/protocol/coordinator.h"
#include "duets/service/definition.h"
#include "duets/storage/store.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// When an epoch opened and closed (seconds since 1970), and why it closed.
struct EpochNote {
  double opened_unix = 0;
  double closed_unix = 0;  ///< 0: open
  std::string why;  ///< complete, deadline, operator, retired, or whose results were left out
};

/// Notes the epochs that open and close with these effects. `why`: of an epoch that closes without
/// all agents, unless results were left out.
void note_epochs(const protocol::Effects& effects, std::uint32_t agents, double now,
                 const std::string& why, std::map<std::uint32_t, EpochNote>& notes);

/// That a coordinator serves the study, or how the last one ended. One that is killed has no time
/// to store its end and leaves kServing. No record has it: the run does not depend on it.
struct ServiceNote {
  static constexpr const char* kServing = "serving";

  double unix = 0;  ///< seconds since 1970
  std::string how;  ///< kServing, or its end in a few words
  std::string why;  ///< may be empty
};

/// The facts "epochs", "traffic", "policy" and "service". Decoding throws kDecode for bytes that
/// encoding cannot have written.
base::Bytes encode_epochs(const std::map<std::uint32_t, EpochNote>& epochs);
std::map<std::uint32_t, EpochNote> decode_epochs(std::span<const std::uint8_t> bytes);
base::Bytes encode_traffic(const v1::Traffic& traffic);
v1::Traffic decode_traffic(std::span<const std::uint8_t> bytes);
base::Bytes encode_policy(const ClosePolicy& policy);
ClosePolicy decode_policy(std::span<const std::uint8_t> bytes);
base::Bytes encode_service(const ServiceNote& note);
ServiceNote decode_service(std::span<const std::uint8_t> bytes);

/// Everything stored about a study except its secret.
struct StoredStudy {
  Definition definition;
  ClosePolicy policy;  ///< in force: the definition's until an operator changes it
  v1::StudyState state = v1::STUDY_STATE_RUNNING;
  std::string problem;  ///< the reason, when it has failed
  double created_unix = 0;
  base::Bytes leases;  ///< empty: none yet
  std::map<std::uint32_t, EpochNote> epochs;
  v1::Traffic traffic;
  std::optional<ServiceNote> service;  ///< nothing: never served
  std::vector<base::Bytes> records;
};

/// The journal of one study in a store that outlives it.
class StudyJournal {
 public:
  StudyJournal(storage::Store& store, std::string name);

  /// A new study without records.
  static StudyJournal create(storage::Store& store, const Definition& definition,
                             double created_unix);

  const std::string& name() const { return name_; }
  /// Throws StorageError kDamaged for facts that are missing or cannot be read.
  StoredStudy load() const;

  /// Appends the records of one effect with the facts that belong to them: all or nothing.
  void append(const std::vector<protocol::Record>& records,
              const std::map<std::uint32_t, EpochNote>& epochs, const v1::Traffic& traffic,
              v1::StudyState state);
  void set_leases(const base::Bytes& leases);
  void set_state(v1::StudyState state);
  /// Of the same study: it was extended or is ending early, or what the run does not depend on has
  /// changed.
  void set_definition(const Definition& definition);
  /// A study that was over is extended, and runs again.
  void extend(const Definition& definition);
  void set_policy(const ClosePolicy& policy);
  void set_service(const ServiceNote& note);
  /// Sets the state kFailed and the reason.
  void set_failed(const std::string& problem);

 private:
  storage::Store& store_;
  std::string name_;
};

/// The file of a study's secret in a storage directory.
std::filesystem::path secret_path(const std::filesystem::path& storage, const std::string& study);
/// The store of a storage directory.
std::filesystem::path store_path(const std::filesystem::path& storage);

}  // namespace duets::service
