// The two gRPC services: they find the study, authorise the caller, and pass the call on.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "duets/service/log.h"

namespace duets::service {

class Studies;

/// The services for agents and for operator commands. No call occupies a thread while it waits.
/// Refused calls are logged, except those that are asked to retry (UNAVAILABLE). `insecure`:
/// callers have no certificate and may act as any agent or operator. `log` may be empty. The
/// studies must outlive both.
std::unique_ptr<grpc::Service> agents_service(Studies& studies, bool insecure, Log log);
std::unique_ptr<grpc::Service> operators_service(Studies& studies, bool insecure, Log log);

}  // namespace duets::service
