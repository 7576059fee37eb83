#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "duets/base/bytes.h"
#include "duets/base/digest.h"
#include "duets/base/error.h"
#include "duets/base/executor.h"

namespace duets::base {
namespace {

// From the reference implementation's vectors: key 00..0f, input the empty string, 00, 00 01, ...
TEST(Digest, MatchesPublishedSipHash128Vectors) {
  std::array<std::uint8_t, 16> key;
  std::iota(key.begin(), key.end(), std::uint8_t{0});
  EXPECT_EQ(to_hex(siphash({}, key)), "a3817f04ba25a8e66df67214c7550293");
  const Bytes one{0};
  EXPECT_EQ(to_hex(siphash(one, key)), "da87c1d86b99af44347659119b22fc45");
}

TEST(Digest, EveryByteAndTheLengthCount) {
  Bytes bytes(24, 0);
  const Digest zero = digest_of(bytes);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    Bytes other = bytes;
    other[i] = 1;
    EXPECT_NE(digest_of(other), zero) << "byte " << i;
  }
  bytes.push_back(0);
  EXPECT_NE(digest_of(bytes), zero);
}

TEST(Bytes, ReadsBackWhatWasWritten) {
  ByteWriter writer;
  writer.u8(7);
  writer.u32(0xdeadbeef);
  writer.u64(0x0123456789abcdefULL);
  writer.f64(-0.0);
  writer.text("coin");
  writer.f64s(std::vector<double>{1.5, std::numeric_limits<double>::infinity()});
  writer.u32s(std::vector<std::uint32_t>{3, 1});
  writer.blob(Bytes{9, 8});

  ByteReader reader(writer.bytes());
  EXPECT_EQ(reader.u8(), 7);
  EXPECT_EQ(reader.u32(), 0xdeadbeef);
  EXPECT_EQ(reader.u64(), 0x0123456789abcdefULL);
  EXPECT_TRUE(std::signbit(reader.f64()));
  EXPECT_EQ(reader.text(), "coin");
  EXPECT_EQ(reader.f64s(), (std::vector<double>{1.5, std::numeric_limits<double>::infinity()}));
  EXPECT_EQ(reader.u32s(), (std::vector<std::uint32_t>{3, 1}));
  EXPECT_EQ(reader.blob(), (Bytes{9, 8}));
  reader.expect_end();
}

TEST(Bytes, RefusesAnAnnouncedCountBeforeAllocating) {
  const Bytes bytes{0xff, 0xff, 0xff, 0xff, 1, 2, 3};
  ByteReader reader(bytes);
  try {
    reader.f64s();
    FAIL() << "four billion numbers in three bytes";
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kDecode);
  }
}

TEST(Bytes, RefusesEveryTruncationAndTrailingBytes) {
  ByteWriter writer;
  writer.text("abc");
  writer.f64(1);
  for (std::size_t size = 0; size < writer.bytes().size(); ++size) {
    ByteReader reader(std::span(writer.bytes()).first(size));
    EXPECT_THROW(
        {
          reader.text();
          reader.f64();
        },
        Error)
        << size;
  }
  ByteReader reader(writer.bytes());
  reader.text();
  for (std::size_t left = 8; left > 0; --left) {
    EXPECT_THROW(reader.expect_end(), Error) << left;
    reader.u8();
  }
  EXPECT_NO_THROW(reader.expect_end());
}

TEST(Require, NamesFieldValueAndConstraint) {
  require(true, "beta", "1", "must not be negative");
  try {
    require(false, "beta", "-1", "must not be negative");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::kInvalid);
    EXPECT_STREQ(error.what(), "beta = -1: must not be negative");
  }
}

TEST(SerialExecutor, VisitsEveryChunkOnceInOrder) {
  std::vector<std::size_t> seen;
  SerialExecutor().parallel_for(4, [&](std::size_t chunk) { seen.push_back(chunk); });
  EXPECT_EQ(seen, (std::vector<std::size_t>{0, 1, 2, 3}));
}

}  // namespace
}  // namespace duets::base
