// Damaged journals: replaying throws base::Error or works, and what was replayed can go on. The
// input is no journal but a list of edits to a true one, which gets past the first record at once:
//   byte 0: which journal; then groups of four bytes: what, offset (2 bytes), value.
#include <algorithm>
#include <memory>

#include "duets/base/error.h"
#include "tiny_study.h"

namespace {

using namespace duets;

/// A journal as one string of bytes, a part of a run, and the study it belongs to.
struct Original {
  std::shared_ptr<const protocol::Study> study;
  base::Bytes bytes;
};

const std::vector<Original>& originals() {
  static const std::vector<Original> all = [] {
    std::vector<Original> list;
    for (const bool finite : {true, false}) {
      const auto study = fuzz::tiny_study(finite);
      base::ByteWriter out;
      for (const protocol::Record& record : fuzz::run_tiny(study).records) {
        out.blob(protocol::encode_record(record));
        list.push_back({study, out.bytes()});
      }
    }
    return list;
  }();
  return all;
}

void edit(base::Bytes& bytes, std::uint8_t what, std::size_t offset, std::uint8_t value) {
  if (bytes.empty()) return;
  offset %= bytes.size();
  const auto place = bytes.begin() + static_cast<std::ptrdiff_t>(offset);
  switch (what % 5) {
    case 0:
      *place = value;
      break;
    case 1:
      *place ^= static_cast<std::uint8_t>(1U << (value % 8));
      break;
    case 2:
      bytes.insert(place, value);
      break;
    case 3:
      bytes.erase(place);
      break;
    case 4:
      if (value == 0) bytes.resize(offset);
      break;
  }
}

// Settings within their limits may still ask for hours of sampling, from a coordinator whom agents
// trust. That is work, not a fault: such inputs are left out.
bool asks_for_hours(const region::SamplerSettings& s) {
  return s.max_attempts > 5000 || s.walk_steps > 200 || s.stream_cap > 5000 || s.cover_depth > 12;
}

// Throws base::Error where the bytes are no records.
std::vector<base::Bytes> records_of(const base::Bytes& bytes) {
  std::vector<base::Bytes> records;
  base::ByteReader in(bytes);
  while (in.remaining() > 0) {
    records.push_back(in.blob());
    const protocol::Record record = protocol::decode_record(records.back());
    const auto* closed = std::get_if<protocol::EpochClosed>(&record);
    if (closed != nullptr && closed->has_trim && asks_for_hours(closed->trim.sampler)) {
      throw base::Error(base::ErrorKind::kExhausted, "too slow");
    }
  }
  return records;
}

void replay(const Original& original, const base::Bytes& bytes) {
  const base::SerialExecutor executor;
  auto coordinator = protocol::Coordinator::replay(original.study, fuzz::tiny_secret(), executor,
                                                   records_of(bytes));
  coordinator.summary().recommendation();
  if (coordinator.finished() || base::value(coordinator.epoch()) == 0) return;
  std::vector<base::AgentId> here;
  const auto missing = coordinator.waiting_for();
  for (std::uint32_t a = 0; a < original.study->agents; ++a) {
    if (std::ranges::find(missing, base::AgentId{a}) == missing.end())
      here.push_back(base::AgentId{a});
  }
  coordinator.close(coordinator.epoch(), here);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const Original& original = originals()[data[0] % originals().size()];
  base::Bytes bytes = original.bytes;
  for (std::size_t i = 1; i + 4 <= size; i += 4) {
    edit(bytes, data[i], data[i + 1] + std::size_t{256} * data[i + 2], data[i + 3]);
  }
  try {
    replay(original, bytes);
  } catch (const base::Error&) {
  }
  return 0;
}
