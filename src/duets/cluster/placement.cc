#include "duets/cluster/placement.h"

#include <sched.h>

#include <algorithm>
#include <set>
#include <thread>

namespace duets::cluster {
namespace {

// The processors that the scheduler or launcher lets this process use; empty when the system has
// more of them than fit.
base::Bytes processors() {
  base::ByteWriter writer;
  cpu_set_t set;
  CPU_ZERO(&set);
  if (sched_getaffinity(0, sizeof set, &set) != 0) return {};
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(cpu, &set)) writer.u32(static_cast<std::uint32_t>(cpu));
  }
  return writer.take();
}

std::string host_of(const base::Bytes& message) { return base::ByteReader(message).text(); }

}  // namespace

Placement find_placement(Transport& transport) {
  base::ByteWriter writer;
  writer.text(host_name());
  writer.blob(processors());
  const base::Bytes mine = writer.bytes();
  const std::vector<base::Bytes> all = transport.exchange(mine);

  std::set<std::string> hosts;
  for (const base::Bytes& message : all) hosts.insert(host_of(message));
  const auto sharing = static_cast<unsigned>(std::count(all.begin(), all.end(), mine));
  return {hosts.size(), std::max(1U, std::thread::hardware_concurrency() / sharing)};
}

}  // namespace duets::cluster
