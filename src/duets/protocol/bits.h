// Messages as strings of bits: the lowest bit of a byte comes first.
//
// docs/formats/messages.md defines the codes. Every code has a zero bit in it, and what is left of
// the last byte is ones, so a list needs no length where it is the last thing in a message.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "duets/base/bytes.h"

namespace duets::protocol {

/// The most elements of any list that is read, so that nothing larger is allocated.
inline constexpr std::uint64_t kAnyNumber = UINT64_MAX;

class BitWriter {
 public:
  /// The `count` lowest bits of a value, at most 64.
  void bits(std::uint64_t value, int count);
  void flag(bool on) { bits(on ? 1 : 0, 1); }
  /// A number from 0 to 2^63 in an exponential Golomb code: short near and below 2^k.
  void count(std::uint64_t number, int k);
  /// A signed one of at most 2^62 in size.
  void integer(std::int64_t number, int k);
  /// A number of a list, from 0 to 2^60, in a Rice code of parameter k as long as that is short.
  void element(std::uint64_t number, int k);
  void f64(double number);
  /// Numbers that increase. With their count in front, or to the end of the message.
  void increasing(std::span<const std::uint32_t> list);
  void increasing_to_end(std::span<const std::uint32_t> list);
  /// The bytes, filled up with ones.
  base::Bytes take();

 private:
  base::Bytes bytes_;
  int used_ = 8;  ///< bits of the last byte
};

/// Throws kDecode for bits that no code begins with. Whether the codes are those that a writer
/// chooses is not checked: encode again and compare.
class BitReader {
 public:
  /// Lists of more than `most` elements are refused before anything of that size is allocated.
  explicit BitReader(std::span<const std::uint8_t> bytes, std::uint64_t most = kAnyNumber)
      : bytes_(bytes), most_(most) {}

  std::uint64_t bits(int count);
  bool flag() { return bits(1) == 1; }
  std::uint64_t count(int k);
  std::uint32_t count32(int k);
  std::int64_t integer(int k);
  std::uint64_t element(int k);
  double f64();
  std::vector<std::uint32_t> increasing();
  std::vector<std::uint32_t> increasing_to_end();
  /// How many bits are left.
  std::uint64_t left() const { return 8 * std::uint64_t{bytes_.size()} - place_; }
  /// Less than a byte is left, and all of it is ones.
  bool at_end() const;
  /// kDecode unless it is.
  void expect_end() const;
  /// A number of elements that are read next; kDecode where there are fewer bits.
  std::size_t length(std::uint64_t elements) const;
  /// kDecode for more elements than a list may have.
  void limit(std::uint64_t elements) const;

 private:
  std::uint32_t next_in_list(int k, std::uint64_t& next);

  std::span<const std::uint8_t> bytes_;
  std::uint64_t most_;
  std::uint64_t place_ = 0;  ///< bits read
};

/// 2 v for v >= 0, -2 v - 1 below.
std::uint64_t unsigned_code(std::int64_t value);
std::int64_t signed_of(std::uint64_t code);
/// The parameter below `end` for which a list takes the fewest bits, the smallest of equals.
int best_parameter(std::span<const std::uint64_t> elements, int end);

}  // namespace duets::protocol
