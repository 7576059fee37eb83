#include "duets/protocol/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <optional>
#include <utility>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

using base::ByteReader;
using base::ByteWriter;

void check_encoding(bool ok, const char* what) {
  if (!ok) throw base::Error(base::ErrorKind::kDecode, what);
}

constexpr std::int64_t kMostInteger = std::int64_t{1} << 53;

std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

void write_signed(ByteWriter& out, std::int64_t value) { write_count(out, zigzag(value)); }

std::int64_t read_signed(ByteReader& in, std::int64_t most) {
  const std::int64_t value = unzigzag(read_count(in));
  check_encoding(value >= -most && value <= most, "an integer of a number is out of range");
  return value;
}

// The lowest bit of a byte comes first.
class BitWriter {
 public:
  explicit BitWriter(ByteWriter& out) : out_(out) {}
  void write(std::uint64_t value, int bits) {
    for (int i = 0; i < bits; ++i) {
      byte_ = static_cast<std::uint8_t>(byte_ | ((value >> i & 1) << used_));
      if (++used_ == 8) flush();
    }
  }
  void flush() {
    if (used_ > 0) out_.u8(byte_);
    byte_ = 0;
    used_ = 0;
  }

 private:
  ByteWriter& out_;
  std::uint8_t byte_ = 0;
  int used_ = 0;
};

class BitReader {
 public:
  explicit BitReader(ByteReader& in) : in_(in) {}
  std::uint64_t read(int bits) {
    std::uint64_t value = 0;
    for (int i = 0; i < bits; ++i) {
      if (left_ == 0) {
        byte_ = in_.u8();
        left_ = 8;
      }
      value |= std::uint64_t{byte_ & 1U} << i;
      byte_ = static_cast<std::uint8_t>(byte_ >> 1);
      --left_;
    }
    return value;
  }
  void finish() const { check_encoding(byte_ == 0, "bits after the last number must be 0"); }

 private:
  ByteReader& in_;
  std::uint8_t byte_ = 0;
  int left_ = 0;
};

// An element takes a bit at least.
std::size_t read_length(ByteReader& in, std::uint64_t most) {
  const std::uint64_t count = read_count(in);
  check_encoding(count <= 8 * std::uint64_t{in.remaining()}, "a list is longer than its bytes");
  check_encoding(count <= most, "a list is longer than this study allows");
  return static_cast<std::size_t>(count);
}

/// The code that says: by itself.
std::uint64_t escape_of(const NumberFormat& format) {
  return (std::uint64_t{1} << format.bits) - 1;
}

std::uint64_t code_of(double number, const NumberFormat& format) {
  const std::uint64_t escape = escape_of(format);
  const double place = std::ldexp(number, -format.exponent) - static_cast<double>(format.base);
  const bool has_code =
      place >= 0 && place < static_cast<double>(escape) && place == std::floor(place) &&
      std::ldexp(place + static_cast<double>(format.base), format.exponent) == number;
  return has_code ? static_cast<std::uint64_t>(place) : escape;
}

double number_of(std::uint64_t code, const NumberFormat& format) {
  return std::ldexp(static_cast<double>(format.base + static_cast<std::int64_t>(code)),
                    format.exponent);
}

/// The Rice parameter that takes the fewest bits.
int rice_parameter(std::span<const std::uint32_t> gaps) {
  int best = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int k = 0; k < 32; ++k) {
    std::uint64_t bits = 0;
    for (const std::uint32_t gap : gaps) bits += (gap >> k) + 1 + static_cast<unsigned>(k);
    if (bits < least) {
      least = bits;
      best = k;
    }
  }
  return best;
}

std::vector<std::uint32_t> gaps_of(std::span<const std::uint32_t> list) {
  std::vector<std::uint32_t> gaps;
  gaps.reserve(list.size());
  std::uint64_t next = 0;
  for (const std::uint32_t element : list) {
    gaps.push_back(static_cast<std::uint32_t>(element - next));
    next = std::uint64_t{element} + 1;
  }
  return gaps;
}

}  // namespace

void write_count(ByteWriter& out, std::uint64_t count) {
  for (; count >= 0x80; count >>= 7) out.u8(static_cast<std::uint8_t>(count | 0x80));
  out.u8(static_cast<std::uint8_t>(count));
}

std::uint64_t read_count(ByteReader& in) {
  std::uint64_t count = 0;
  for (int shift = 0; shift < 64; shift += 7) {
    const std::uint8_t byte = in.u8();
    check_encoding(shift < 63 || byte <= 1, "a count beyond 64 bits");
    count |= std::uint64_t{byte & 0x7FU} << shift;
    if (byte < 0x80) {
      check_encoding(byte != 0 || shift == 0, "a count ends with a zero byte");
      return count;
    }
  }
  check_encoding(false, "a count beyond 64 bits");
  return 0;
}

std::uint32_t read_count32(ByteReader& in) {
  const std::uint64_t count = read_count(in);
  check_encoding(count <= std::numeric_limits<std::uint32_t>::max(), "a number beyond 32 bits");
  return static_cast<std::uint32_t>(count);
}

void write_short(ByteWriter& out, double number) {
  if (!std::isfinite(number)) base::refuse("number", fmt::format("{}", number), "must be finite");
  int exponent = 0;
  auto odd = static_cast<std::int64_t>(std::ldexp(std::frexp(number, &exponent), 53));
  exponent -= 53;
  if (odd == 0) exponent = 0;
  for (; odd != 0 && odd % 2 == 0; odd /= 2) ++exponent;
  write_signed(out, odd);
  write_signed(out, exponent);
}

double read_short(ByteReader& in) {
  const std::int64_t odd = read_signed(in, kMostInteger);
  const auto exponent = static_cast<int>(read_signed(in, 2000));
  check_encoding(odd % 2 != 0 || (odd == 0 && exponent == 0), "a short number must be odd");
  const double number = std::ldexp(static_cast<double>(odd), exponent);
  check_encoding(std::isfinite(number), "a short number must be finite");
  check_encoding(std::ldexp(number, -exponent) == static_cast<double>(odd),
                 "a short number is too small");
  return number;
}

void write_scale(ByteWriter& out, double number) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(number, &exponent), kScaleBits);
  constexpr int kFirst = 1 << (kScaleBits - 1);
  if (!(mantissa >= kFirst && mantissa < 2 * kFirst && mantissa == std::floor(mantissa))) {
    base::refuse("scale", fmt::format("{}", number),
                 fmt::format("must be positive, with {} significant bits", kScaleBits));
  }
  write_count(
      out, (zigzag(exponent) << (kScaleBits - 1)) + static_cast<std::uint64_t>(mantissa - kFirst));
}

double read_scale(ByteReader& in) {
  const std::uint64_t count = read_count(in);
  const std::int64_t exponent = unzigzag(count >> (kScaleBits - 1));
  check_encoding(exponent > std::numeric_limits<double>::min_exponent - 1 &&
                     exponent <= std::numeric_limits<double>::max_exponent,
                 "a scale is too small or too large");
  constexpr std::uint64_t kFirst = std::uint64_t{1} << (kScaleBits - 1);
  return std::ldexp(static_cast<double>(kFirst + (count & (kFirst - 1))),
                    static_cast<int>(exponent) - kScaleBits);
}

void write_number(ByteWriter& out, double number, Numbers numbers) {
  if (numbers == Numbers::kShort) {
    write_short(out, number);
  } else {
    out.f64(number);
  }
}

double read_number(ByteReader& in, Numbers numbers) {
  return numbers == Numbers::kShort ? read_short(in) : in.f64();
}

void write_numbers(ByteWriter& out, std::span<const double> numbers, const NumberFormat& format) {
  write_count(out, numbers.size());
  if (numbers.empty()) return;
  if (format.numbers == Numbers::kDouble) {
    for (const double number : numbers) out.f64(number);
    return;
  }
  out.u8(format.bits);
  if (format.bits == 0) {
    for (const double number : numbers) write_short(out, number);
    return;
  }
  write_signed(out, format.exponent);
  write_signed(out, format.base);
  BitWriter bits(out);
  std::vector<double> alone;
  for (const double number : numbers) {
    const std::uint64_t code = code_of(number, format);
    if (code == escape_of(format)) alone.push_back(number);
    bits.write(code, format.bits);
  }
  bits.flush();
  for (const double number : alone) write_short(out, number);
}

std::vector<double> read_numbers(ByteReader& in, NumberFormat& format, std::uint64_t most) {
  std::vector<double> numbers(read_length(in, most));
  if (numbers.empty()) return numbers;
  if (format.numbers == Numbers::kDouble) {
    for (double& number : numbers) number = in.f64();
    return numbers;
  }
  format.bits = in.u8();
  check_encoding(format.bits <= NumberFormat::kMostBits, "a number has 32 bits at most");
  if (format.bits == 0) {
    for (double& number : numbers) number = read_short(in);
    return numbers;
  }
  format.exponent = static_cast<std::int32_t>(read_signed(in, NumberFormat::kMostExponent));
  format.base = read_signed(in, kMostInteger / 2);
  BitReader bits(in);
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const std::uint64_t code = bits.read(format.bits);
    numbers[i] = number_of(code, format);
    if (code == escape_of(format)) alone.push_back(i);
  }
  bits.finish();
  for (const std::size_t i : alone) {
    numbers[i] = read_short(in);
    check_encoding(code_of(numbers[i], format) == escape_of(format),
                   "a number by itself that has a code");
  }
  return numbers;
}

void write_increasing(ByteWriter& out, std::span<const std::uint32_t> list) {
  write_count(out, list.size());
  if (list.empty()) return;
  const std::vector<std::uint32_t> gaps = gaps_of(list);
  const int k = rice_parameter(gaps);
  out.u8(static_cast<std::uint8_t>(k));
  BitWriter bits(out);
  for (const std::uint32_t gap : gaps) {
    for (std::uint32_t i = 0; i < gap >> k; ++i) bits.write(1, 1);
    bits.write(0, 1);
    bits.write(gap, k);
  }
  bits.flush();
}

std::vector<std::uint32_t> read_increasing(ByteReader& in, std::uint64_t most) {
  std::vector<std::uint32_t> list(read_length(in, most));
  if (list.empty()) return list;
  const int k = in.u8();
  check_encoding(k < 32, "a Rice parameter is below 32");
  BitReader bits(in);
  std::uint64_t next = 0;
  for (std::uint32_t& element : list) {
    std::uint64_t high = 0;
    while (bits.read(1) == 1) ++high;
    const std::uint64_t place = next + (high << k) + bits.read(k);
    check_encoding(place <= std::numeric_limits<std::uint32_t>::max(),
                   "an element of a list is beyond 32 bits");
    element = static_cast<std::uint32_t>(place);
    next = place + 1;
  }
  bits.finish();
  check_encoding(rice_parameter(gaps_of(list)) == k, "another Rice parameter takes fewer bits");
  return list;
}

double round_bits(double number, int bits) {
  if (number == 0 || !std::isfinite(number)) return number;
  int exponent = 0;
  const double mantissa = std::frexp(number, &exponent);
  return std::ldexp(std::nearbyint(std::ldexp(mantissa, bits)), exponent - bits);
}

double round_down(double number, int exponent) {
  const double floor = std::ldexp(std::floor(std::ldexp(number, -exponent)), exponent);
  return std::isfinite(floor) ? floor : number;
}

namespace {

/// Fewer numbers do not say what is ordinary.
constexpr std::size_t kFewestOnGrid = 4;
/// In median absolute deviations from the median, or known deviations.
constexpr double kOrdinary = 64;
constexpr double kOrdinaryDeviations = 8;
/// A grid is not finer than this many halvings of the known deviation. A learned model's noise is a
/// tenth of it at least, beside which the rounding is small.
constexpr int kFinest = 5;
constexpr int kBitsAlone = 20;
constexpr double kBeyondGrids = 0x1p1000;

/// The range of the ordinary numbers; nothing where none is known to be.
std::optional<std::pair<double, double>> ordinary_range(std::span<const double> numbers,
                                                        double deviation) {
  if (numbers.empty() || (numbers.size() < kFewestOnGrid && deviation == 0)) return std::nullopt;
  std::vector<double> sorted(numbers.begin(), numbers.end());
  std::ranges::sort(sorted);
  const double centre = sorted[sorted.size() / 2];
  double most = kOrdinaryDeviations * deviation;
  if (deviation == 0) {
    std::vector<double> away;
    away.reserve(sorted.size());
    for (const double number : sorted) away.push_back(std::abs(number - centre));
    std::ranges::sort(away);
    const auto middle = away.begin() + static_cast<std::ptrdiff_t>(away.size() / 2);
    const auto positive = std::find_if(middle, away.end(), [](double a) { return a > 0; });
    most = positive == away.end() ? 0 : kOrdinary * *positive;
  }
  const auto is_ordinary = [&](double number) { return std::abs(number - centre) <= most; };
  return std::pair{*std::ranges::find_if(sorted, is_ordinary),
                   *std::find_if(sorted.rbegin(), sorted.rend(), is_ordinary)};
}

/// The finest grid with a code for both ends, rounded up or down; none for numbers near the largest
/// there are.
NumberFormat grid_over(double low, double high, int bits, double deviation) {
  NumberFormat format{Numbers::kShort, 1, 0, 0};
  const double largest = std::max(std::abs(low), std::abs(high));
  if (largest >= kBeyondGrids) return {Numbers::kShort, 0, 0, 0};
  if (largest == 0) return format;
  // Neither finer than its end points' last bits nor finer than what the format has.
  const double most_codes = std::ldexp(1.0, bits) - 1;
  int exponent = std::ilogb(largest) - 40;
  if (high > low) exponent = std::max(exponent, std::ilogb(high - low) - bits);
  if (deviation > 0) exponent = std::max(exponent, std::ilogb(deviation) - kFinest);
  exponent = std::clamp(exponent, -NumberFormat::kMostExponent, NumberFormat::kMostExponent);
  const auto num_codes = [&] {
    return std::ceil(std::ldexp(high, -exponent)) - std::floor(std::ldexp(low, -exponent)) + 1;
  };
  while (num_codes() > most_codes && exponent < NumberFormat::kMostExponent) ++exponent;
  format.bits = static_cast<std::uint8_t>(std::bit_width(static_cast<std::uint64_t>(num_codes())));
  format.exponent = exponent;
  format.base = static_cast<std::int64_t>(std::floor(std::ldexp(low, -exponent)));
  return format;
}

}  // namespace

RoundedNumbers round_upload(std::span<const double> numbers, int bits, double deviation,
                            const random::Coin& coin, std::uint32_t epoch) {
  RoundedNumbers rounded{{}, {Numbers::kShort, 0, 0, 0}};
  rounded.numbers.reserve(numbers.size());
  const auto range = ordinary_range(numbers, deviation);
  if (range) rounded.format = grid_over(range->first, range->second, bits, deviation);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double number = numbers[i];
    if (rounded.format.bits == 0 || number < range->first || number > range->second) {
      rounded.numbers.push_back(round_bits(number, kBitsAlone));
      continue;
    }
    double uniform = 0;
    coin.uniforms({.purpose = random::Purpose::kRounding,
                   .epoch = epoch,
                   .slot = static_cast<std::uint32_t>(i)},
                  {&uniform, 1});
    const double place = std::ldexp(number, -rounded.format.exponent);
    const double below = std::floor(place);
    const double chosen = uniform < place - below ? below + 1 : below;
    rounded.numbers.push_back(std::ldexp(chosen, rounded.format.exponent));
  }
  return rounded;
}

}  // namespace duets::protocol
