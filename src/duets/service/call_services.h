// The two gRPC services: they find the study, check who calls, and pass the call on.
#pragma once

#include <optional>
#include <utility>

#include "duets/service/certificates.h"
#include "duets/service/studies.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {

/// What agents call. No call keeps a thread while it waits. Calls that are refused are logged, but
/// for those that are told to come back (UNAVAILABLE).
class AgentsService final : public v1::Agents::CallbackService {
 public:
  /// `insecure`: callers have no certificate and may act as anybody. `log` may be empty.
  AgentsService(Studies& studies, bool insecure, Log log)
      : studies_(studies), insecure_(insecure), log_(std::move(log)) {}

  grpc::ServerUnaryReactor* Join(grpc::CallbackServerContext* context,
                                 const v1::JoinRequest* request, v1::JoinReply* reply) override;
  grpc::ServerUnaryReactor* Fetch(grpc::CallbackServerContext* context,
                                  const v1::FetchRequest* request, v1::FetchReply* reply) override;
  grpc::ServerUnaryReactor* Send(grpc::CallbackServerContext* context,
                                 const v1::SendRequest* request, v1::SendReply* reply) override;
  grpc::ServerUnaryReactor* Beat(grpc::CallbackServerContext* context,
                                 const v1::BeatRequest* request, v1::BeatReply* reply) override;
  grpc::ServerUnaryReactor* Leave(grpc::CallbackServerContext* context,
                                  const v1::LeaveRequest* request, v1::LeaveReply* reply) override;

 private:
  Studies& studies_;
  bool insecure_;
  Log log_;
};

/// What the commands of an operator call.
class OperatorsService final : public v1::Operators::CallbackService {
 public:
  OperatorsService(Studies& studies, bool insecure, Log log)
      : studies_(studies), insecure_(insecure), log_(std::move(log)) {}

  grpc::ServerUnaryReactor* CreateStudy(grpc::CallbackServerContext* context,
                                        const v1::CreateStudyRequest* request,
                                        v1::CreateStudyReply* reply) override;
  grpc::ServerUnaryReactor* ListStudies(grpc::CallbackServerContext* context,
                                        const v1::ListStudiesRequest* request,
                                        v1::ListStudiesReply* reply) override;
  grpc::ServerUnaryReactor* GetStatus(grpc::CallbackServerContext* context,
                                      const v1::GetStatusRequest* request,
                                      v1::GetStatusReply* reply) override;
  grpc::ServerUnaryReactor* StopStudy(grpc::CallbackServerContext* context,
                                      const v1::StopStudyRequest* request,
                                      v1::StopStudyReply* reply) override;
  grpc::ServerUnaryReactor* DeleteStudy(grpc::CallbackServerContext* context,
                                        const v1::DeleteStudyRequest* request,
                                        v1::DeleteStudyReply* reply) override;
  grpc::ServerUnaryReactor* CloseEpoch(grpc::CallbackServerContext* context,
                                       const v1::CloseEpochRequest* request,
                                       v1::CloseEpochReply* reply) override;
  grpc::ServerUnaryReactor* RetireAgent(grpc::CallbackServerContext* context,
                                        const v1::RetireAgentRequest* request,
                                        v1::RetireAgentReply* reply) override;
  grpc::ServerUnaryReactor* SetPolicy(grpc::CallbackServerContext* context,
                                      const v1::SetPolicyRequest* request,
                                      v1::SetPolicyReply* reply) override;
  grpc::ServerUnaryReactor* ExportStudy(grpc::CallbackServerContext* context,
                                        const v1::ExportStudyRequest* request,
                                        v1::ExportStudyReply* reply) override;

 private:
  grpc::ServerUnaryReactor* answer(const char* call, grpc::CallbackServerContext* context,
                                   const std::function<void()>& work) const;
  grpc::ServerUnaryReactor* decide(const char* call, grpc::CallbackServerContext* context,
                                   const std::string& study,
                                   const std::function<void(StudyHost&, DecisionDone)>& work) const;
  Studies& studies_;
  bool insecure_;
  Log log_;
};

}  // namespace duets::service
