// How the two services answer calls: who may call, and what becomes of an error. Private to them.
#pragma once

#include <grpcpp/grpcpp.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "duets/service/certificates.h"
#include "duets/service/log.h"

namespace duets::service {

/// A call that came in, until it is answered.
struct Call {
  const char* name;
  const Log& log;
  grpc::CallbackServerContext* context;
};

/// Whose certificate the caller showed; nothing when it has no name of ours.
std::optional<Identity> identity_of(const grpc::CallbackServerContext& context);
grpc::Status no_identity();
/// OK, or why the caller may not act as this agent.
grpc::Status check_agent(const grpc::CallbackServerContext& context, const std::string& study,
                         std::uint32_t agent);
/// OK, or why the caller may not act as an operator.
grpc::Status check_operator(const grpc::CallbackServerContext& context);

/// Answers with what `work` returns or throws.
grpc::ServerUnaryReactor* answer(const Call& call, const std::function<grpc::Status()>& work);

/// Answers a call; the context may be gone by then, the log is not.
using Finish = std::function<void(const grpc::Status&)>;
/// `work` sees to it that the call is answered, unless it returns an error or throws one.
grpc::ServerUnaryReactor* answer_later(const Call& call,
                                       const std::function<grpc::Status(Finish)>& work);

}  // namespace duets::service
