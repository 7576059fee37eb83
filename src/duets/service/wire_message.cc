#include "duets/base/digest.h"
#include "duets/service/wire.h"
#include "duets/service/wire_parts.h"

namespace duets::service {
namespace {

void add_indices(const std::vector<std::uint32_t>& indices, WireIndices* wire) {
  wire->Add(indices.begin(), indices.end());
}

void write(const protocol::InducingSet& m, v1::Message& out) {
  v1::InducingSet& wire = *out.mutable_inducing_set();
  wire.set_epoch(base::value(m.epoch));
  wire.set_upload(static_cast<std::uint32_t>(m.upload));
  wire.set_closing(m.closing);
  if (m.points.rows() > 0) points_to_wire(m.points, *wire.mutable_points());
  add_indices(m.public_slots, wire.mutable_public_slots());
}

void write(const protocol::Trim& m, v1::Message& out) {
  v1::Trim& wire = *out.mutable_trim();
  wire.set_epoch(base::value(m.epoch));
  wire.mutable_weights()->Add(m.weights.data(), m.weights.data() + m.weights.size());
  wire.set_tau(m.tau);
  sampler_to_wire(m.sampler, *wire.mutable_sampler());
  if (m.starts.rows() > 0) points_to_wire(m.starts, *wire.mutable_starts());
  add_indices(m.excluded, wire.mutable_excluded());
  if (!m.learned) return;
  kernel_to_wire(m.learned->kernel, *wire.mutable_learned()->mutable_kernel());
  wire.mutable_learned()->set_reward_offset(m.learned->reward_offset);
}

void write(const protocol::Upload& m, v1::Message& out) {
  v1::Upload& wire = *out.mutable_upload();
  wire.set_agent(base::value(m.agent));
  wire.set_epoch(base::value(m.epoch));
  wire.set_kind(static_cast<std::uint32_t>(m.kind));
  wire.mutable_values()->Add(m.values.begin(), m.values.end());
  add_indices(m.holes, wire.mutable_holes());
  wire.set_points_digest(m.points_digest);
}

void write(const protocol::Closing& m, v1::Message& out) {
  v1::Closing& wire = *out.mutable_closing();
  wire.set_agent(base::value(m.agent));
  if (m.has_best) {
    wire.mutable_best()->set_epoch(base::value(m.best.epoch));
    wire.mutable_best()->set_slot(m.best.slot);
    wire.mutable_best()->set_reward(m.best.reward);
  }
  wire.mutable_values()->Add(m.values.begin(), m.values.end());
  add_indices(m.holes, wire.mutable_holes());
  wire.set_points_digest(m.points_digest);
}

void write(const protocol::Refusal& m, v1::Message& out) {
  v1::Refusal& wire = *out.mutable_refusal();
  wire.set_agent(base::value(m.agent));
  wire.set_epoch(base::value(m.epoch));
  wire.set_reason(static_cast<std::uint32_t>(m.reason));
}

}  // namespace

v1::Message to_wire(const protocol::Message& message) {
  v1::Message wire;
  std::visit([&wire](const auto& m) { write(m, wire); }, message);
  return wire;
}

std::uint64_t chain_broadcast(std::uint64_t before, const protocol::Message& broadcast) {
  base::ByteWriter out;
  out.u64(before);
  out.blob(protocol::encode(broadcast));
  return base::digest_of(out.bytes()).low;
}

}  // namespace duets::service
