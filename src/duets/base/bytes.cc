#include "duets/base/bytes.h"

#include <fmt/format.h>

#include <bit>
#include <limits>

#include "duets/base/error.h"

namespace duets::base {

void ByteWriter::u32(std::uint32_t value) {
  for (int i = 0; i < 4; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
}

void ByteWriter::u64(std::uint64_t value) {
  for (int i = 0; i < 8; ++i) u8(static_cast<std::uint8_t>(value >> (8 * i)));
}

void ByteWriter::f64(double value) { u64(std::bit_cast<std::uint64_t>(value)); }

void ByteWriter::count(std::size_t n) {
  if (n > std::numeric_limits<std::uint32_t>::max()) {
    throw Error(ErrorKind::kInvalid, fmt::format("{} elements do not fit a 32-bit count", n));
  }
  u32(static_cast<std::uint32_t>(n));
}

void ByteWriter::text(std::string_view value) {
  count(value.size());
  bytes_.insert(bytes_.end(), value.begin(), value.end());
}

void ByteWriter::f64s(std::span<const double> values) {
  count(values.size());
  for (const double value : values) f64(value);
}

void ByteWriter::u32s(std::span<const std::uint32_t> values) {
  count(values.size());
  for (const std::uint32_t value : values) u32(value);
}

void ByteWriter::blob(std::span<const std::uint8_t> value) {
  count(value.size());
  bytes_.insert(bytes_.end(), value.begin(), value.end());
}

void ByteWriter::digest(const Digest& value) {
  u64(value.low);
  u64(value.high);
}

std::span<const std::uint8_t> ByteReader::take(std::size_t n) {
  if (n > remaining()) {
    throw Error(ErrorKind::kDecode,
                fmt::format("{} bytes wanted at offset {}, {} left", n, position_, remaining()));
  }
  const auto part = bytes_.subspan(position_, n);
  position_ += n;
  return part;
}

std::size_t ByteReader::count(std::size_t element_size) {
  const std::size_t n = u32();
  if (n > remaining() / element_size) {
    throw Error(ErrorKind::kDecode,
                fmt::format("{} elements of {} bytes announced at offset {}, {} "
                            "bytes left",
                            n, element_size, position_, remaining()));
  }
  return n;
}

std::uint8_t ByteReader::u8() { return take(1)[0]; }

std::uint32_t ByteReader::u32() {
  const auto part = take(4);
  std::uint32_t value = 0;
  for (int i = 0; i < 4; ++i) value |= std::uint32_t{part[static_cast<std::size_t>(i)]} << (8 * i);
  return value;
}

std::uint64_t ByteReader::u64() {
  const auto part = take(8);
  std::uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= std::uint64_t{part[static_cast<std::size_t>(i)]} << (8 * i);
  return value;
}

double ByteReader::f64() { return std::bit_cast<double>(u64()); }

std::string ByteReader::text() {
  const auto part = take(count(1));
  return {part.begin(), part.end()};
}

std::vector<double> ByteReader::f64s() {
  std::vector<double> values(count(8));
  for (double& value : values) value = f64();
  return values;
}

std::vector<std::uint32_t> ByteReader::u32s() {
  std::vector<std::uint32_t> values(count(4));
  for (std::uint32_t& value : values) value = u32();
  return values;
}

Bytes ByteReader::blob() {
  const auto part = take(count(1));
  return {part.begin(), part.end()};
}

Digest ByteReader::digest() {
  Digest value;
  value.low = u64();
  value.high = u64();
  return value;
}

void ByteReader::expect_end() const {
  if (remaining() != 0) {
    throw Error(ErrorKind::kDecode, fmt::format("{} bytes left over", remaining()));
  }
}

}  // namespace duets::base
