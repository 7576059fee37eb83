// The byte codec: little-endian, fixed widths, lengths before contents.
//
// Everything that is persisted, sent or digested passes through these two classes, so "the same
// bytes" means the same thing everywhere.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "duets/base/digest.h"

namespace duets::base {

using Bytes = std::vector<std::uint8_t>;

/// Appends values to a byte string.
class ByteWriter {
 public:
  void u8(std::uint8_t value) { bytes_.push_back(value); }
  void u32(std::uint32_t value);
  void u64(std::uint64_t value);
  void f64(double value);                     ///< the bits of the number, NaN included
  void text(std::string_view value);          ///< u32 length, then the characters
  void f64s(std::span<const double> values);  ///< u32 count, then the numbers
  void u32s(std::span<const std::uint32_t> values);
  void blob(std::span<const std::uint8_t> value);
  void digest(const Digest& value);

  const Bytes& bytes() const { return bytes_; }
  Bytes take() { return std::move(bytes_); }

 private:
  void count(std::size_t n);
  Bytes bytes_;
};

/// Reads what ByteWriter wrote. Every method throws kDecode when the bytes end early or announce
/// more elements than they hold; nothing is allocated before that check.
class ByteReader {
 public:
  explicit ByteReader(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint8_t u8();
  std::uint32_t u32();
  std::uint64_t u64();
  double f64();
  std::string text();
  std::vector<double> f64s();
  std::vector<std::uint32_t> u32s();
  Bytes blob();
  Digest digest();

  std::size_t remaining() const { return bytes_.size() - position_; }
  /// Throws kDecode when there are trailing bytes.
  void expect_end() const;

 private:
  std::span<const std::uint8_t> take(std::size_t n);
  std::size_t count(std::size_t element_size);
  std::span<const std::uint8_t> bytes_;
  std::size_t position_ = 0;
};

}  // namespace duets::base
