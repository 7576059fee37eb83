// Any bytes as stored leases: kDecode, or leases that survive another trip.
#include <cstdlib>

#include "duets/base/error.h"
#include "duets/service/lease_table.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  constexpr std::uint32_t kAgents = 3;
  service::LeaseTable table(kAgents, 60);
  try {
    table.load({data, size}, 100);
  } catch (const base::Error& error) {
    if (error.kind() != base::ErrorKind::kDecode) std::abort();
    return 0;
  }
  const base::Bytes saved = table.save();
  service::LeaseTable again(kAgents, 60);
  again.load(saved, 100);
  if (again.save() != saved || again.retired() != table.retired()) std::abort();
  return 0;
}
