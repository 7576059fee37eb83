#include "duets/protocol/numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

// Of the codes of messages.md.
constexpr int kBitsParameter = 3;
constexpr int kExponentParameter = 3;
constexpr int kScaleParameter = 1;
constexpr int kGridParameter = 2;
constexpr int kBaseParameter = 5;

constexpr int kMostBits = 53;
/// Beyond all exponents there are, so that none overflows.
constexpr std::int64_t kAnyExponent = 2000;
/// A number that is so many steps away from the base stands by itself.
constexpr double kFarSteps = 0x1p40;
/// Of the parameter of a list of numbers.
constexpr int kNumberParameterBits = 5;

void check_number(bool ok, const char* what) {
  if (!ok) throw base::Error(base::ErrorKind::kDecode, what);
}

std::int32_t read_exponent(BitReader& in, int k, std::int64_t most) {
  const std::int64_t exponent = in.integer(k);
  check_number(exponent >= -most && exponent <= most, "an exponent is out of range");
  return static_cast<std::int32_t>(exponent);
}

/// The difference to the base in steps; nothing for a number off the grid.
std::optional<std::int64_t> code_of(double number, const Grid& grid) {
  const double place = std::ldexp(number, -grid.exponent);
  const double code = place - static_cast<double>(grid.base);
  const bool has_code = std::abs(code) < kFarSteps && code == std::floor(code) &&
                        std::ldexp(code + static_cast<double>(grid.base), grid.exponent) == number;
  return has_code ? std::optional(static_cast<std::int64_t>(code)) : std::nullopt;
}

double number_of(std::int64_t code, const Grid& grid) {
  check_number(std::abs(static_cast<double>(code)) < kFarSteps, "a code is out of range");
  const double number = std::ldexp(static_cast<double>(grid.base + code), grid.exponent);
  check_number(std::isfinite(number), "a number is not finite");
  return number;
}

struct Codes {
  std::vector<std::uint64_t> on_grid;
  std::vector<std::uint32_t> apart;  ///< which numbers are off the grid
};
Codes codes_of(std::span<const double> numbers, const Grid& grid) {
  Codes codes;
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    if (const auto code = code_of(numbers[i], grid)) {
      codes.on_grid.push_back(unsigned_code(*code));
    } else {
      codes.apart.push_back(i);
    }
  }
  return codes;
}

void write_on_grid(BitWriter& out, std::span<const double> numbers, const Grid& grid) {
  const Codes codes = codes_of(numbers, grid);
  out.integer(grid.exponent, kGridParameter);
  out.flag(grid.base != 0);
  if (grid.base != 0) out.integer(grid.base, kBaseParameter);
  out.flag(!codes.apart.empty());
  if (!codes.apart.empty()) {
    out.increasing(codes.apart);
    for (const std::uint32_t i : codes.apart) write_short(out, numbers[i]);
  }
  const int k = best_parameter(codes.on_grid, 1 << kNumberParameterBits);
  out.bits(static_cast<std::uint64_t>(k), kNumberParameterBits);
  for (const std::uint64_t code : codes.on_grid) out.element(code, k);
}

std::vector<double> read_on_grid(BitReader& in, Grid& grid) {
  grid.exponent = read_exponent(in, kGridParameter, Grid::kMostExponent);
  if (in.flag()) grid.base = in.integer(kBaseParameter);
  check_number(std::abs(grid.base) <= Grid::kMostBase, "the base of a grid is out of range");
  std::vector<std::uint32_t> apart;
  std::vector<double> alone;
  if (in.flag()) apart = in.increasing();
  for (std::size_t i = 0; i < apart.size(); ++i) alone.push_back(read_short(in));
  const auto k = static_cast<int>(in.bits(kNumberParameterBits));
  std::vector<double> numbers;
  std::size_t next = 0;
  while (true) {
    if (next < apart.size() && apart[next] == numbers.size()) {
      numbers.push_back(alone[next++]);
    } else if (in.at_end()) {
      break;
    } else {
      numbers.push_back(number_of(signed_of(in.element(k)), grid));
    }
    in.limit(numbers.size());
  }
  check_number(next == apart.size(), "a number by itself beyond the end of its list");
  return numbers;
}

}  // namespace

void write_short(BitWriter& out, double number) {
  if (!std::isfinite(number)) base::refuse("number", fmt::format("{}", number), "must be finite");
  int exponent = 0;
  auto odd = static_cast<std::int64_t>(std::ldexp(std::frexp(std::abs(number), &exponent), 53));
  exponent -= 53;
  for (; odd != 0 && odd % 2 == 0; odd /= 2) ++exponent;
  const int width = std::bit_width(static_cast<std::uint64_t>(odd));
  out.count(static_cast<std::uint64_t>(width), kBitsParameter);
  if (width == 0) return;
  out.flag(std::signbit(number));
  // The first and the last bit are ones.
  if (width > 2) out.bits(static_cast<std::uint64_t>(odd >> 1), width - 2);
  out.integer(exponent, kExponentParameter);
}

double read_short(BitReader& in) {
  const std::uint64_t bits = in.count(kBitsParameter);
  check_number(bits <= kMostBits, "a number of more than 53 bits");
  if (bits == 0) return 0;
  const auto width = static_cast<int>(bits);
  const bool negative = in.flag();
  std::uint64_t odd = 1 | std::uint64_t{1} << (width - 1);
  if (width > 2) odd |= in.bits(width - 2) << 1;
  const std::int32_t exponent = read_exponent(in, kExponentParameter, kAnyExponent);
  const double number = std::ldexp(static_cast<double>(odd), exponent);
  check_number(std::isfinite(number), "a number is not finite");
  check_number(std::ldexp(number, -exponent) == static_cast<double>(odd), "a number is too small");
  return negative ? -number : number;
}

void write_scale(BitWriter& out, double number) {
  int exponent = 0;
  const double mantissa = std::ldexp(std::frexp(number, &exponent), kScaleBits);
  constexpr int kFirst = 1 << (kScaleBits - 1);
  if (!(mantissa >= kFirst && mantissa < 2 * kFirst && mantissa == std::floor(mantissa))) {
    base::refuse("scale", fmt::format("{}", number),
                 fmt::format("must be positive, with {} significant bits", kScaleBits));
  }
  out.bits(static_cast<std::uint64_t>(mantissa - kFirst), kScaleBits - 1);
  out.integer(exponent, kScaleParameter);
}

double read_scale(BitReader& in) {
  constexpr std::uint64_t kFirst = std::uint64_t{1} << (kScaleBits - 1);
  const auto mantissa = static_cast<double>(kFirst + in.bits(kScaleBits - 1));
  const std::int32_t exponent = read_exponent(in, kScaleParameter, kAnyExponent);
  check_number(exponent > std::numeric_limits<double>::min_exponent - 1 &&
                   exponent <= std::numeric_limits<double>::max_exponent,
               "a scale is too small or too large");
  return std::ldexp(mantissa, exponent - kScaleBits);
}

void write_number(BitWriter& out, double number, Numbers numbers) {
  if (numbers == Numbers::kShort) {
    write_short(out, number);
  } else {
    out.f64(number);
  }
}

double read_number(BitReader& in, Numbers numbers) {
  return numbers == Numbers::kShort ? read_short(in) : in.f64();
}

void write_numbers(BitWriter& out, std::span<const double> numbers, const NumberFormat& format) {
  if (numbers.empty()) return;
  const bool is_short = format.numbers == Numbers::kShort;
  if (is_short) out.flag(format.grid.has_value());
  if (is_short && format.grid) {
    write_on_grid(out, numbers, *format.grid);
  } else {
    for (const double number : numbers) write_number(out, number, format.numbers);
  }
}

std::vector<double> read_numbers(BitReader& in, NumberFormat& format) {
  std::vector<double> numbers;
  if (in.at_end()) return numbers;
  if (format.numbers == Numbers::kShort && in.flag()) {
    return read_on_grid(in, format.grid.emplace());
  }
  while (!in.at_end()) {
    numbers.push_back(read_number(in, format.numbers));
    in.limit(numbers.size());
  }
  return numbers;
}

std::uint64_t size_of_numbers(std::span<const double> numbers, const NumberFormat& format) {
  BitWriter out;
  write_numbers(out, numbers, format);
  return 8 * std::uint64_t{out.take().size()};
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

/// Fewer rewards do not say how far they spread.
constexpr std::size_t kFewestOnGrid = 4;
/// Halvings of the deviation to a step. A learned model's noise is a tenth of the deviation at
/// least, beside which the rounding is small.
constexpr int kStepHalvings = 4;
constexpr int kBitsAlone = 16;
/// The median, and the median distance to it, or the least one that is not 0 if that is 0.
std::pair<double, double> spread_of(std::span<const double> numbers) {
  std::vector<double> sorted(numbers.begin(), numbers.end());
  const auto middle = static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::ranges::sort(sorted);
  const double centre = sorted[static_cast<std::size_t>(middle)];
  for (double& one : sorted) one = std::abs(one - centre);
  std::ranges::sort(sorted);
  const auto positive =
      std::find_if(sorted.begin() + middle, sorted.end(), [](double away) { return away > 0; });
  return {centre, positive == sorted.end() ? 0 : *positive};
}

/// None where the format has none.
std::optional<Grid> grid_at(double level, int exponent) {
  if (std::abs(exponent) > Grid::kMostExponent) return std::nullopt;
  const double base = std::nearbyint(std::ldexp(level, -exponent));
  if (!(std::abs(base) <= static_cast<double>(Grid::kMostBase))) return std::nullopt;
  return Grid{exponent, static_cast<std::int64_t>(base)};
}

RoundedNumbers round_to(std::span<const double> numbers, const std::optional<Grid>& grid,
                        const random::Coin& coin, std::uint32_t epoch) {
  RoundedNumbers rounded{{}, {Numbers::kShort, grid}};
  rounded.numbers.reserve(numbers.size());
  for (std::uint32_t i = 0; i < numbers.size(); ++i) {
    const double place = grid ? std::ldexp(numbers[i], -grid->exponent) : 0;
    // Not the last ones, which rounding up would put off the grid.
    if (!grid || !(std::abs(place - static_cast<double>(grid->base)) < kFarSteps - 1)) {
      rounded.numbers.push_back(round_bits(numbers[i], kBitsAlone));
      continue;
    }
    double uniform = 0;
    coin.uniforms({.purpose = random::Purpose::kRounding, .epoch = epoch, .slot = i},
                  {&uniform, 1});
    const double below = std::floor(place);
    rounded.numbers.push_back(
        std::ldexp(uniform < place - below ? below + 1 : below, grid->exponent));
  }
  return rounded;
}

}  // namespace

RoundedNumbers round_rewards(std::span<const double> rewards, std::optional<std::int32_t> exponent,
                             const random::Coin& coin, std::uint32_t epoch) {
  if (rewards.empty()) return {{}, {Numbers::kShort, std::nullopt}};
  const auto [level, deviation] = spread_of(rewards);
  if (!exponent && deviation > 0 && rewards.size() >= kFewestOnGrid) {
    exponent = std::ilogb(deviation) - kStepHalvings;
  }
  return round_to(rewards, exponent ? grid_at(level, *exponent) : std::nullopt, coin, epoch);
}

RoundedNumbers round_projection(std::span<const double> sums, std::int32_t exponent,
                                const random::Coin& coin, std::uint32_t epoch) {
  return round_to(sums, grid_at(0, exponent), coin, epoch);
}

}  // namespace duets::protocol
