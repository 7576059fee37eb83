#include "duets/service/call_services.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>
#include <grpcpp/grpcpp.h>

#include <utility>

#include "duets/base/error.h"
#include "duets/service/status_code.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using grpc::Status;
using grpc::StatusCode;

// TLS has checked that our authority signed the certificate; this reads whose it is.
std::optional<Identity> identity_of(const CallbackServerContext& context) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  if (names.size() != 1) return std::nullopt;
  return parse_identity({names.front().data(), names.front().size()});
}

Status check_agent(const CallbackServerContext& context, bool insecure, const std::string& study,
                   std::uint32_t agent) {
  if (insecure) return Status::OK;
  const auto identity = identity_of(context);
  if (!identity) return {StatusCode::UNAUTHENTICATED, "the certificate has no name of ours"};
  if (identity->may_act_as(study, agent)) return Status::OK;
  return {StatusCode::PERMISSION_DENIED,
          fmt::format("the certificate of \"{}\" does not cover agent {} of study \"{}\"",
                      common_name(*identity), agent, study)};
}

Status check_operator(const CallbackServerContext& context, bool insecure) {
  if (insecure) return Status::OK;
  const auto identity = identity_of(context);
  if (!identity) return {StatusCode::UNAUTHENTICATED, "the certificate has no name of ours"};
  if (identity->may_operate()) return Status::OK;
  return {StatusCode::PERMISSION_DENIED,
          fmt::format("\"{}\" is not an operator: make a certificate with `duets certs operator`",
                      common_name(*identity))};
}

/// "192.0.2.7:5123" of gRPC's "ipv4:192.0.2.7:5123" and "ipv6:%5B::1%5D:5123".
std::string address_of(const std::string& peer) {
  std::string address;
  const std::size_t scheme = peer.starts_with("ipv") ? peer.find(':') + 1 : 0;
  for (std::size_t i = scheme; i < peer.size(); ++i) {
    const std::string code = peer.substr(i, 3);
    const bool bracket = code == "%5B" || code == "%5D";
    address += !bracket ? peer[i] : code == "%5B" ? '[' : ']';
    if (bracket) i += 2;
  }
  return address;
}

/// A call that came in, until it is answered.
struct Call {
  const char* name;
  const Log& log;
  CallbackServerContext* context;
};

// Whoever is told to come back is not refused.
void tell_refused(const char* name, const Log& log, const std::string& peer, const Status& status) {
  if (status.ok() || status.error_code() == StatusCode::UNAVAILABLE || !log) return;
  log({.message = fmt::format("refused a call of {}: {}", name, status.error_message()),
       .level = LogLevel::kWarning,
       .cause = fmt::format("call {}, status {}", name, static_cast<int>(status.error_code())),
       .peer = address_of(peer)});
}

ServerUnaryReactor* finish(const Call& call, const Status& status) {
  tell_refused(call.name, call.log, call.context->peer(), status);
  ServerUnaryReactor* reactor = call.context->DefaultReactor();
  reactor->Finish(status);
  return reactor;
}

// Runs `work`, which returns a status or throws.
template <typename Work>
Status guarded(const Work& work) {
  try {
    return work();
  } catch (const std::exception& error) {
    return status_of(error);
  }
}

/// Answers a call; the context may be gone by then, the log is not.
using Finish = std::function<void(const Status&)>;

// `work` sees to it that the call is answered, unless it returns an error or throws one.
ServerUnaryReactor* answer_later(const Call& call, const std::function<Status(Finish)>& work) {
  ServerUnaryReactor* reactor = call.context->DefaultReactor();
  const Finish finish = [reactor, name = call.name, &log = call.log,
                         peer = call.context->peer()](const Status& status) {
    tell_refused(name, log, peer, status);
    reactor->Finish(status);
  };
  const Status status = guarded([&] { return work(finish); });
  if (!status.ok()) finish(status);
  return reactor;
}

}  // namespace

ServerUnaryReactor* AgentsService::Join(CallbackServerContext* context,
                                        const v1::JoinRequest* request, v1::JoinReply* reply) {
  return finish({"Join", log_, context}, guarded([&]() -> Status {
                  std::optional<Identity> identity;
                  if (!insecure_) {
                    identity = identity_of(*context);
                    if (!identity)
                      return {StatusCode::UNAUTHENTICATED, "the certificate has no name of ours"};
                  }
                  return studies_.find(request->study())->join(*request, identity, *reply);
                }));
}

ServerUnaryReactor* AgentsService::Fetch(CallbackServerContext* context,
                                         const v1::FetchRequest* request, v1::FetchReply* reply) {
  return answer_later({"Fetch", log_, context}, [&](const Finish& finish) {
    const v1::Caller& caller = request->caller();
    Status allowed = check_agent(*context, insecure_, caller.study(), caller.agent());
    if (!allowed.ok()) return allowed;
    studies_.find(caller.study())
        ->fetch(*request, [finish, reply](const Status& done, v1::FetchReply&& answer) {
          *reply = std::move(answer);
          finish(done);
        });
    return allowed;
  });
}

ServerUnaryReactor* AgentsService::Send(CallbackServerContext* context,
                                        const v1::SendRequest* request, v1::SendReply* reply) {
  return answer_later({"Send", log_, context}, [&](const Finish& finish) {
    const v1::Caller& caller = request->caller();
    Status allowed = check_agent(*context, insecure_, caller.study(), caller.agent());
    if (!allowed.ok()) return allowed;
    studies_.find(caller.study())
        ->send(*request, [finish, reply](const Status& done, v1::SendReply&& answer) {
          *reply = std::move(answer);
          finish(done);
        });
    return allowed;
  });
}

ServerUnaryReactor* AgentsService::Beat(CallbackServerContext* context,
                                        const v1::BeatRequest* request, v1::BeatReply* reply) {
  return finish({"Beat", log_, context}, guarded([&] {
                  // A beat of nobody would be a way to look at a study without a name.
                  if (request->progress().empty()) {
                    return Status(StatusCode::INVALID_ARGUMENT, "progress: of at least one agent");
                  }
                  for (const v1::Progress& progress : request->progress()) {
                    Status allowed =
                        check_agent(*context, insecure_, request->study(), progress.agent());
                    if (!allowed.ok()) return allowed;
                  }
                  return studies_.find(request->study())->beat(*request, *reply);
                }));
}

ServerUnaryReactor* AgentsService::Leave(CallbackServerContext* context,
                                         const v1::LeaveRequest* request, v1::LeaveReply*) {
  return finish({"Leave", log_, context}, guarded([&] {
                  const v1::Caller& caller = request->caller();
                  Status allowed = check_agent(*context, insecure_, caller.study(), caller.agent());
                  if (!allowed.ok()) return allowed;
                  return studies_.find(caller.study())->leave(*request);
                }));
}

ServerUnaryReactor* OperatorsService::answer(const char* call, CallbackServerContext* context,
                                             const std::function<void()>& work) const {
  return finish({call, log_, context}, guarded([&]() -> Status {
                  Status allowed = check_operator(*context, insecure_);
                  if (allowed.ok()) work();
                  return allowed;
                }));
}

ServerUnaryReactor* OperatorsService::decide(
    const char* call, CallbackServerContext* context, const std::string& study,
    const std::function<void(StudyHost&, DecisionDone)>& work) const {
  return answer_later({call, log_, context}, [&](const Finish& finish) {
    Status allowed = check_operator(*context, insecure_);
    if (!allowed.ok()) return allowed;
    work(*studies_.find(study), finish);
    return allowed;
  });
}

ServerUnaryReactor* OperatorsService::CreateStudy(CallbackServerContext* context,
                                                  const v1::CreateStudyRequest* request,
                                                  v1::CreateStudyReply* reply) {
  return answer("CreateStudy", context, [&] {
    const Definition definition = from_wire(request->definition());
    studies_.create(definition, {});
    *reply->mutable_study_digest() = to_wire(protocol::study_digest(*definition.study));
  });
}

ServerUnaryReactor* OperatorsService::ListStudies(CallbackServerContext* context,
                                                  const v1::ListStudiesRequest*,
                                                  v1::ListStudiesReply* reply) {
  return answer("ListStudies", context, [&] {
    for (const std::string& name : studies_.names()) {
      StudyStatus status = studies_.find(name)->status();
      status.agent_status.clear();
      status.epochs.clear();
      *reply->add_studies() = to_wire(status);
    }
  });
}

ServerUnaryReactor* OperatorsService::GetStatus(CallbackServerContext* context,
                                                const v1::GetStatusRequest* request,
                                                v1::GetStatusReply* reply) {
  return answer("GetStatus", context, [&] {
    *reply->mutable_status() = to_wire(studies_.find(request->study())->status());
  });
}

ServerUnaryReactor* OperatorsService::StopStudy(CallbackServerContext* context,
                                                const v1::StopStudyRequest* request,
                                                v1::StopStudyReply*) {
  return answer("StopStudy", context, [&] { studies_.find(request->study())->stop(); });
}

ServerUnaryReactor* OperatorsService::DeleteStudy(CallbackServerContext* context,
                                                  const v1::DeleteStudyRequest* request,
                                                  v1::DeleteStudyReply*) {
  return answer("DeleteStudy", context, [&] { studies_.remove(request->study()); });
}

ServerUnaryReactor* OperatorsService::CloseEpoch(CallbackServerContext* context,
                                                 const v1::CloseEpochRequest* request,
                                                 v1::CloseEpochReply*) {
  return decide("CloseEpoch", context, request->study(), [&](StudyHost& host, DecisionDone done) {
    host.close_epoch(request->epoch(), std::move(done));
  });
}

ServerUnaryReactor* OperatorsService::RetireAgent(CallbackServerContext* context,
                                                  const v1::RetireAgentRequest* request,
                                                  v1::RetireAgentReply*) {
  return decide("RetireAgent", context, request->study(), [&](StudyHost& host, DecisionDone done) {
    host.retire_agent(request->agent(), std::move(done));
  });
}

ServerUnaryReactor* OperatorsService::SetPolicy(CallbackServerContext* context,
                                                const v1::SetPolicyRequest* request,
                                                v1::SetPolicyReply*) {
  return decide("SetPolicy", context, request->study(), [&](StudyHost& host, DecisionDone done) {
    host.set_policy(*request, std::move(done));
  });
}

ServerUnaryReactor* OperatorsService::ExportStudy(CallbackServerContext* context,
                                                  const v1::ExportStudyRequest* request,
                                                  v1::ExportStudyReply* reply) {
  return answer("ExportStudy", context, [&] {
    const Studies::Export part = studies_.stored(request->study(), request->first_record());
    if (request->first_record() == 0) *reply->mutable_definition() = to_wire(part.definition);
    for (const base::Bytes& record : part.records) {
      reply->add_records(record.data(), record.size());
    }
    reply->set_more(part.more);
  });
}

}  // namespace duets::service
