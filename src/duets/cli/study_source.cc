#include "duets/cli/study_source.h"

#include <algorithm>
#include <atomic>

#include "duets/base/error.h"
#include "duets/cli/stored_studies.h"
#include "duets/service/wire.h"

namespace duets::cli {
namespace {

class ServerSource final : public StudySource {
 public:
  ServerSource(const PeerFlags& peer, service::Log log)
      : link_(open_link(peer, "operator", std::move(log))) {}

  std::vector<service::StudyStatus> list() override {
    v1::ListStudiesReply reply;
    call("list the studies", [&](grpc::ClientContext& context) {
      return link_->operators().ListStudies(&context, {}, &reply);
    });
    std::vector<service::StudyStatus> statuses;
    for (const v1::StudyStatus& status : reply.studies()) {
      statuses.push_back(service::from_wire(status));
    }
    return statuses;
  }

  service::StudyStatus status(const std::string& name) override {
    v1::GetStatusRequest request;
    request.set_study(name);
    v1::GetStatusReply reply;
    call("ask for the status", [&](grpc::ClientContext& context) {
      return link_->operators().GetStatus(&context, request, &reply);
    });
    return service::from_wire(reply.status());
  }

  service::Definition definition(const std::string& name) override {
    return service::from_wire(part_of(name, 0).definition());
  }

  StudyExport exported(const std::string& name) override {
    v1::ExportStudyReply part = part_of(name, 0);
    StudyExport all{service::from_wire(part.definition()), {}};
    while (true) {
      for (const std::string& record : part.records()) {
        all.records.emplace_back(record.begin(), record.end());
      }
      if (!part.more()) return all;
      part = part_of(name, static_cast<std::uint32_t>(all.records.size()));
    }
  }

  bool create(const service::Definition& definition) override {
    const std::vector<service::StudyStatus> before = list();
    v1::CreateStudyRequest request;
    *request.mutable_definition() = service::to_wire(definition);
    v1::CreateStudyReply reply;
    call("make the study", [&](grpc::ClientContext& context) {
      return link_->operators().CreateStudy(&context, request, &reply);
    });
    return std::none_of(before.begin(), before.end(), [&](const service::StudyStatus& status) {
      return status.name == definition.study->name;
    });
  }

  void stop(const std::string& name) override {
    v1::StopStudyRequest request;
    request.set_study(name);
    v1::StopStudyReply reply;
    call("stop the study", [&](grpc::ClientContext& context) {
      return link_->operators().StopStudy(&context, request, &reply);
    });
  }

  void remove(const std::string& name) override {
    v1::DeleteStudyRequest request;
    request.set_study(name);
    v1::DeleteStudyReply reply;
    call("delete the study", [&](grpc::ClientContext& context) {
      return link_->operators().DeleteStudy(&context, request, &reply);
    });
  }

  void close_epoch(const std::string& name, std::uint32_t epoch) override {
    v1::CloseEpochRequest request;
    request.set_study(name);
    request.set_epoch(epoch);
    v1::CloseEpochReply reply;
    call("close the epoch", [&](grpc::ClientContext& context) {
      return link_->operators().CloseEpoch(&context, request, &reply);
    });
  }

  void retire_agent(const std::string& name, std::uint32_t agent) override {
    v1::RetireAgentRequest request;
    request.set_study(name);
    request.set_agent(agent);
    v1::RetireAgentReply reply;
    call("retire the agent", [&](grpc::ClientContext& context) {
      return link_->operators().RetireAgent(&context, request, &reply);
    });
  }

  void set_policy(const std::string& name, std::optional<std::uint32_t> quorum,
                  std::optional<double> deadline) override {
    v1::SetPolicyRequest request;
    request.set_study(name);
    if (quorum) request.set_quorum(*quorum);
    if (deadline) request.set_deadline(*deadline);
    v1::SetPolicyReply reply;
    call("set quorum and deadline", [&](grpc::ClientContext& context) {
      return link_->operators().SetPolicy(&context, request, &reply);
    });
  }

 private:
  void call(const std::string& what,
            const std::function<grpc::Status(grpc::ClientContext&)>& attempt) {
    link_->call(what, attempt, never_);
  }

  v1::ExportStudyReply part_of(const std::string& name, std::uint32_t first) {
    v1::ExportStudyRequest request;
    request.set_study(name);
    request.set_first_record(first);
    v1::ExportStudyReply reply;
    call("read the study", [&](grpc::ClientContext& context) {
      return link_->operators().ExportStudy(&context, request, &reply);
    });
    return reply;
  }

  std::shared_ptr<service::Link> link_;
  const std::atomic<bool> never_{false};
};

}  // namespace

std::unique_ptr<StudySource> open_source(const SourceFlags& flags, service::Log log) {
  base::require(flags.peer.server.empty() || flags.storage.empty(), "--storage", flags.storage,
                "give --server or --storage, not both");
  if (!flags.storage.empty()) return open_storage(flags.storage);
  base::require(!flags.peer.server.empty(), "--server", "(missing)",
                "give --server HOST:PORT of a coordinator, or --storage DIR of one");
  return std::make_unique<ServerSource>(flags.peer, std::move(log));
}

}  // namespace duets::cli
