// Any bytes: decode_record throws kDecode, or gives a record whose bytes are the same again.
#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/protocol/records.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::span<const std::uint8_t> bytes(data, size);
  protocol::Record record;
  try {
    record = protocol::decode_record(bytes);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kDecode) std::abort();
    return 0;
  }
  if (!std::ranges::equal(protocol::encode_record(record), bytes)) std::abort();
  return 0;
}
