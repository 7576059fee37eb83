// Damaged snapshots: restoring throws base::Error or works, and what was restored can go on. The
// input is no snapshot but a list of edits to a true one, which gets past the header at once:
//   byte 0: which snapshot; then groups of four bytes: what, offset (2 bytes), value.
#include <cstdlib>
#include <functional>

#include "duets/base/error.h"
#include "tiny_study.h"

namespace {

using namespace duets;

/// A true snapshot and the study it belongs to.
struct Original {
  std::shared_ptr<const protocol::Study> study;
  bool of_agent = false;
  base::Bytes bytes;
};

const std::vector<Original>& originals() {
  static const std::vector<Original> all = [] {
    std::vector<Original> list;
    for (const bool finite : {true, false}) {
      const auto study = fuzz::tiny_study(finite);
      const fuzz::Transcript transcript = fuzz::run_tiny(study);
      for (const auto& bytes : transcript.coordinator_snapshots)
        list.push_back({study, false, bytes});
      for (const auto& bytes : transcript.agent_snapshots) list.push_back({study, true, bytes});
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

void leave_out_hours(const protocol::Trim& trim) {
  if (asks_for_hours(trim.sampler)) throw base::Error(base::ErrorKind::kExhausted, "too slow");
}

// Throws base::Error, as restoring will, when the bytes are no snapshot.
void look_through(const Original& original, const base::Bytes& bytes) {
  base::ByteReader in(bytes);
  in.text();
  in.u32();
  in.digest();
  if (original.of_agent) in.u32();
  const std::uint32_t count = in.u32();
  for (std::uint32_t i = 0; i < count; ++i) {
    if (original.of_agent) {
      const std::uint32_t slots = in.u32();
      for (std::uint32_t slot = 0; slot < slots; ++slot) in.u8();
      in.f64s();
      in.blob();
      const base::Bytes trim = in.blob();
      if (trim.empty()) continue;
      const protocol::Message message = protocol::decode(trim);
      if (const auto* decoded = std::get_if<protocol::Trim>(&message)) leave_out_hours(*decoded);
    } else {
      const protocol::Record record = protocol::decode_record(in.blob());
      const auto* closed = std::get_if<protocol::EpochClosed>(&record);
      if (closed != nullptr && closed->has_trim) leave_out_hours(closed->trim);
    }
  }
}

void restore_coordinator(const Original& original, const base::Bytes& bytes) {
  const base::SerialExecutor executor;
  auto coordinator =
      protocol::Coordinator::restore(original.study, fuzz::tiny_secret(), executor, bytes);
  if (bytes == original.bytes && coordinator.snapshot() != bytes) std::abort();
  coordinator.recommendation();
  if (coordinator.finished() || base::value(coordinator.epoch()) == 0) return;
  std::vector<base::AgentId> here;
  const auto missing = coordinator.waiting_for();
  for (std::uint32_t a = 0; a < original.study->agents; ++a) {
    if (std::ranges::find(missing, base::AgentId{a}) == missing.end())
      here.push_back(base::AgentId{a});
  }
  coordinator.close(coordinator.epoch(), here);
}

void restore_agent(const Original& original, const base::Bytes& bytes) {
  const base::SerialExecutor executor;
  const auto secret = fuzz::tiny_secret();
  auto agent = protocol::Agent::restore(
      original.study, base::AgentId{0}, secret.agent_coin(base::AgentId{0}),
      std::make_shared<protocol::PublicView>(original.study, secret.public_coin(), executor),
      bytes);
  if (bytes == original.bytes && agent.snapshot() != bytes) std::abort();
  const auto slots = static_cast<std::uint32_t>(agent.plan().latents().rows());
  for (std::uint32_t slot = 0; slot < slots; ++slot) agent.report(slot, 0.5);
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
    look_through(original, bytes);
    if (original.of_agent) {
      restore_agent(original, bytes);
    } else {
      restore_coordinator(original, bytes);
    }
  } catch (const base::Error&) {
  }
  return 0;
}
