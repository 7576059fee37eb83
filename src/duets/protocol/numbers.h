// Numbers as messages carry them, and lists that increase, in few bits.
//
// Rounding and encoding are apart: round_*() chooses numbers that have a short form, and writing
// is exact. What is read has the same bits as what was written, on every machine, and only that is
// decided by: a number may be rounded as coarsely as one likes before it is sent
// (docs/decisions/0050, docs/formats/messages.md).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/enum_table.h"
#include "duets/random/coin.h"

namespace duets::protocol {

/// How messages carry numbers.
enum class Numbers : std::uint8_t { kDouble = 0, kShort = 1 };
constexpr auto enum_entries(Numbers /*tag*/) {
  return base::entries<Numbers>(
      {{Numbers::kDouble, "double", "as they are, in eight bytes"},
       {Numbers::kShort, "short",
        "rounded before they are sent: rewards to 8 bits and projections to 16, without bias by "
        "the agent's coin; weights to what changes the mean by less than a small part of its "
        "deviation"}});
}

/// A list of numbers. Short ones are `(base + code) 2^exponent` with a code of `bits` bits; those
/// that have no code, or all if `bits` is 0, stand by themselves.
struct NumberFormat {
  Numbers numbers = Numbers::kDouble;
  std::uint8_t bits = 0;  ///< at most kMostBits
  std::int32_t exponent =
      0;  ///< at most kMostExponent in size, as `base` at most 2^52; 0 if no bits
  std::int64_t base = 0;

  static constexpr std::uint8_t kMostBits = 32;
  static constexpr std::int32_t kMostExponent = 960;

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// The most elements of any list that is read, so that nothing larger is allocated.
inline constexpr std::uint64_t kAnyNumber = UINT64_MAX;

/// LEB128: seven bits a byte, the lowest first; no zero byte at the end.
void write_count(base::ByteWriter& out, std::uint64_t count);
std::uint64_t read_count(base::ByteReader& in);
std::uint32_t read_count32(base::ByteReader& in);

/// A finite number as an odd integer times a power of two, in as many bytes as it has bits;
/// kInvalid for others. Readers refuse what is not finite.
void write_short(base::ByteWriter& out, double number);
double read_short(base::ByteReader& in);
/// A positive number of kScaleBits significant bits: that, and the power of two, as one count.
inline constexpr int kScaleBits = 4;
void write_scale(base::ByteWriter& out, double number);
double read_scale(base::ByteReader& in);
/// A short number, or eight bytes.
void write_number(base::ByteWriter& out, double number, Numbers numbers);
double read_number(base::ByteReader& in, Numbers numbers);

/// `format.numbers` must be known to the reader.
void write_numbers(base::ByteWriter& out, std::span<const double> numbers,
                   const NumberFormat& format);
std::vector<double> read_numbers(base::ByteReader& in, NumberFormat& format,
                                 std::uint64_t most = kAnyNumber);

/// Numbers that increase, as differences in a Rice code.
void write_increasing(base::ByteWriter& out, std::span<const std::uint32_t> list);
std::vector<std::uint32_t> read_increasing(base::ByteReader& in, std::uint64_t most = kAnyNumber);

/// The nearest number with this many significant bits. Strict.
double round_bits(double number, int bits);
/// The largest multiple of the power of two `2^exponent` that is not above the number. Strict.
double round_down(double number, int exponent);

/// An agent's numbers for an upload, rounded by its coin to a grid of at most 2^bits, without bias.
/// The grid spans the ordinary ones; those that are far from all others are rounded by themselves,
/// to 20 bits. `deviation` is that of the function where it is known: then the grid is not finer
/// than a 32nd of it, and tells what is ordinary; otherwise (0) the numbers themselves do, if there
/// are four. Strict.
struct RoundedNumbers {
  std::vector<double> numbers;
  NumberFormat format;
};
RoundedNumbers round_upload(std::span<const double> numbers, int bits, double deviation,
                            const random::Coin& coin, std::uint32_t epoch);

}  // namespace duets::protocol
