// What an operator can do with studies: on a running coordinator, or in a storage directory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "duets/base/executor.h"
#include "duets/service/definition.h"
#include "duets/service/export_file.h"
#include "duets/service/study_journal.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

class Link;

/// An empty name means the only study. All throw base::Error: kInvalid for a study that is not
/// there, naming those there are. Not thread-safe.
class Operators {
 public:
  virtual ~Operators() = default;

  /// Without agents and epochs.
  virtual std::vector<v1::StudyStatus> list() = 0;
  virtual v1::StudyStatus status(const std::string& study) = 0;
  virtual Definition definition(const std::string& study) = 0;
  /// Everything that is kept of it but its secret.
  virtual ExportedStudy exported(const std::string& study) = 0;

  /// Makes the study: true; false when the same one is there. kInvalid when the name is taken by
  /// another.
  virtual bool create(const Definition& definition) = 0;
  virtual void stop(const std::string& study) = 0;
  /// With its secret. Only when it is not running.
  virtual void remove(const std::string& study) = 0;

  // What only a running coordinator decides; kInvalid where there is none.
  virtual void close_epoch(const v1::CloseEpochRequest& request);
  virtual void retire_agent(const v1::RetireAgentRequest& request);
  virtual void set_policy(const v1::SetPolicyRequest& request);
};

/// By calls over the link.
std::unique_ptr<Operators> remote_operators(std::shared_ptr<Link> link);

/// On the files of a storage directory, beside a coordinator or without one. Of a running study it
/// is known who holds which agent, not who is alive. Whatever changes a study throws kStorage
/// (locked) while a coordinator runs there.
std::unique_ptr<Operators> stored_operators(const std::filesystem::path& storage,
                                            std::shared_ptr<const base::Executor> executor);

}  // namespace duets::service
