// An operator's actions on studies: on a running coordinator, or in a storage directory.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "duets/base/error.h"
#include "duets/base/executor.h"
#include "duets/service/definition.h"
#include "duets/service/export_file.h"
#include "duets/service/study_journal.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

class Link;

/// An empty name means the only study. All throw base::Error: kInvalid for an unknown study, with
/// the names of the known ones. Not thread-safe.
class Operators {
 public:
  virtual ~Operators() = default;

  /// Without agents and epochs.
  virtual std::vector<v1::StudyStatus> list() = 0;
  virtual v1::StudyStatus status(const std::string& study) = 0;
  virtual Definition definition(const std::string& study) = 0;
  /// Everything stored about a study except its secret.
  virtual ExportedStudy exported(const std::string& study) = 0;

  /// Creates the study and returns true; false when the same study exists. kInvalid when the name
  /// is used by another study.
  virtual bool create(const Definition& definition) = 0;
  virtual void stop(const std::string& study) = 0;
  /// Also removes its secret. Only when it is not running.
  virtual void remove(const std::string& study) = 0;
  /// More queries for a study that is over, `horizon` of each agent in all. Only on files: kInvalid
  /// for a coordinator, which has to be started again to know of it, for a study that is not
  /// finished, and for a horizon that is not larger than the queries so far.
  virtual void extend(const std::string& study, std::uint32_t /*horizon*/) {
    base::refuse("study", study,
                 "is extended where it is stored: stop the coordinator, use --storage, and start "
                 "it again");
  }

  // Decisions of a running coordinator; kInvalid without one.
  virtual void close_epoch(const v1::CloseEpochRequest& request) {
    refuse(request.study(), "an epoch is closed");
  }
  virtual void retire_agent(const v1::RetireAgentRequest& request) {
    refuse(request.study(), "an agent is retired");
  }
  virtual void set_policy(const v1::SetPolicyRequest& request) {
    refuse(request.study(), "quorum and deadline are changed");
  }

 private:
  /// `what` happens by a running coordinator alone.
  [[noreturn]] static void refuse(const std::string& study, const char* what);
};

/// Calls a coordinator over the link.
std::unique_ptr<Operators> remote_operators(std::shared_ptr<Link> link);

/// Works on the files of a storage directory, with or without a running coordinator. For a running
/// study it knows who holds each agent, but not who is alive. Changes throw kStorage (locked) while
/// a coordinator runs there.
std::unique_ptr<Operators> stored_operators(const std::filesystem::path& storage,
                                            std::shared_ptr<const base::Executor> executor);

}  // namespace duets::service
