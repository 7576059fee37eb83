#include "duets/protocol/bits.h"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <limits>
#include <utility>

#include "duets/base/error.h"

namespace duets::protocol {
namespace {

constexpr int kMostPrefix = 62;
constexpr int kLengthParameter = 2;
/// Of the parameter of an increasing list.
constexpr int kParameterBits = 3;
/// More ones than this begin another code.
constexpr std::uint64_t kMostOnes = 8;

void check_bits(bool ok, const char* what) {
  if (!ok) throw base::Error(base::ErrorKind::kDecode, what);
}

int bits_of_count(std::uint64_t number, int k) {
  return 2 * std::bit_width((number >> k) + 1) - 1 + k;
}

int bits_of_element(std::uint64_t number, int k) {
  const std::uint64_t ones = number >> k;
  if (ones < kMostOnes) return static_cast<int>(ones) + 1 + k;
  return static_cast<int>(kMostOnes) + bits_of_count(number - (kMostOnes << k), k);
}

std::vector<std::uint64_t> gaps_of(std::span<const std::uint32_t> list) {
  std::vector<std::uint64_t> gaps;
  gaps.reserve(list.size());
  std::uint64_t next = 0;
  for (const std::uint32_t element : list) {
    // A list that does not increase has an element that no reader takes.
    gaps.push_back(element >= next ? element - next : std::uint64_t{1} << 33);
    next = std::uint64_t{element} + 1;
  }
  return gaps;
}

}  // namespace

std::uint64_t unsigned_code(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}

std::int64_t signed_of(std::uint64_t code) {
  return static_cast<std::int64_t>(code >> 1) ^ -static_cast<std::int64_t>(code & 1);
}

int best_parameter(std::span<const std::uint64_t> elements, int end) {
  int best = 0;
  std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
  for (int k = 0; k < end; ++k) {
    std::uint64_t total = 0;
    for (const std::uint64_t one : elements) {
      total += static_cast<std::uint64_t>(bits_of_element(one, k));
    }
    if (total < least) {
      least = total;
      best = k;
    }
  }
  return best;
}

void BitWriter::bits(std::uint64_t value, int count) {
  while (count > 0) {
    if (used_ == 8) {
      bytes_.push_back(0);
      used_ = 0;
    }
    const int now = std::min(count, 8 - used_);
    const std::uint64_t part = value & ((std::uint64_t{1} << now) - 1);
    bytes_.back() = static_cast<std::uint8_t>(bytes_.back() | (part << used_));
    value >>= now;
    used_ += now;
    count -= now;
  }
}

void BitWriter::count(std::uint64_t number, int k) {
  const std::uint64_t high = (number >> k) + 1;
  const int prefix = std::bit_width(high) - 1;
  bits((std::uint64_t{1} << prefix) - 1, prefix + 1);  // ones, then a zero
  bits(high, prefix);
  bits(number, k);
}

void BitWriter::integer(std::int64_t number, int k) { count(unsigned_code(number), k); }

void BitWriter::element(std::uint64_t number, int k) {
  const std::uint64_t ones = std::min(number >> k, kMostOnes);
  bits(0xFF, static_cast<int>(ones));
  if (ones == kMostOnes) return count(number - (kMostOnes << k), k);
  bits(0, 1);
  bits(number, k);
}

void BitWriter::f64(double number) { bits(std::bit_cast<std::uint64_t>(number), 64); }

void BitWriter::increasing(std::span<const std::uint32_t> list) {
  count(list.size(), kLengthParameter);
  increasing_to_end(list);
}

void BitWriter::increasing_to_end(std::span<const std::uint32_t> list) {
  if (list.empty()) return;
  const std::vector<std::uint64_t> gaps = gaps_of(list);
  const int k = best_parameter(gaps, 1 << kParameterBits);
  bits(static_cast<std::uint64_t>(k), kParameterBits);
  for (const std::uint64_t gap : gaps) element(gap, k);
}

base::Bytes BitWriter::take() {
  bits(0xFF, 8 - used_);
  return std::exchange(bytes_, {});
}

std::uint64_t BitReader::bits(int count) {
  check_bits(static_cast<std::uint64_t>(count) <= left(), "a message ends too early");
  std::uint64_t value = 0;
  for (int done = 0; done < count;) {
    const auto used = static_cast<int>(place_ % 8);
    const int now = std::min(count - done, 8 - used);
    const auto part =
        static_cast<std::uint64_t>(bytes_[place_ / 8] >> used) & ((std::uint64_t{1} << now) - 1);
    value |= part << done;
    done += now;
    place_ += static_cast<std::uint64_t>(now);
  }
  return value;
}

std::uint64_t BitReader::count(int k) {
  int prefix = 0;
  while (flag()) check_bits(++prefix + k <= kMostPrefix, "a number is too large");
  const std::uint64_t high = bits(prefix) | std::uint64_t{1} << prefix;
  return ((high - 1) << k) + bits(k);
}

std::uint32_t BitReader::count32(int k) {
  const std::uint64_t number = count(k);
  check_bits(number <= std::numeric_limits<std::uint32_t>::max(), "a number beyond 32 bits");
  return static_cast<std::uint32_t>(number);
}

std::int64_t BitReader::integer(int k) { return signed_of(count(k)); }

std::uint64_t BitReader::element(int k) {
  std::uint64_t ones = 0;
  while (ones < kMostOnes && flag()) ++ones;
  return (ones << k) + (ones == kMostOnes ? count(k) : bits(k));
}

double BitReader::f64() { return std::bit_cast<double>(bits(64)); }

std::size_t BitReader::length(std::uint64_t elements) const {
  limit(elements);
  check_bits(elements <= left(), "a list is longer than its message");
  return static_cast<std::size_t>(elements);
}

void BitReader::limit(std::uint64_t elements) const {
  check_bits(elements <= most_, "a list is longer than this study allows");
}

std::uint32_t BitReader::next_in_list(int k, std::uint64_t& next) {
  const std::uint64_t found = next + element(k);
  check_bits(found <= std::numeric_limits<std::uint32_t>::max(),
             "an element of a list is beyond 32 bits");
  next = found + 1;
  return static_cast<std::uint32_t>(found);
}

std::vector<std::uint32_t> BitReader::increasing() {
  std::vector<std::uint32_t> list(length(count(kLengthParameter)));
  if (list.empty()) return list;
  const auto k = static_cast<int>(bits(kParameterBits));
  std::uint64_t next = 0;
  for (std::uint32_t& one : list) one = next_in_list(k, next);
  return list;
}

std::vector<std::uint32_t> BitReader::increasing_to_end() {
  std::vector<std::uint32_t> list;
  if (at_end()) return list;
  const auto k = static_cast<int>(bits(kParameterBits));
  for (std::uint64_t next = 0; !at_end();) {
    list.push_back(next_in_list(k, next));
    limit(list.size());
  }
  return list;
}

bool BitReader::at_end() const {
  if (left() >= 8) return false;
  if (left() == 0) return true;
  const auto used = static_cast<int>(place_ % 8);
  return bytes_[place_ / 8] >> used == 0xFF >> used;
}

void BitReader::expect_end() const { check_bits(at_end(), "bytes after the end"); }

}  // namespace duets::protocol
