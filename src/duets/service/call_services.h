// The two gRPC services: they find the study, check who calls, and pass the call on.
#pragma once

#include <grpcpp/impl/service_type.h>

#include <memory>

#include "duets/service/log.h"

namespace duets::service {

class Studies;

/// What agents call, and what the commands of an operator call. No call keeps a thread while it
/// waits. Calls that are refused are logged, but for those that are told to come back
/// (UNAVAILABLE). `insecure`: callers have no certificate and may act as anybody. `log` may be
/// empty. The studies must outlive both.
std::unique_ptr<grpc::Service> agents_service(Studies& studies, bool insecure, Log log);
std::unique_ptr<grpc::Service> operators_service(Studies& studies, bool insecure, Log log);

}  // namespace duets::service
