// Any bytes as the definition of a study: refused, or a definition whose bytes and digest stand.
#include <google/protobuf/stubs/logging.h>

#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/definition.h"

// Protobuf prints a line for every text that is not UTF-8.
extern "C" int LLVMFuzzerInitialize(int*, char***) {
  google::protobuf::SetLogHandler(nullptr);
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  service::Definition definition;
  try {
    definition = service::decode_definition({data, size});
  } catch (const base::Error& error) {
    const bool expected =
        error.kind() == base::ErrorKind::kDecode || error.kind() == base::ErrorKind::kInvalid;
    if (!expected) std::abort();
    return 0;
  }
  const base::Bytes bytes = service::encode_definition(definition);
  const service::Definition again = service::decode_definition(bytes);
  if (service::encode_definition(again) != bytes) std::abort();
  if (protocol::study_digest(*again.study) != protocol::study_digest(*definition.study))
    std::abort();
  return 0;
}
