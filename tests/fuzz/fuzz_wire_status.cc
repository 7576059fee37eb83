// Any bytes as the status of a study: refused, or a status that has texts and JSON, and that
// passes again as it is.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/message_json.h"
#include "duets/service/study_status.h"
#include "duets/v1/duets.pb.h"

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  v1::StudyStatus status;
  if (!status.ParseFromArray(data, static_cast<int>(size))) return 0;
  try {
    service::check(status);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kInvalid) std::abort();
    return 0;
  }
  service::waiting_text(status);
  service::json_of(status).dump();
  const std::string bytes = status.SerializeAsString();
  service::check(status);
  if (status.SerializeAsString() != bytes) std::abort();
  service::derive(status);
  return 0;
}
