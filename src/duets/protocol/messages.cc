#include "duets/protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <span>

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

template <typename Enum>
Enum read_enum(ByteReader& in, const char* what) {
  return base::enum_of<Enum>(in.u8(), what, base::ErrorKind::kDecode);
}
template <typename Enum>
Enum read_enum(BitReader& in, int bits, const char* what) {
  return base::enum_of<Enum>(static_cast<std::uint32_t>(in.bits(bits)), what,
                             base::ErrorKind::kDecode);
}
template <typename Enum>
void write_enum(BitWriter& out, Enum value, int bits) {
  out.bits(static_cast<std::uint64_t>(value), bits);
}

// Bits and parameters of the fields in messages.md.
constexpr int kTypeParameter = 0;
constexpr int kReasonBits = 3;
constexpr int kMethodBits = 2;
constexpr int kFamilyBits = 2;
constexpr int kPowerBits = 5;
constexpr int kIdParameter = 3;
constexpr int kSlotParameter = 5;
constexpr int kSamplerParameter = 5;
constexpr int kSizeParameter = 2;
constexpr int kExponentOfSet = 2;

bool is_short(const NumberFormat& format) { return format.numbers == Numbers::kShort; }
void read_short_flag(BitReader& in, NumberFormat& format) {
  format.numbers = in.flag() ? Numbers::kShort : Numbers::kDouble;
}
UploadKind kind_if(bool rewards) {
  return rewards ? UploadKind::kRewards : UploadKind::kProjection;
}

void write_agent(BitWriter& out, AgentId agent) { out.count(base::value(agent), kIdParameter); }
void write_epoch(BitWriter& out, EpochId epoch) { out.count(base::value(epoch), kIdParameter); }
AgentId read_agent(BitReader& in) { return AgentId{in.count32(kIdParameter)}; }
EpochId read_epoch(BitReader& in) { return EpochId{in.count32(kIdParameter)}; }

std::span<const double> numbers_of(const numeric::Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

// A list that is there if its flag is set.
void write_some(BitWriter& out, std::span<const std::uint32_t> list) {
  out.flag(!list.empty());
  if (!list.empty()) out.increasing(list);
}
std::vector<std::uint32_t> read_some(BitReader& in) {
  return in.flag() ? in.increasing() : std::vector<std::uint32_t>{};
}

void write_some(BitWriter& out, const numeric::Points& points) {
  out.flag(points.rows() > 0);
  if (points.rows() == 0) return;
  out.count(static_cast<std::uint64_t>(points.rows()), kSizeParameter);
  out.count(static_cast<std::uint64_t>(points.cols()), kSizeParameter);
  for (const double coordinate :
       std::span(points.data(), static_cast<std::size_t>(points.size()))) {
    out.f64(coordinate);
  }
}
numeric::Points read_some_points(BitReader& in) {
  if (!in.flag()) return {};
  const std::size_t rows = in.length(in.count32(kSizeParameter));
  const std::size_t columns = in.length(in.count32(kSizeParameter));
  check_message(rows > 0 && columns > 0, "points without coordinates");
  check_message(columns <= in.left() / 64 / rows, "more points than their message has");
  numeric::Points points(static_cast<Eigen::Index>(rows), static_cast<Eigen::Index>(columns));
  for (double& coordinate : std::span(points.data(), static_cast<std::size_t>(points.size()))) {
    coordinate = in.f64();
  }
  return points;
}

// A length scale or a variance.
void write_positive(BitWriter& out, double number, Numbers numbers) {
  if (numbers == Numbers::kShort) {
    write_scale(out, number);
  } else {
    out.f64(number);
  }
}
double read_positive(BitReader& in, Numbers numbers) {
  return numbers == Numbers::kShort ? read_scale(in) : in.f64();
}

// A power of two by its exponent. Only a method's own numbers are sent, the others are 0.
void write_sampler(BitWriter& out, const region::SamplerSettings& s) {
  write_enum(out, s.method, kMethodBits);
  for (const region::SamplerNumber& one : region::kSamplerNumbers) {
    if (!one.belongs_to(s.method)) continue;
    const std::uint32_t number = s.*one.member;
    out.flag(std::has_single_bit(number));
    if (std::has_single_bit(number)) {
      out.bits(static_cast<std::uint64_t>(std::countr_zero(number)), kPowerBits);
    } else {
      out.count(number, kSamplerParameter);
    }
  }
}

region::SamplerSettings read_sampler(BitReader& in) {
  region::SamplerSettings s;
  s.method = read_enum<region::Method>(in, kMethodBits, "sampler method");
  for (const region::SamplerNumber& one : region::kSamplerNumbers) {
    std::uint32_t& number = s.*one.member;
    number = 0;
    if (!one.belongs_to(s.method)) continue;
    number = in.flag() ? std::uint32_t{1} << in.bits(kPowerBits) : in.count32(kSamplerParameter);
    check_message(number >= one.low && number <= one.high, "sampler: a number out of range");
  }
  return s;
}

void write_model(BitWriter& out, const Model& model, Numbers numbers) {
  write_enum(out, model.kernel.family, kFamilyBits);
  out.count(model.kernel.lengthscales.size(), kSizeParameter);
  for (const double scale : model.kernel.lengthscales) write_positive(out, scale, numbers);
  write_positive(out, model.kernel.variance, numbers);
  write_number(out, model.reward_offset, numbers);
}

Model read_model(BitReader& in, Numbers numbers) {
  Model model;
  model.kernel.family = read_enum<kernel::Family>(in, kFamilyBits, "kernel family");
  model.kernel.lengthscales.resize(in.length(in.count(kSizeParameter)));
  for (double& scale : model.kernel.lengthscales) scale = read_positive(in, numbers);
  model.kernel.variance = read_positive(in, numbers);
  model.reward_offset = read_number(in, numbers);
  return model;
}

void write(BitWriter& out, const InducingSet& m) {
  out.flag(m.upload == UploadKind::kRewards);
  out.flag(m.closing);
  write_epoch(out, m.epoch);
  const bool has_exponent = m.exponent.has_value();
  if (!has_exponent && m.points.rows() == 0 && m.public_slots.empty()) return;
  out.flag(has_exponent);
  if (has_exponent) out.integer(*m.exponent, kExponentOfSet);
  if (m.points.rows() == 0 && m.public_slots.empty()) return;
  write_some(out, m.points);
  out.increasing_to_end(m.public_slots);
}

InducingSet read_inducing_set(BitReader& in) {
  InducingSet m;
  m.upload = kind_if(in.flag());
  m.closing = in.flag();
  m.epoch = read_epoch(in);
  if (!in.at_end() && in.flag()) {
    const std::int64_t exponent = in.integer(kExponentOfSet);
    check_message(std::abs(exponent) <= Grid::kMostExponent, "an exponent is out of range");
    m.exponent = static_cast<std::int32_t>(exponent);
  }
  if (in.at_end()) {
    check_message(m.upload == UploadKind::kRewards,
                  "an inducing set for projections needs points or public slots");
    return m;
  }
  m.points = read_some_points(in);
  m.public_slots = in.increasing_to_end();
  check_message(m.points.rows() == 0 || m.public_slots.empty(),
                "an inducing set has points or public slots, not both");
  return m;
}

void write(BitWriter& out, const Trim& m) {
  const Numbers numbers = m.format.numbers;
  out.flag(is_short(m.format));
  write_epoch(out, m.epoch);
  write_some(out, m.excluded);
  const bool cuts = m.weights.size() > 0;
  out.flag(cuts);
  if (!cuts) return;
  out.flag(m.learned.has_value());
  if (m.learned) write_model(out, *m.learned, numbers);
  write_number(out, m.tau, numbers);
  write_sampler(out, m.sampler);
  write_some(out, m.starts);
  write_some(out, m.public_slots);
  write_numbers(out, numbers_of(m.weights), m.format);
}

Trim read_trim(BitReader& in) {
  Trim m;
  read_short_flag(in, m.format);
  const Numbers numbers = m.format.numbers;
  m.epoch = read_epoch(in);
  m.excluded = read_some(in);
  if (!in.flag()) return m;
  if (in.flag()) m.learned = read_model(in, numbers);
  m.tau = read_number(in, numbers);
  m.sampler = read_sampler(in);
  m.starts = read_some_points(in);
  m.public_slots = read_some(in);
  const std::vector<double> weights = read_numbers(in, m.format);
  check_message(!weights.empty(), "a cut without weights");
  m.weights =
      Eigen::Map<const numeric::Vector>(weights.data(), static_cast<Eigen::Index>(weights.size()));
  return m;
}

void write(BitWriter& out, const Upload& m) {
  out.flag(is_short(m.format));
  out.flag(m.kind == UploadKind::kRewards);
  write_agent(out, m.agent);
  write_epoch(out, m.epoch);
  out.bits(m.points_digest, digest_bits(m.format.numbers, false));
  write_some(out, m.holes);
  write_numbers(out, m.values, m.format);
}

Upload read_upload(BitReader& in) {
  Upload m;
  read_short_flag(in, m.format);
  m.kind = kind_if(in.flag());
  m.agent = read_agent(in);
  m.epoch = read_epoch(in);
  m.points_digest = in.bits(digest_bits(m.format.numbers, false));
  m.holes = read_some(in);
  m.values = read_numbers(in, m.format);
  return m;
}

void write(BitWriter& out, const Closing& m) {
  out.flag(is_short(m.format));
  write_agent(out, m.agent);
  out.flag(m.has_best);
  if (m.has_best) {
    write_epoch(out, m.best.epoch);
    out.count(m.best.slot, kSlotParameter);
    out.f64(m.best.reward);
  }
  out.bits(m.points_digest, digest_bits(m.format.numbers, true));
  write_some(out, m.holes);
  write_numbers(out, m.values, m.format);
}

Closing read_closing(BitReader& in) {
  Closing m;
  read_short_flag(in, m.format);
  m.agent = m.best.agent = read_agent(in);
  m.has_best = in.flag();
  if (m.has_best) {
    m.best.epoch = read_epoch(in);
    m.best.slot = in.count32(kSlotParameter);
    m.best.reward = in.f64();
  }
  m.points_digest = in.bits(digest_bits(m.format.numbers, true));
  m.holes = read_some(in);
  m.values = read_numbers(in, m.format);
  return m;
}

void write(BitWriter& out, const Refusal& m) {
  write_agent(out, m.agent);
  write_epoch(out, m.epoch);
  write_enum(out, m.reason, kReasonBits);
}

Refusal read_refusal(BitReader& in) {
  Refusal m;
  m.agent = read_agent(in);
  m.epoch = read_epoch(in);
  m.reason = read_enum<Reason>(in, kReasonBits, "reason");
  return m;
}

Message read_message(BitReader& in) {
  switch (const std::uint64_t type = in.count(kTypeParameter)) {
    case 0:
      return read_inducing_set(in);
    case 1:
      return read_trim(in);
    case 2:
      return read_upload(in);
    case 3:
      return read_closing(in);
    case 4:
      return read_refusal(in);
    default:
      fail_message(fmt::format("message type {}: must be at most 4", type));
  }
}

// Reals of one message kind each.
std::uint64_t reals(const InducingSet& m) {
  return static_cast<std::uint64_t>(m.points.size()) + m.public_slots.size();
}
std::uint64_t reals(const Trim& m) {
  // Scales, variance, offset.
  const std::size_t model = m.learned ? m.learned->kernel.lengthscales.size() + 2 : 0;
  return m.public_slots.size() + static_cast<std::uint64_t>(m.weights.size()) + 1 +
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
    if (number.belongs_to(s.method)) out.u32(s.*number.member);
  }
}

region::SamplerSettings read_settings(ByteReader& in) {
  region::SamplerSettings s;
  s.method = read_enum<region::Method>(in, "sampler method");
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    s.*number.member = 0;
    if (!number.belongs_to(s.method)) continue;
    s.*number.member = in.u32();
    check_message(s.*number.member >= number.low && s.*number.member <= number.high,
                  "sampler: a number out of range");
  }
  return s;
}

base::Bytes encode(const Message& message) {
  BitWriter out;
  out.count(message.index(), kTypeParameter);
  std::visit([&](const auto& m) { write(out, m); }, message);
  return out.take();
}

// Of all codes for a message the encoder has one: another would be another message to digests and
// to a coordinator that compares what it was sent twice.
Message decode(std::span<const std::uint8_t> bytes, std::uint64_t most) {
  BitReader in(bytes, most);
  Message message = read_message(in);
  in.expect_end();
  check_message(std::ranges::equal(encode(message), bytes), "not as an encoder writes it");
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
