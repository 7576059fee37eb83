// Authorisation and error handling that both gRPC services share. Private to them.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "duets/service/certificates.h"
#include "duets/service/log.h"

namespace duets::service {

/// A call that is being answered.
struct Call {
  const char* name;
  const Log& log;
  grpc::CallbackServerContext* context;
};

/// The owner of the caller's certificate; nothing when its name is not one of ours.
std::optional<Identity> identity_of(const grpc::CallbackServerContext& context);
grpc::Status no_identity();
/// OK, or the reason why the caller must not act as this agent.
grpc::Status check_agent(const grpc::CallbackServerContext& context, const std::string& study,
                         std::uint32_t agent);
/// OK, or the reason why the caller must not act as an operator.
grpc::Status check_operator(const grpc::CallbackServerContext& context);

/// Answers with the status that `work` returns or throws.
grpc::ServerUnaryReactor* answer(const Call& call, const std::function<grpc::Status()>& work);

/// Answers a call; the context may be gone by then, the log is not.
using Finish = std::function<void(const grpc::Status&)>;
/// `work` must arrange that the call is answered, unless it returns or throws an error.
grpc::ServerUnaryReactor* answer_later(const Call& call,
                                       const std::function<grpc::Status(Finish)>& work);

}  // namespace duets::service
