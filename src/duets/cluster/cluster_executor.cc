#include "duets/cluster/cluster_executor.h"

#include <fmt/format.h>

#include "duets/base/error.h"
#include "duets/cluster/messages.h"

namespace duets::cluster {
namespace {

constexpr std::size_t kLength = 8;

// The lengths of all units, then their bytes; every unit is freed when it is copied.
base::Bytes packed(std::vector<base::Bytes> units) {
  base::ByteWriter lengths;
  std::size_t total = 0;
  for (const base::Bytes& unit : units) {
    lengths.u64(unit.size());
    total += unit.size();
  }
  base::Bytes all = lengths.take();
  all.reserve(all.size() + total);
  for (base::Bytes& unit : units) {
    all.insert(all.end(), unit.begin(), unit.end());
    unit = {};
  }
  return all;
}

[[noreturn]] void refuse_message() {
  throw base::Error(base::ErrorKind::kDecode,
                    "another process sent something other than its units");
}

void unpack(const base::Bytes& message, std::size_t num_units, std::vector<base::Bytes>& out) {
  if (message.size() < num_units * kLength) refuse_message();
  const std::span<const std::uint8_t> whole(message);
  base::ByteReader lengths(whole.first(num_units * kLength));
  auto rest = whole.subspan(num_units * kLength);
  for (std::size_t i = 0; i < num_units; ++i) {
    const std::uint64_t length = lengths.u64();
    if (length > rest.size()) refuse_message();
    out.emplace_back(rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(length));
    rest = rest.subspan(length);
  }
  if (!rest.empty()) refuse_message();
}

}  // namespace

std::vector<base::Bytes> ClusterExecutor::gather(std::size_t num_units,
                                                 std::vector<base::Bytes> mine) const {
  if (mine.size() != share(num_units).size()) {
    throw base::Error(base::ErrorKind::kProtocol,
                      fmt::format("gather: {} results for {} units of the share", mine.size(),
                                  share(num_units).size()));
  }
  std::vector<base::Bytes> messages =
      exchange_for(transport_, {Purpose::Kind::kGather, num_units}, packed(std::move(mine)));
  std::vector<base::Bytes> all;
  all.reserve(num_units);
  for (std::size_t rank = 0; rank < messages.size(); ++rank) {
    unpack(messages[rank], base::even_share(num_units, rank, messages.size()).size(), all);
    messages[rank] = {};
  }
  return all;
}

base::Bytes ClusterExecutor::agree(base::Bytes bytes) const {
  if (transport_.rank() != 0) bytes.clear();
  return std::move(exchange_for(transport_, {Purpose::Kind::kAgree, 0}, std::move(bytes)).front());
}

}  // namespace duets::cluster
