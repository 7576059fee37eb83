// The gRPC service for agents.
#include <optional>
#include <utility>

#include "duets/service/call_answer.h"
#include "duets/service/call_services.h"
#include "duets/service/studies.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {
namespace {

class AgentsService final : public v1::Agents::CallbackService {
 public:
  using Context = grpc::CallbackServerContext;
  using Reactor = grpc::ServerUnaryReactor;

  AgentsService(Studies& studies, bool insecure, Log log)
      : studies_(studies), insecure_(insecure), log_(std::move(log)) {}

  Reactor* Join(Context* context, const v1::JoinRequest* request, v1::JoinReply* reply) override {
    return answer({"Join", log_, context}, [&]() -> grpc::Status {
      std::optional<Identity> identity;
      if (!insecure_) {
        identity = identity_of(*context);
        if (!identity) return no_identity();
      }
      return studies_.find(request->study())->join(*request, identity, *reply);
    });
  }

  Reactor* Fetch(Context* context, const v1::FetchRequest* request,
                 v1::FetchReply* reply) override {
    return pass_on("Fetch", context, *request, reply, &StudyHost::fetch);
  }

  Reactor* Send(Context* context, const v1::SendRequest* request, v1::SendReply* reply) override {
    return pass_on("Send", context, *request, reply, &StudyHost::send);
  }

  Reactor* Beat(Context* context, const v1::BeatRequest* request, v1::BeatReply* reply) override {
    return answer({"Beat", log_, context}, [&]() -> grpc::Status {
      // An empty beat would let a caller look at a study without being an agent.
      if (request->progress().empty()) {
        return {grpc::StatusCode::INVALID_ARGUMENT, "progress: must have at least one agent"};
      }
      for (const v1::Progress& progress : request->progress()) {
        if (insecure_) break;
        grpc::Status allowed = check_agent(*context, request->study(), progress.agent());
        if (!allowed.ok()) return allowed;
      }
      return studies_.find(request->study())->beat(*request, *reply);
    });
  }

  Reactor* Leave(Context* context, const v1::LeaveRequest* request, v1::LeaveReply*) override {
    return answer({"Leave", log_, context}, [&] {
      grpc::Status allowed = check(*context, request->caller());
      if (!allowed.ok()) return allowed;
      return studies_.find(request->caller().study())->leave(*request);
    });
  }

 private:
  // For calls that the study answers later.
  template <typename Request, typename Reply, typename Done>
  Reactor* pass_on(const char* name, Context* context, const Request& request, Reply* reply,
                   void (StudyHost::*call)(const Request&, Done)) const {
    return answer_later({name, log_, context}, [&](const Finish& finish) {
      grpc::Status allowed = check(*context, request.caller());
      if (!allowed.ok()) return allowed;
      const std::shared_ptr<StudyHost> host = studies_.find(request.caller().study());
      ((*host).*call)(request, [finish, reply](const grpc::Status& done, Reply&& answered) {
        *reply = std::move(answered);
        finish(done);
      });
      return allowed;
    });
  }

  grpc::Status check(const Context& context, const v1::Caller& caller) const {
    return insecure_ ? grpc::Status::OK : check_agent(context, caller.study(), caller.agent());
  }

  Studies& studies_;
  bool insecure_;
  Log log_;
};

}  // namespace

std::unique_ptr<grpc::Service> agents_service(Studies& studies, bool insecure, Log log) {
  return std::make_unique<AgentsService>(studies, insecure, std::move(log));
}

}  // namespace duets::service
