#include "duets/protocol/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

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

// The type is in the lowest three bits of the first byte, what the message has in the others.
constexpr std::uint8_t kType = 7;
constexpr std::uint8_t kShortFlag = 1U << 3;

enum class SetFlag : std::uint8_t { kRewards = 1U << 4, kClosing = 1U << 5, kPoints = 1U << 6 };
enum class TrimFlag : std::uint8_t { kStarts = 1U << 4, kExcluded = 1U << 5, kLearned = 1U << 6 };
enum class UploadFlag : std::uint8_t { kRewards = 1U << 4, kHoles = 1U << 5 };
enum class ClosingFlag : std::uint8_t { kBest = 1U << 4, kHoles = 1U << 5 };

template <typename Flag>
std::uint8_t flag_if(bool on, Flag flag) {
  return on ? static_cast<std::uint8_t>(flag) : std::uint8_t{0};
}

// The flags of a message that is read; each may be asked for once, and then none is left.
class Flags {
 public:
  explicit Flags(std::uint8_t flags) : flags_(flags) {}
  template <typename Flag>
  bool take(Flag flag) {
    const bool on = (flags_ & static_cast<std::uint8_t>(flag)) != 0;
    flags_ = static_cast<std::uint8_t>(flags_ & ~static_cast<std::uint8_t>(flag));
    return on;
  }
  void finish() const { check_message(flags_ == 0, "unknown flags"); }

 private:
  std::uint8_t flags_;
};

std::uint8_t short_flag(const NumberFormat& format) {
  return format.numbers == Numbers::kShort ? kShortFlag : std::uint8_t{0};
}
NumberFormat read_format(Flags& flags) {
  NumberFormat format;
  if (flags.take(kShortFlag)) format.numbers = Numbers::kShort;
  return format;
}
UploadKind kind_if(bool rewards) {
  return rewards ? UploadKind::kRewards : UploadKind::kProjection;
}

AgentId read_agent(ByteReader& in) { return AgentId{read_count32(in)}; }
EpochId read_epoch(ByteReader& in) { return EpochId{read_count32(in)}; }

std::span<const double> numbers_of(const numeric::Vector& v) {
  return {v.data(), static_cast<std::size_t>(v.size())};
}

numeric::Vector read_vector(ByteReader& in, NumberFormat& format, std::uint64_t most) {
  const std::vector<double> values = read_numbers(in, format, most);
  return Eigen::Map<const numeric::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

// A list that is there has an element: its flag says whether it is.
std::vector<std::uint32_t> read_some(ByteReader& in, std::uint64_t most) {
  std::vector<std::uint32_t> list = read_increasing(in, most);
  check_message(!list.empty(), "an empty list has no flag");
  return list;
}

// A length scale or a variance.
void write_positive(ByteWriter& out, double number, Numbers numbers) {
  if (numbers == Numbers::kShort) {
    write_scale(out, number);
  } else {
    out.f64(number);
  }
}
double read_positive(ByteReader& in, Numbers numbers) {
  return numbers == Numbers::kShort ? read_scale(in) : in.f64();
}

void write_sampler(ByteWriter& out, const region::SamplerSettings& s) {
  auto method = static_cast<std::uint8_t>(s.method);
  std::uint8_t flag = 4;
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    if (s.*number.member != 0) method = static_cast<std::uint8_t>(method | flag);
    flag = static_cast<std::uint8_t>(flag << 1);
  }
  out.u8(method);
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    if (s.*number.member != 0) write_count(out, s.*number.member);
  }
}

region::SamplerSettings read_sampler(ByteReader& in) {
  const std::uint8_t first = in.u8();
  region::SamplerSettings s;
  s.method = base::enum_of<region::Method>(first & 3U, "sampler method", base::ErrorKind::kDecode);
  std::uint8_t flag = 4;
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    s.*number.member = (first & flag) != 0 ? read_count32(in) : 0;
    check_message((first & flag) == 0 || s.*number.member != 0, "sampler: a number that is 0");
    check_message(!number.is_own || number.belongs_to(s.method) || (first & flag) == 0,
                  "sampler: a number of another method");
    check_message(!number.is_own || s.*number.member <= number.high,
                  "sampler: a number out of range");
    flag = static_cast<std::uint8_t>(flag << 1);
  }
  return s;
}

std::uint8_t flags_of(const InducingSet& m) {
  return static_cast<std::uint8_t>(flag_if(m.upload == UploadKind::kRewards, SetFlag::kRewards) |
                                   flag_if(m.closing, SetFlag::kClosing) |
                                   flag_if(m.points.rows() > 0, SetFlag::kPoints));
}

void write(ByteWriter& out, const InducingSet& m) {
  write_count(out, base::value(m.epoch));
  if (m.points.rows() > 0) {
    write_points(out, m.points);
  } else {
    write_increasing(out, m.public_slots);
  }
}

InducingSet read_inducing_set(ByteReader& in, Flags& flags, std::uint64_t most) {
  InducingSet m;
  m.upload = kind_if(flags.take(SetFlag::kRewards));
  m.closing = flags.take(SetFlag::kClosing);
  m.epoch = read_epoch(in);
  if (flags.take(SetFlag::kPoints)) {
    m.points = read_points(in);
    check_message(m.points.rows() > 0, "an inducing set without points");
    return m;
  }
  m.public_slots = read_increasing(in, most);
  check_message(!m.public_slots.empty() || (m.closing && m.upload == UploadKind::kRewards),
                "an inducing set has either points or public slots");
  return m;
}

std::uint8_t flags_of(const Trim& m) {
  return static_cast<std::uint8_t>(short_flag(m.format) |
                                   flag_if(m.starts.rows() > 0, TrimFlag::kStarts) |
                                   flag_if(!m.excluded.empty(), TrimFlag::kExcluded) |
                                   flag_if(m.learned.has_value(), TrimFlag::kLearned));
}

void write(ByteWriter& out, const Trim& m) {
  const Numbers numbers = m.format.numbers;
  write_count(out, base::value(m.epoch));
  write_numbers(out, numbers_of(m.weights), m.format);
  write_number(out, m.tau, numbers);
  write_sampler(out, m.sampler);
  if (m.starts.rows() > 0) write_points(out, m.starts);
  if (!m.excluded.empty()) write_increasing(out, m.excluded);
  if (!m.learned) return;
  const kernel::Kernel& kernel = m.learned->kernel;
  out.u8(static_cast<std::uint8_t>(kernel.family));
  write_count(out, kernel.lengthscales.size());
  for (const double scale : kernel.lengthscales) write_positive(out, scale, numbers);
  write_positive(out, kernel.variance, numbers);
  write_number(out, m.learned->reward_offset, numbers);
}

Trim read_trim(ByteReader& in, Flags& flags, std::uint64_t most) {
  Trim m;
  m.format = read_format(flags);
  const Numbers numbers = m.format.numbers;
  m.epoch = read_epoch(in);
  m.weights = read_vector(in, m.format, most);
  m.tau = read_number(in, numbers);
  m.sampler = read_sampler(in);
  if (flags.take(TrimFlag::kStarts)) {
    m.starts = read_points(in);
    check_message(m.starts.rows() > 0, "starts without points");
  }
  if (flags.take(TrimFlag::kExcluded)) m.excluded = read_some(in, most);
  if (flags.take(TrimFlag::kLearned)) {
    Model learned;
    learned.kernel.family = read_enum<kernel::Family>(in, "kernel family");
    const std::uint64_t num_scales = read_count(in);
    check_message(num_scales <= std::min<std::uint64_t>(most, in.remaining()),
                  "more length scales than bytes");
    learned.kernel.lengthscales.resize(static_cast<std::size_t>(num_scales));
    for (double& scale : learned.kernel.lengthscales) scale = read_positive(in, numbers);
    learned.kernel.variance = read_positive(in, numbers);
    learned.reward_offset = read_number(in, numbers);
    m.learned = std::move(learned);
  }
  return m;
}

std::uint8_t flags_of(const Upload& m) {
  return static_cast<std::uint8_t>(short_flag(m.format) |
                                   flag_if(m.kind == UploadKind::kRewards, UploadFlag::kRewards) |
                                   flag_if(!m.holes.empty(), UploadFlag::kHoles));
}

void write(ByteWriter& out, const Upload& m) {
  write_count(out, base::value(m.agent));
  write_count(out, base::value(m.epoch));
  out.u32(m.points_digest);
  if (!m.holes.empty()) write_increasing(out, m.holes);
  write_numbers(out, m.values, m.format);
}

Upload read_upload(ByteReader& in, Flags& flags, std::uint64_t most) {
  Upload m;
  m.format = read_format(flags);
  m.kind = kind_if(flags.take(UploadFlag::kRewards));
  m.agent = read_agent(in);
  m.epoch = read_epoch(in);
  m.points_digest = in.u32();
  if (flags.take(UploadFlag::kHoles)) m.holes = read_some(in, most);
  m.values = read_numbers(in, m.format, most);
  return m;
}

std::uint8_t flags_of(const Closing& m) {
  return static_cast<std::uint8_t>(short_flag(m.format) | flag_if(m.has_best, ClosingFlag::kBest) |
                                   flag_if(!m.holes.empty(), ClosingFlag::kHoles));
}

void write(ByteWriter& out, const Closing& m) {
  write_count(out, base::value(m.agent));
  if (m.has_best) {
    write_count(out, base::value(m.best.epoch));
    write_count(out, m.best.slot);
    write_number(out, m.best.reward, m.format.numbers);
  }
  out.u32(m.points_digest);
  if (!m.holes.empty()) write_increasing(out, m.holes);
  write_numbers(out, m.values, m.format);
}

Closing read_closing(ByteReader& in, Flags& flags, std::uint64_t most) {
  Closing m;
  m.format = read_format(flags);
  m.agent = m.best.agent = read_agent(in);
  m.has_best = flags.take(ClosingFlag::kBest);
  if (m.has_best) {
    m.best.epoch = read_epoch(in);
    m.best.slot = read_count32(in);
    m.best.reward = read_number(in, m.format.numbers);
  }
  m.points_digest = in.u32();
  if (flags.take(ClosingFlag::kHoles)) m.holes = read_some(in, most);
  m.values = read_numbers(in, m.format, most);
  return m;
}

std::uint8_t flags_of(const Refusal& /*m*/) { return 0; }

void write(ByteWriter& out, const Refusal& m) {
  write_count(out, base::value(m.agent));
  write_count(out, base::value(m.epoch));
  out.u8(static_cast<std::uint8_t>(m.reason));
}

Refusal read_refusal(ByteReader& in, Flags& /*flags*/, std::uint64_t /*most*/) {
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
  const auto type = static_cast<std::uint8_t>(message.index() + 1);
  std::visit(
      [&](const auto& m) {
        out.u8(static_cast<std::uint8_t>(type | flags_of(m)));
        write(out, m);
      },
      message);
  return out.take();
}

Message decode(std::span<const std::uint8_t> bytes, std::uint64_t most) {
  ByteReader in(bytes);
  const std::uint8_t first = in.u8();
  Flags flags(static_cast<std::uint8_t>(first & ~kType));
  Message message;
  switch (first & kType) {
    case 1:
      message = read_inducing_set(in, flags, most);
      break;
    case 2:
      message = read_trim(in, flags, most);
      break;
    case 3:
      message = read_upload(in, flags, most);
      break;
    case 4:
      message = read_closing(in, flags, most);
      break;
    case 5:
      message = read_refusal(in, flags, most);
      break;
    default:
      fail_message(fmt::format("message type {}: must be 1 to 5", first & kType));
  }
  flags.finish();
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
