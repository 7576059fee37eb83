// Any bytes as a message of the wire: refused, or a message that survives another trip.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/wire.h"
#include "tiny_study.h"

namespace {

using namespace duets;

void check(const v1::Message& wire, const protocol::Study& study) {
  protocol::Message message;
  try {
    message = service::from_wire(wire, study);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kInvalid) std::abort();
    return;
  }
  const protocol::Message again = service::from_wire(service::to_wire(message), study);
  if (protocol::encode(again) != protocol::encode(message)) std::abort();
}

}  // namespace

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const auto finite = fuzz::tiny_study(true);
  static const auto box = fuzz::tiny_study(false);
  v1::Message wire;
  if (!wire.ParseFromArray(data, static_cast<int>(size))) return 0;
  check(wire, *finite);
  check(wire, *box);
  return 0;
}
