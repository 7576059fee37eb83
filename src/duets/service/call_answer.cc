#include "duets/service/call_answer.h"

#include <fmt/format.h>
#include <grpc/grpc_security_constants.h>

#include "duets/service/status_code.h"

namespace duets::service {
namespace {

using grpc::CallbackServerContext;
using grpc::ServerUnaryReactor;
using grpc::Status;
using grpc::StatusCode;

/// "192.0.2.7:5123" from gRPC's "ipv4:192.0.2.7:5123" or "ipv6:%5B::1%5D:5123".
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

// A caller that is asked to retry is not refused.
void tell_refused(const char* name, const Log& log, const std::string& peer, const Status& status) {
  if (status.ok() || status.error_code() == StatusCode::UNAVAILABLE || !log) return;
  log({.message = fmt::format("refused a call of {}: {}", name, status.error_message()),
       .level = LogLevel::kWarning,
       .cause = fmt::format("call {}, status {}", name, static_cast<int>(status.error_code())),
       .peer = address_of(peer)});
}

}  // namespace

// TLS has checked that our authority signed the certificate; this reads its owner.
std::optional<Identity> identity_of(const CallbackServerContext& context) {
  const auto names = context.auth_context()->FindPropertyValues(GRPC_X509_CN_PROPERTY_NAME);
  if (names.size() != 1) return std::nullopt;
  return parse_identity({names.front().data(), names.front().size()});
}

Status no_identity() {
  return {StatusCode::UNAUTHENTICATED, "the certificate does not name a duets role"};
}

Status check_agent(const CallbackServerContext& context, const std::string& study,
                   std::uint32_t agent) {
  const auto identity = identity_of(context);
  if (!identity) return no_identity();
  if (identity->may_act_as(study, agent)) return Status::OK;
  return {StatusCode::PERMISSION_DENIED,
          fmt::format("the certificate of \"{}\" does not cover agent {} of study \"{}\"",
                      common_name(*identity), agent, study)};
}

Status check_operator(const CallbackServerContext& context) {
  const auto identity = identity_of(context);
  if (!identity) return no_identity();
  if (identity->may_operate()) return Status::OK;
  return {StatusCode::PERMISSION_DENIED,
          fmt::format("\"{}\" is not an operator: make a certificate with `duets certs operator`",
                      common_name(*identity))};
}

ServerUnaryReactor* answer(const Call& call, const std::function<Status()>& work) {
  return answer_later(call, [&](const Finish& finish) {
    Status status = work();
    if (status.ok()) finish(status);
    return status;
  });
}

ServerUnaryReactor* answer_later(const Call& call, const std::function<Status(Finish)>& work) {
  ServerUnaryReactor* reactor = call.context->DefaultReactor();
  const Finish finish = [reactor, name = call.name, &log = call.log,
                         peer = call.context->peer()](const Status& status) {
    tell_refused(name, log, peer, status);
    reactor->Finish(status);
  };
  Status status;
  try {
    status = work(finish);
  } catch (const std::exception& error) {
    status = status_of(error);
  }
  if (!status.ok()) finish(status);
  return reactor;
}

}  // namespace duets::service
