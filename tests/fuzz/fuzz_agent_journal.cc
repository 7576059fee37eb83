// Any bytes as an entry of an agent's journal: kDecode, or an entry whose bytes are the same again.
#include <algorithm>
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/agent_journal.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const std::span<const std::uint8_t> bytes(data, size);
  service::JournalEntry entry;
  try {
    entry = service::decode_entry(bytes);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kDecode) std::abort();
    return 0;
  }
  if (!std::ranges::equal(service::encode_entry(entry), bytes)) std::abort();
  return 0;
}
