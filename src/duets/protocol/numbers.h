// Numbers as messages carry them, in few bits.
//
// Rounding and encoding are apart: round_*() chooses numbers that have a short form, and writing
// is exact. What is read has the same bits as what was written, on every machine, and only that is
// decided by: a number may be rounded as coarsely as one likes before it is sent
// (docs/decisions/0050, docs/formats/messages.md).
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "duets/base/enum_table.h"
#include "duets/protocol/bits.h"
#include "duets/random/coin.h"

namespace duets::protocol {

/// How messages carry numbers.
enum class Numbers : std::uint8_t { kDouble = 0, kShort = 1 };
constexpr auto enum_entries(Numbers /*tag*/) {
  return base::entries<Numbers>(
      {{Numbers::kDouble, "double", "as they are, in eight bytes"},
       {Numbers::kShort, "short",
        "rounded before they are sent: uploads without bias, by the agent's coin; weights to what "
        "changes the mean by less than a small part of its deviation"}});
}

/// The multiples of a power of two: what the numbers of a list have in common, where most of them
/// do. Written as differences to `base` multiples.
struct Grid {
  std::int32_t exponent = 0;  ///< at most kMostExponent in size
  std::int64_t base = 0;      ///< at most kMostBase in size

  static constexpr std::int32_t kMostExponent = 960;
  static constexpr std::int64_t kMostBase = std::int64_t{1} << 52;

  friend bool operator==(const Grid&, const Grid&) = default;
};

/// The form of a list of numbers. Short ones without a grid, and those too far off it, stand by
/// themselves.
struct NumberFormat {
  Numbers numbers = Numbers::kDouble;
  std::optional<Grid> grid;

  friend bool operator==(const NumberFormat&, const NumberFormat&) = default;
};

/// A finite number as an odd integer times a power of two, in about as many bits as it has;
/// kInvalid for others. Readers refuse what is not finite.
void write_short(BitWriter& out, double number);
double read_short(BitReader& in);
/// A positive number of kScaleBits significant bits.
inline constexpr int kScaleBits = 4;
void write_scale(BitWriter& out, double number);
double read_scale(BitReader& in);
/// A short number, or eight bytes.
void write_number(BitWriter& out, double number, Numbers numbers);
double read_number(BitReader& in, Numbers numbers);

/// The last thing in a message. `format.numbers` must be known to the reader.
void write_numbers(BitWriter& out, std::span<const double> numbers, const NumberFormat& format);
std::vector<double> read_numbers(BitReader& in, NumberFormat& format);
/// How many bits that takes.
std::uint64_t size_of_numbers(std::span<const double> numbers, const NumberFormat& format);

/// The nearest number with this many significant bits. Strict.
double round_bits(double number, int bits);
/// The largest multiple of the power of two `2^exponent` that is not above the number. Strict.
double round_down(double number, int exponent);

/// An agent's numbers for an upload, each rounded up or down to a multiple of 2^exponent by its
/// coin, without bias.
struct RoundedNumbers {
  std::vector<double> numbers;
  NumberFormat format;
};
/// Without an exponent rewards say it themselves: a sixteenth of their deviation, if there are four
/// or more. Fewer have 16 bits each, as has any that is 2^40 steps away from the median. Strict.
RoundedNumbers round_rewards(std::span<const double> rewards, std::optional<std::int32_t> exponent,
                             const random::Coin& coin, std::uint32_t epoch);
RoundedNumbers round_projection(std::span<const double> sums, std::int32_t exponent,
                                const random::Coin& coin, std::uint32_t epoch);

}  // namespace duets::protocol
