// Any bytes as the status of a study: refused, or a status that survives another trip and has a
// text.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/study_status.h"

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  v1::StudyStatus wire;
  if (!wire.ParseFromArray(data, static_cast<int>(size))) return 0;
  service::waiting_text(wire.waiting());
  service::StudyStatus status;
  try {
    status = service::from_wire(wire);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kInvalid) std::abort();
    return 0;
  }
  service::waiting_text(status);
  const std::string bytes = service::to_wire(status).SerializeAsString();
  v1::StudyStatus again;
  if (!again.ParseFromString(bytes)) std::abort();
  if (service::to_wire(service::from_wire(again)).SerializeAsString() != bytes) std::abort();
  return 0;
}
