// Any bytes: decode throws kDecode, or gives a message whose bytes are the same again.
#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/protocol/messages.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::span<const std::uint8_t> bytes(data, size);
  protocol::Message message;
  try {
    message = protocol::decode(bytes);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kDecode) std::abort();
    return 0;
  }
  if (!std::ranges::equal(protocol::encode(message), bytes)) std::abort();
  // What a message costs cannot be more than its bytes hold, a number in a bit.
  if (protocol::num_reals(message) > 8 * size) std::abort();
  return 0;
}
