// Where commands find studies: on a running coordinator, or in its storage directory.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/peer.h"
#include "duets/service/definition.h"
#include "duets/service/study_status.h"

namespace duets::cli {

/// Everything that is kept of a study but its secret.
struct StudyExport {
  service::Definition definition;
  std::vector<base::Bytes> records;  ///< protocol::encode_record
};

/// Empty names mean the only study. Not thread-safe.
class StudySource {
 public:
  virtual ~StudySource() = default;
  virtual std::vector<service::StudyStatus> list() = 0;
  virtual service::StudyStatus status(const std::string& name) = 0;
  virtual service::Definition definition(const std::string& name) = 0;
  virtual StudyExport exported(const std::string& name) = 0;

  /// Makes the study: true; false when the same one is there. kInvalid when the name is taken by
  /// another.
  virtual bool create(const service::Definition& definition) = 0;
  virtual void stop(const std::string& name) = 0;
  virtual void remove(const std::string& name) = 0;
  virtual void close_epoch(const std::string& name, std::uint32_t epoch) = 0;
  virtual void retire_agent(const std::string& name, std::uint32_t agent) = 0;
  /// Empty: as it is.
  virtual void set_policy(const std::string& name, std::optional<std::uint32_t> quorum,
                          std::optional<double> deadline) = 0;
};

struct SourceFlags {
  PeerFlags peer;
  std::string storage;
};

/// A source at peer.server or in `storage`; kInvalid unless exactly one is given. In a storage
/// directory everything that changes a study needs that no coordinator runs there: kStorage with a
/// hint otherwise.
std::unique_ptr<StudySource> open_source(const SourceFlags& flags, service::Log log);

}  // namespace duets::cli
