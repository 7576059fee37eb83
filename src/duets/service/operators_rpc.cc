// Both sides of an operator's calls: the gRPC service of a coordinator, and the Operators that call
// it.
#include <atomic>
#include <utility>

#include "duets/service/call_answer.h"
#include "duets/service/call_services.h"
#include "duets/service/link.h"
#include "duets/service/operators.h"
#include "duets/service/studies.h"
#include "duets/service/study_status.h"
#include "duets/service/wire.h"
#include "duets/service/wire_text.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {
namespace {

class OperatorsService final : public v1::Operators::CallbackService {
 public:
  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  OperatorsService(Studies& studies, bool insecure, Log log)
      : studies_(studies), insecure_(insecure), log_(std::move(log)) {}

  Reactor* CreateStudy(Context* context, const v1::CreateStudyRequest* request,
                       v1::CreateStudyReply* reply) override {
    return work("CreateStudy", context, [&] {
      const Definition definition = from_wire(request->definition());
      reply->set_made(studies_.create(definition, {}));
      *reply->mutable_study_digest() = to_wire(protocol::study_digest(*definition.study));
    });
  }
  Reactor* ListStudies(Context* context, const v1::ListStudiesRequest*,
                       v1::ListStudiesReply* reply) override {
    return work("ListStudies", context, [&] {
      for (const std::string& name : studies_.names()) {
        v1::StudyStatus& status = *reply->add_studies();
        status = studies_.find(name)->status();
        status.clear_agent_status();
        status.clear_closed_epochs();
        clean_texts(status);
      }
    });
  }
  Reactor* GetStatus(Context* context, const v1::GetStatusRequest* request,
                     v1::GetStatusReply* reply) override {
    return work("GetStatus", context, [&] {
      *reply->mutable_status() = studies_.find(request->study())->status();
      clean_texts(*reply->mutable_status());
    });
  }
  Reactor* StopStudy(Context* context, const v1::StopStudyRequest* request,
                     v1::StopStudyReply*) override {
    return work("StopStudy", context, [&] { studies_.find(request->study())->stop(); });
  }
  Reactor* DeleteStudy(Context* context, const v1::DeleteStudyRequest* request,
                       v1::DeleteStudyReply*) override {
    return work("DeleteStudy", context, [&] { studies_.remove(request->study()); });
  }
  Reactor* CloseEpoch(Context* context, const v1::CloseEpochRequest* request,
                      v1::CloseEpochReply*) override {
    return decide("CloseEpoch", context, *request, &StudyHost::close_epoch);
  }
  Reactor* RetireAgent(Context* context, const v1::RetireAgentRequest* request,
                       v1::RetireAgentReply*) override {
    return decide("RetireAgent", context, *request, &StudyHost::retire_agent);
  }
  Reactor* SetPolicy(Context* context, const v1::SetPolicyRequest* request,
                     v1::SetPolicyReply*) override {
    return decide("SetPolicy", context, *request, &StudyHost::set_policy);
  }
  Reactor* ExportStudy(Context* context, const v1::ExportStudyRequest* request,
                       v1::ExportStudyReply* reply) override {
    return work("ExportStudy", context, [&] {
      const Studies::Export part = studies_.stored(request->study(), request->first_record());
      if (request->first_record() == 0) *reply->mutable_definition() = to_wire(part.definition);
      for (const base::Bytes& record : part.records) {
        reply->add_records(record.data(), record.size());
      }
      reply->set_more(part.more);
    });
  }

 private:
  grpc::Status check(const Context& context) const {
    return insecure_ ? grpc::Status::OK : check_operator(context);
  }

  Reactor* work(const char* name, Context* context, const std::function<void()>& action) const {
    return answer({name, log_, context}, [&] {
      grpc::Status allowed = check(*context);
      if (allowed.ok()) action();
      return allowed;
    });
  }

  // For requests that the worker of a study executes.
  template <typename Request>
  Reactor* decide(const char* name, Context* context, const Request& request,
                  void (StudyHost::*decision)(const Request&, DecisionDone)) const {
    return answer_later({name, log_, context}, [&](const Finish& finish) {
      grpc::Status allowed = check(*context);
      if (allowed.ok()) ((*studies_.find(request.study())).*decision)(request, finish);
      return allowed;
    });
  }

  Studies& studies_;
  bool insecure_;
  Log log_;
};

class RemoteOperators final : public Operators {
 public:
  explicit RemoteOperators(std::shared_ptr<Link> link)
      : link_(std::move(link)), stub_(link_->channel()) {}

  std::vector<v1::StudyStatus> list() override {
    v1::ListStudiesReply reply =
        call("list the studies", &Stub::ListStudies, v1::ListStudiesRequest());
    for (v1::StudyStatus& status : *reply.mutable_studies()) check(status);
    return {reply.studies().begin(), reply.studies().end()};
  }
  v1::StudyStatus status(const std::string& study) override {
    v1::StudyStatus status =
        call("get the status", &Stub::GetStatus, named<v1::GetStatusRequest>(study)).status();
    check(status);
    return status;
  }
  Definition definition(const std::string& study) override {
    return from_wire(part_of(study, 0).definition());
  }
  ExportedStudy exported(const std::string& study) override {
    v1::ExportStudyReply part = part_of(study, 0);
    ExportedStudy all{from_wire(part.definition()), {}};
    while (true) {
      for (const std::string& record : part.records()) {
        all.records.emplace_back(record.begin(), record.end());
      }
      if (!part.more()) return all;
      part = part_of(study, static_cast<std::uint32_t>(all.records.size()));
    }
  }
  bool create(const Definition& definition) override {
    v1::CreateStudyRequest request;
    *request.mutable_definition() = to_wire(definition);
    return call("create the study", &Stub::CreateStudy, request).made();
  }
  void stop(const std::string& study) override {
    call("stop the study", &Stub::StopStudy, named<v1::StopStudyRequest>(study));
  }
  void remove(const std::string& study) override {
    call("delete the study", &Stub::DeleteStudy, named<v1::DeleteStudyRequest>(study));
  }
  void close_epoch(const v1::CloseEpochRequest& request) override {
    call("close the epoch", &Stub::CloseEpoch, request);
  }
  void retire_agent(const v1::RetireAgentRequest& request) override {
    call("retire the agent", &Stub::RetireAgent, request);
  }
  void set_policy(const v1::SetPolicyRequest& request) override {
    call("set quorum and deadline", &Stub::SetPolicy, request);
  }

 private:
  using Stub = v1::Operators::Stub;

  template <typename Request>
  static Request named(const std::string& study) {
    Request request;
    request.set_study(study);
    return request;
  }

  template <typename Request, typename Reply>
  Reply call(const char* what,
             grpc::Status (Stub::*method)(grpc::ClientContext*, const Request&, Reply*),
             const Request& request) {
    Reply reply;
    const auto attempt = [&](grpc::ClientContext& context) {
      return (stub_.*method)(&context, request, &reply);
    };
    link_->call(what, attempt, never_);
    return reply;
  }

  v1::ExportStudyReply part_of(const std::string& study, std::uint32_t first) {
    auto request = named<v1::ExportStudyRequest>(study);
    request.set_first_record(first);
    return call("export the study", &Stub::ExportStudy, request);
  }

  std::shared_ptr<Link> link_;
  Stub stub_;
  const std::atomic<bool> never_{false};
};

}  // namespace

std::unique_ptr<grpc::Service> operators_service(Studies& studies, bool insecure, Log log) {
  return std::make_unique<OperatorsService>(studies, insecure, std::move(log));
}

std::unique_ptr<Operators> remote_operators(std::shared_ptr<Link> link) {
  return std::make_unique<RemoteOperators>(std::move(link));
}

}  // namespace duets::service
