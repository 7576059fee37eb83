// Any bytes as the definition of a study: refused, or a definition whose bytes and digest stand,
// and whose resolved file gives the same study.
#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/definition.h"
#include "tiny_study.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  if (fuzz::has_large_number({reinterpret_cast<const char*>(data), size})) return 0;
  service::Definition definition;
  try {
    definition = service::decode_definition({data, size});
  } catch (const base::Error& error) {
    const bool expected =
        error.kind() == base::ErrorKind::kDecode || error.kind() == base::ErrorKind::kInvalid;
    if (!expected) std::abort();
    return 0;
  }
  const base::Digest digest = protocol::study_digest(*definition.study);
  const base::Bytes bytes = service::encode_definition(definition);
  if (!std::equal(bytes.begin(), bytes.end(), data, data + size)) std::abort();
  const service::Definition printed = service::definition_of(*definition.file);
  const service::Definition again = service::decode_definition(service::encode_definition(printed));
  if (protocol::study_digest(*again.study) != digest) std::abort();
  return 0;
}
