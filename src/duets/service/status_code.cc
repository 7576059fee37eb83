#include "duets/service/status_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "duets/service/wire_text.h"
#include "duets/storage/store.h"

namespace duets::service {
namespace {

constexpr const char* kBusyDetails = "busy";

using base::ErrorKind;

grpc::StatusCode code_of(const std::exception& error) {
  const auto* own = dynamic_cast<const base::Error*>(&error);
  if (own == nullptr) return grpc::StatusCode::INTERNAL;
  // A full disk may be writable later: the caller is asked to retry.
  const auto* stored = dynamic_cast<const storage::StorageError*>(&error);
  if (stored != nullptr && stored->cause() == storage::StorageError::Cause::kUnwritable) {
    return grpc::StatusCode::UNAVAILABLE;
  }
  switch (own->kind()) {
    case ErrorKind::kInvalid:
      return grpc::StatusCode::INVALID_ARGUMENT;
    case ErrorKind::kConnection:
      return grpc::StatusCode::UNAVAILABLE;
    case ErrorKind::kDiverged:
      return grpc::StatusCode::FAILED_PRECONDITION;
    case ErrorKind::kStorage:
      return grpc::StatusCode::DATA_LOSS;
    default:
      return grpc::StatusCode::INTERNAL;
  }
}

ErrorKind kind_of(grpc::StatusCode code) {
  switch (code) {
    case grpc::StatusCode::INVALID_ARGUMENT:
    case grpc::StatusCode::NOT_FOUND:
      return ErrorKind::kInvalid;
    case grpc::StatusCode::ALREADY_EXISTS:
    case grpc::StatusCode::PERMISSION_DENIED:
    case grpc::StatusCode::UNAUTHENTICATED:
    case grpc::StatusCode::ABORTED:
    case grpc::StatusCode::UNAVAILABLE:
      return ErrorKind::kConnection;
    case grpc::StatusCode::DEADLINE_EXCEEDED:
      return ErrorKind::kTimeout;
    case grpc::StatusCode::FAILED_PRECONDITION:
      return ErrorKind::kDiverged;
    case grpc::StatusCode::DATA_LOSS:
      return ErrorKind::kStorage;
    default:
      return ErrorKind::kProtocol;
  }
}

/// Recognises gRPC's texts for a stream that was cut off; none of our answers has these words.
bool is_broken_off(const std::string& text) {
  constexpr std::array kParts{"RST_STREAM",  "tream removed",   "Socket closed", "onnection reset",
                              "Broken pipe", "ransport closed", "GOAWAY"};
  return std::ranges::any_of(
      kParts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

}  // namespace

// A status travels in a header of a few kilobytes: a longer text would lose the whole answer.
grpc::Status status_of(const std::exception& error) {
  return {code_of(error), clean_text(error.what())};
}

base::Error error_of(const grpc::Status& status, const std::string& what) {
  const std::string said =
      status.error_message().empty()
          ? fmt::format("gRPC status {}", static_cast<int>(status.error_code()))
          : clean_text(status.error_message());
  return {kind_of(status.error_code()), fmt::format("{}: {}", what, said)};
}

bool is_transient(const grpc::Status& status) {
  switch (status.error_code()) {
    case grpc::StatusCode::UNAVAILABLE:
    case grpc::StatusCode::DEADLINE_EXCEEDED:
    case grpc::StatusCode::CANCELLED:
      return true;
    case grpc::StatusCode::INTERNAL:
    case grpc::StatusCode::UNKNOWN:
      return is_broken_off(status.error_message());
    default:
      return false;
  }
}

grpc::Status busy_status(const std::string& why) {
  return {grpc::StatusCode::UNAVAILABLE, why, kBusyDetails};
}

bool is_busy_status(const grpc::Status& status) {
  return status.error_code() == grpc::StatusCode::UNAVAILABLE &&
         status.error_details() == kBusyDetails;
}

}  // namespace duets::service
