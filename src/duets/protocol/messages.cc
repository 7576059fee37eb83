#include "duets/protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "duets/base/digest.h"
#include "duets/base/error.h"

namespace duets::protocol {
namespace {

using base::ByteReader;
using base::ByteWriter;

[[noreturn]] void fail_message(const std::string& what) {
  throw base::Error(base::ErrorKind::kDecode, what);
}

void check_message(bool ok, const char* what) {
  if (!ok) fail_message(what);
}

bool read_flag(ByteReader& in) {
  const std::uint8_t flag = in.u8();
  check_message(flag <= 1, "a flag must be 0 or 1");
  return flag == 1;
}

template <typename Enum>
Enum read_enum(ByteReader& in, const char* what) {
  return base::enum_of<Enum>(in.u8(), what, base::ErrorKind::kDecode);
}

AgentId read_agent(ByteReader& in) { return AgentId{in.u32()}; }
EpochId read_epoch(ByteReader& in) { return EpochId{in.u32()}; }

void write_vector(ByteWriter& out, const numeric::Vector& v) {
  out.f64s({v.data(), static_cast<std::size_t>(v.size())});
}

numeric::Vector read_vector(ByteReader& in) {
  const std::vector<double> values = in.f64s();
  return Eigen::Map<const numeric::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

std::vector<std::uint32_t> read_increasing(ByteReader& in) {
  std::vector<std::uint32_t> list = in.u32s();
  check_message(std::adjacent_find(list.begin(), list.end(), std::greater_equal<>()) == list.end(),
                "holes and excluded agents must increase");
  return list;
}

void write(ByteWriter& out, const InducingSet& m) {
  out.u32(base::value(m.epoch));
  out.u8(static_cast<std::uint8_t>(m.upload));
  out.u8(m.closing ? 1 : 0);
  write_points(out, m.points);
  out.u32s(m.public_slots);
}

InducingSet read_inducing_set(ByteReader& in) {
  InducingSet m;
  m.epoch = read_epoch(in);
  m.upload = read_enum<UploadKind>(in, "upload kind");
  m.closing = read_flag(in);
  m.points = read_points(in);
  m.public_slots = in.u32s();
  const bool has_points = m.points.rows() > 0;
  const bool has_slots = !m.public_slots.empty();
  const bool may_be_empty = m.closing && m.upload == UploadKind::kRewards;
  check_message(has_points != has_slots || (may_be_empty && !has_points),
                "an inducing set has either points or public slots");
  return m;
}

void write(ByteWriter& out, const Trim& m) {
  out.u32(base::value(m.epoch));
  write_vector(out, m.weights);
  out.f64(m.tau);
  write_settings(out, m.sampler);
  write_points(out, m.starts);
  out.u32s(m.excluded);
  out.u8(m.learned ? 1 : 0);
  if (!m.learned) return;
  write_kernel(out, m.learned->kernel);
  out.f64(m.learned->reward_offset);
}

Trim read_trim(ByteReader& in) {
  Trim m;
  m.epoch = read_epoch(in);
  m.weights = read_vector(in);
  m.tau = in.f64();
  m.sampler = read_settings(in);
  m.starts = read_points(in);
  m.excluded = read_increasing(in);
  if (read_flag(in)) {
    Model learned;
    learned.kernel = read_kernel(in);
    learned.reward_offset = in.f64();
    m.learned = std::move(learned);
  }
  return m;
}

void write(ByteWriter& out, const Upload& m) {
  out.u32(base::value(m.agent));
  out.u32(base::value(m.epoch));
  out.u8(static_cast<std::uint8_t>(m.kind));
  out.f64s(m.values);
  out.u32s(m.holes);
  out.u64(m.points_digest);
}

Upload read_upload(ByteReader& in) {
  Upload m;
  m.agent = read_agent(in);
  m.epoch = read_epoch(in);
  m.kind = read_enum<UploadKind>(in, "upload kind");
  m.values = in.f64s();
  m.holes = read_increasing(in);
  m.points_digest = in.u64();
  return m;
}

void write(ByteWriter& out, const Closing& m) {
  out.u32(base::value(m.agent));
  out.u8(m.has_best ? 1 : 0);
  out.u32(base::value(m.best.epoch));
  out.u32(m.best.slot);
  out.f64(m.best.reward);
  out.f64s(m.values);
  out.u32s(m.holes);
  out.u64(m.points_digest);
}

Closing read_closing(ByteReader& in) {
  Closing m;
  m.agent = read_agent(in);
  m.has_best = read_flag(in);
  m.best.agent = m.agent;
  m.best.epoch = read_epoch(in);
  m.best.slot = in.u32();
  m.best.reward = in.f64();
  m.values = in.f64s();
  m.holes = read_increasing(in);
  m.points_digest = in.u64();
  return m;
}

void write(ByteWriter& out, const Refusal& m) {
  out.u32(base::value(m.agent));
  out.u32(base::value(m.epoch));
  out.u8(static_cast<std::uint8_t>(m.reason));
}

Refusal read_refusal(ByteReader& in) {
  Refusal m;
  m.agent = read_agent(in);
  m.epoch = read_epoch(in);
  m.reason = read_enum<Reason>(in, "reason");
  return m;
}

// Reals of one message kind each.
std::uint64_t reals(const InducingSet& m) {
  return static_cast<std::uint64_t>(m.points.size()) + m.public_slots.size();
}
std::uint64_t reals(const Trim& m) {
  // Scales, variance, offset.
  const std::size_t model = m.learned ? m.learned->kernel.lengthscales.size() + 2 : 0;
  return static_cast<std::uint64_t>(m.weights.size()) + 1 +
         static_cast<std::uint64_t>(m.starts.size()) + m.excluded.size() + model;
}
std::uint64_t reals(const Upload& m) { return m.values.size() + m.holes.size(); }
std::uint64_t reals(const Closing& m) {
  return (m.has_best ? 3 : 0) + m.values.size() + m.holes.size();
}
std::uint64_t reals(const Refusal&) { return 0; }

}  // namespace

void write_kernel(ByteWriter& out, const kernel::Kernel& kernel) {
  out.u8(static_cast<std::uint8_t>(kernel.family));
  out.f64s(kernel.lengthscales);
  out.f64(kernel.variance);
}

kernel::Kernel read_kernel(ByteReader& in) {
  kernel::Kernel kernel;
  kernel.family = read_enum<kernel::Family>(in, "kernel family");
  kernel.lengthscales = in.f64s();
  kernel.variance = in.f64();
  return kernel;
}

bool is_usable_reward(double reward) { return std::abs(reward) < kLargestReward; }

void write_points(ByteWriter& out, const numeric::Points& points) {
  out.u32(static_cast<std::uint32_t>(points.rows() == 0 ? 0 : points.cols()));
  out.f64s({points.data(), static_cast<std::size_t>(points.size())});
}

numeric::Points read_points(ByteReader& in) {
  const std::uint32_t columns = in.u32();
  const std::vector<double> values = in.f64s();
  if (columns == 0) {
    check_message(values.empty(), "points without coordinates");
    return {};
  }
  check_message(!values.empty() && values.size() % columns == 0, "ragged points");
  return Eigen::Map<const numeric::Points>(values.data(),
                                           static_cast<Eigen::Index>(values.size() / columns),
                                           static_cast<Eigen::Index>(columns));
}

void write_settings(ByteWriter& out, const region::SamplerSettings& s) {
  out.u8(static_cast<std::uint8_t>(s.method));
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    if (!number.is_own || number.belongs_to(s.method)) out.u32(s.*number.member);
  }
}

region::SamplerSettings read_settings(ByteReader& in) {
  region::SamplerSettings s;
  s.method = read_enum<region::Method>(in, "sampler method");
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    if (number.is_own && !number.belongs_to(s.method)) continue;
    s.*number.member = in.u32();
    check_message(
        !number.is_own || (s.*number.member >= number.low && s.*number.member <= number.high),
        "sampler: a number out of range");
  }
  return s;
}

base::Bytes encode(const Message& message) {
  ByteWriter out;
  out.u8(static_cast<std::uint8_t>(message.index() + 1));
  std::visit([&out](const auto& m) { write(out, m); }, message);
  return out.take();
}

Message decode(std::span<const std::uint8_t> bytes) {
  ByteReader in(bytes);
  const std::uint8_t type = in.u8();
  Message message;
  switch (type) {
    case 1:
      message = read_inducing_set(in);
      break;
    case 2:
      message = read_trim(in);
      break;
    case 3:
      message = read_upload(in);
      break;
    case 4:
      message = read_closing(in);
      break;
    case 5:
      message = read_refusal(in);
      break;
    default:
      fail_message(fmt::format("message type {}: must be 1 to 5", type));
  }
  in.expect_end();
  return message;
}

std::uint64_t num_reals(const Message& message) {
  return std::visit([](const auto& m) { return reals(m); }, message);
}

std::uint64_t points_digest(const numeric::Points& latents) {
  ByteWriter out;
  write_points(out, latents);
  return base::digest_of(out.bytes()).low;
}

}  // namespace duets::protocol
