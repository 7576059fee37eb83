#include "duets/protocol/messages.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <bit>
#include <cmath>
#include <limits>

#include "duets/protocol/records.h"
#include "duets/protocol/run_test_support.h"

namespace duets::protocol {
namespace {

using base::Bytes;

// Any 64 bits: NaN, infinities and zeros of both signs are numbers to a codec.
double any_double() {
  const auto special = *rc::gen::inRange(0, 8);
  if (special == 0) return std::numeric_limits<double>::quiet_NaN();
  if (special == 1) return -0.0;
  return std::bit_cast<double>(*rc::gen::arbitrary<std::uint64_t>());
}

double any_finite() {
  const double value = any_double();
  return std::isfinite(value) ? value : 0.5;
}

// Any format, and numbers that it has: on its grid, and such as stand alone.
struct AnyShort {
  std::vector<double> values;
  NumberFormat format;
};
AnyShort any_short(int least, int most) {
  AnyShort out;
  out.format.numbers = Numbers::kShort;
  Grid grid;
  if (*rc::gen::arbitrary<bool>()) {
    grid.exponent = *rc::gen::inRange(-900, 901);
    grid.base = *rc::gen::inRange(-(std::int64_t{1} << 40), std::int64_t{1} << 40);
    out.format.grid = grid;
  }
  out.values.resize(static_cast<std::size_t>(*rc::gen::inRange(least, most + 1)));
  for (double& value : out.values) {
    const auto code = *rc::gen::inRange<std::uint32_t>(0, 1U << 31);
    value = std::ldexp(static_cast<double>(grid.base + (code >> *rc::gen::inRange(0, 32))),
                       grid.exponent);
    if (*rc::gen::arbitrary<bool>()) value = any_finite();
  }
  return out;
}

std::vector<double> any_doubles(int most) {
  std::vector<double> values(static_cast<std::size_t>(*rc::gen::inRange(0, most + 1)));
  for (double& value : values) value = any_double();
  return values;
}

numeric::Vector any_vector(int most) {
  const std::vector<double> values = any_doubles(most);
  return Eigen::Map<const numeric::Vector>(values.data(), static_cast<Eigen::Index>(values.size()));
}

numeric::Points any_points(int least) {
  numeric::Points points(*rc::gen::inRange(least, 5), *rc::gen::inRange(1, 4));
  for (double& value : points.reshaped()) value = any_double();
  return points;
}

std::vector<std::uint32_t> any_numbers(std::size_t least) {
  auto numbers = *rc::gen::arbitrary<std::vector<std::uint32_t>>();
  while (numbers.size() < least) numbers.push_back(*rc::gen::arbitrary<std::uint32_t>());
  return numbers;
}

std::vector<std::uint32_t> any_increasing() {
  const std::vector<std::uint32_t> numbers = any_numbers(0);
  const std::set<std::uint32_t> sorted(numbers.begin(), numbers.end());
  return {sorted.begin(), sorted.end()};
}

EpochId any_epoch() { return EpochId{*rc::gen::arbitrary<std::uint32_t>()}; }
AgentId any_agent() { return AgentId{*rc::gen::arbitrary<std::uint32_t>()}; }
UploadKind any_kind() { return *rc::gen::element(UploadKind::kProjection, UploadKind::kRewards); }

region::SamplerSettings any_settings() {
  region::SamplerSettings s;
  s.method = static_cast<region::Method>(*rc::gen::inRange(0, 4));
  for (const region::SamplerNumber& number : region::kSamplerNumbers) {
    s.*number.member = *rc::gen::inRange<std::uint32_t>(number.low, number.high);
  }
  return region::own_numbers(s);
}

InducingSet any_inducing_set() {
  InducingSet m;
  m.epoch = any_epoch();
  m.upload = any_kind();
  m.closing = *rc::gen::arbitrary<bool>();
  if (*rc::gen::arbitrary<bool>()) m.exponent = *rc::gen::inRange(-960, 961);
  if (*rc::gen::arbitrary<bool>()) {
    m.points = any_points(1);
  } else {
    m.public_slots = any_increasing();
    if (m.upload == UploadKind::kProjection && m.public_slots.empty()) m.public_slots = {7};
  }
  return m;
}

Trim any_trim() {
  Trim m;
  m.epoch = any_epoch();
  m.excluded = any_increasing();
  const bool is_short = *rc::gen::arbitrary<bool>();
  if (is_short) m.format.numbers = Numbers::kShort;
  if (*rc::gen::inRange(0, 4) == 0) return m;  // a stage ended
  m.sampler = any_settings();
  m.starts = any_points(0);
  m.public_slots = any_increasing();
  const auto number = [&] { return is_short ? any_finite() : any_double(); };
  m.weights = numeric::Vector::Constant(1, any_double());
  if (is_short) {
    const AnyShort some = any_short(1, 5);
    m.weights = Eigen::Map<const numeric::Vector>(some.values.data(),
                                                  static_cast<Eigen::Index>(some.values.size()));
    m.format = some.format;
  }
  m.tau = number();
  if (*rc::gen::arbitrary<bool>()) {
    const auto family = static_cast<kernel::Family>(*rc::gen::inRange(0, 4));
    std::vector<double> scales(static_cast<std::size_t>(*rc::gen::inRange(0, 4)));
    const auto positive = [&] {
      return is_short ? std::ldexp(*rc::gen::inRange(8, 16), *rc::gen::inRange(-950, 900))
                      : any_double();
    };
    for (double& scale : scales) scale = positive();
    m.learned = Model{{family, scales, positive()}, number()};
  }
  return m;
}

Upload any_upload() {
  Upload m{any_agent(),
           any_epoch(),
           any_kind(),
           any_doubles(5),
           any_increasing(),
           *rc::gen::arbitrary<std::uint64_t>(),
           {}};
  if (*rc::gen::arbitrary<bool>()) {
    AnyShort some = any_short(0, 9);
    m.values = std::move(some.values);
    m.format = some.format;
  }
  m.points_digest = sent_digest(m.points_digest, m.format.numbers, false);
  return m;
}

Closing any_closing() {
  Closing m;
  m.agent = any_agent();
  m.holes = any_increasing();
  m.values = any_doubles(5);
  if (*rc::gen::arbitrary<bool>()) {
    AnyShort some = any_short(0, 5);
    m.values = std::move(some.values);
    m.format = some.format;
  }
  m.points_digest = sent_digest(*rc::gen::arbitrary<std::uint64_t>(), m.format.numbers, true);
  m.has_best = *rc::gen::arbitrary<bool>();
  m.best.agent = m.agent;
  if (m.has_best) {
    m.best = {m.agent, any_epoch(), *rc::gen::arbitrary<std::uint32_t>(), any_double()};
  }
  return m;
}

Refusal any_refusal() {
  return {any_agent(), any_epoch(), static_cast<Reason>(*rc::gen::inRange(1, 7))};
}

Message any_message() {
  switch (*rc::gen::inRange(0, 5)) {
    case 0:
      return any_inducing_set();
    case 1:
      return any_trim();
    case 2:
      return any_upload();
    case 3:
      return any_closing();
    default:
      return any_refusal();
  }
}

EpochReport any_report() {
  EpochReport r;
  r.epoch = any_epoch();
  r.length = *rc::gen::arbitrary<std::uint32_t>();
  r.num_points = *rc::gen::arbitrary<std::uint64_t>();
  r.sampler = any_settings();
  r.best_point = any_vector(3);
  r.tau = any_double();
  r.variance_path = *rc::gen::element(VariancePath::kExact, VariancePath::kLowRank);
  r.state_digest = {*rc::gen::arbitrary<std::uint64_t>(), 5};
  return r;
}

Record any_record() {
  const bool flag = *rc::gen::arbitrary<bool>();
  switch (*rc::gen::inRange(0, 3)) {
    case 0:
      return EpochOpened{any_epoch(), flag, flag ? any_inducing_set() : InducingSet{},
                         any_report()};
    case 1:
      return MessageTaken{flag ? Message(any_upload()) : Message(any_closing())};
    default:
      return EpochClosed{any_epoch(), any_numbers(0), flag,   flag ? any_trim() : Trim{},
                         flag,        any_report(),   {1, 2}, {3, 4}};
  }
}

// Bytes that are not a message throw kDecode; bytes that are one encode to themselves.
template <typename Recode>
void expect_canonical(const Bytes& bytes, const Recode& recode) {
  Bytes again;
  const auto kind = error_kind([&] { again = recode(bytes); });
  if (kind) {
    RC_ASSERT(*kind == base::ErrorKind::kDecode);
  } else {
    RC_ASSERT(again == bytes);
  }
}

Bytes recode_message(const Bytes& bytes) { return encode(decode(bytes)); }
Bytes recode_record(const Bytes& bytes) { return encode_record(decode_record(bytes)); }

// A list at the end of a message has no length, so part of a message may be another one. What
// carries it knows its length.
template <typename Recode>
void expect_survives_damage(const Bytes& bytes, const Recode& recode) {
  RC_ASSERT(recode(bytes) == bytes);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    expect_canonical(prefix, recode);
  }
  Bytes longer = bytes;
  longer.push_back(0xFF);
  RC_ASSERT(error_kind([&] { recode(longer); }) == base::ErrorKind::kDecode);
  // The largest byte is the cruellest: lengths become huge, flags and enumerations wrong.
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (const std::uint8_t damage : {0x01, 0x80, 0xFF}) {
      Bytes damaged = bytes;
      damaged[i] ^= damage;
      expect_canonical(damaged, recode);
    }
  }
}

void expect_no_prefix_is_a_record(const Bytes& bytes) {
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const Bytes prefix(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(size));
    RC_ASSERT(error_kind([&] { decode_record(prefix); }) == base::ErrorKind::kDecode);
  }
}

TEST(Messages, EveryMessageRoundTripsAndDamageIsDetected) {
  EXPECT_TRUE(rc::check([] { expect_survives_damage(encode(any_message()), recode_message); }));
}

TEST(Records, EveryRecordRoundTripsAndDamageIsDetected) {
  EXPECT_TRUE(rc::check([] {
    const Bytes bytes = encode_record(any_record());
    expect_survives_damage(bytes, recode_record);
    expect_no_prefix_is_a_record(bytes);
  }));
}

TEST(Messages, ArbitraryBytesNeverCrash) {
  EXPECT_TRUE(rc::check([](const Bytes& bytes) {
    expect_canonical(bytes, recode_message);
    expect_canonical(bytes, recode_record);
  }));
}

// Fields arrive in their own places: every one is set to something else than its neighbours.
TEST(Messages, UploadFields) {
  const Upload sent{AgentId{3}, EpochId{4}, UploadKind::kRewards, {1.5, -0.0}, {2, 7}, 99};
  const auto got = std::get<Upload>(decode(encode(sent)));
  EXPECT_EQ(got.agent, sent.agent);
  EXPECT_EQ(got.epoch, sent.epoch);
  EXPECT_EQ(got.kind, sent.kind);
  EXPECT_EQ(got.values, sent.values);
  EXPECT_TRUE(std::signbit(got.values[1]));
  EXPECT_EQ(got.holes, sent.holes);
  EXPECT_EQ(got.points_digest, sent.points_digest);
}

TEST(Messages, ClosingNamesItsAgentInTheBestTrial) {
  const Closing sent{AgentId{3}, true, {AgentId{3}, EpochId{2}, 5, 0.25}, {1}, {4}, 8};
  const auto got = std::get<Closing>(decode(encode(sent)));
  EXPECT_EQ(got.best.agent, AgentId{3});
  EXPECT_EQ(got.best.epoch, EpochId{2});
  EXPECT_EQ(got.best.slot, 5U);
  EXPECT_EQ(got.best.reward, 0.25);
}

// One layout, pinned bit by bit (docs/formats/messages.md): the lowest bit of a byte first.
TEST(Messages, BitsOfAnUpload) {
  Upload upload{AgentId{1}, EpochId{2}, UploadKind::kRewards, {3.0, 2.5, 4.0}, {3}, 0xABCD};
  upload.format = {Numbers::kShort, Grid{-1, 6}};
  // In the order in which they are written.
  const std::string bits =
      "101"               // type 2 as count(0)
      "11"                // short, rewards
      "0100"              // agent 1 as count(3)
      "0010"              // epoch 2
      "1011001111010101"  // digest
      "1"                 // holes:
      "010"               //   one, as count(2)
      "100"               //   k = 1 takes as few bits as k = 2
      "101"               //   3
      "1"                 // on a grid:
      "010"               //   exponent -1 as integer(2)
      "1000110"           //   base 6 as integer(5)
      "0"                 //   none apart
      "00000"             //   k = 0
      "0"                 //   3.0 is the base
      "10"                //   2.5 is one step below
      "11110";            //   4.0 is two above
  ASSERT_EQ(bits.size(), 64U);
  Bytes expected(8, 0);
  for (std::size_t i = 0; i < bits.size(); ++i) {
    if (bits[i] == '1') expected[i / 8] = static_cast<std::uint8_t>(expected[i / 8] | 1U << i % 8);
  }
  EXPECT_EQ(encode(upload), expected);
  EXPECT_EQ(std::get<Upload>(decode(expected)).values, upload.values);
}

TEST(Messages, ASamplerHasItsOwnNumbersOnly) {
  Trim trim;
  trim.weights = numeric::Vector::Ones(1);
  trim.sampler = {.method = region::Method::kIndex, .max_attempts = 0};
  const std::size_t size = encode(trim).size();
  trim.sampler = {.method = region::Method::kCover, .max_attempts = 1024, .cover_depth = 16};
  EXPECT_LE(encode(trim).size(), size + 2);
  EXPECT_EQ(std::get<Trim>(decode(encode(trim))).sampler, trim.sampler);
  trim.sampler.walk_steps = 7;
  EXPECT_EQ(std::get<Trim>(decode(encode(trim))).sampler.walk_steps, 0U);
}

TEST(Messages, AnInducingSetThatSaysNothingIsOneByte) {
  InducingSet set;
  set.epoch = EpochId{7};
  set.upload = UploadKind::kRewards;
  EXPECT_EQ(encode(set).size(), 1U);
  set.exponent = -3;
  EXPECT_EQ(encode(set).size(), 2U);
  EXPECT_EQ(std::get<InducingSet>(decode(encode(set))).exponent, -3);
}

TEST(Messages, DecodersRefuseWhatNoEncoderWrites) {
  EXPECT_EQ(error_kind([&] { decode(encode(InducingSet{})); }), base::ErrorKind::kDecode);
  Upload unordered;
  unordered.holes = {2, 2};
  EXPECT_EQ(error_kind([&] { decode(encode(unordered)); }), base::ErrorKind::kDecode);
  Trim deep;
  deep.weights = numeric::Vector::Ones(1);
  deep.sampler = {.method = region::Method::kCover, .cover_depth = region::Cover::kMaxDepth + 1};
  EXPECT_EQ(error_kind([&] { decode(encode(deep)); }), base::ErrorKind::kDecode);
  const Record broadcast = MessageTaken{Trim{}};
  EXPECT_EQ(error_kind([&] { decode_record(encode_record(broadcast)); }), base::ErrorKind::kDecode);
}

// The same numbers with a longer code, or other bits after the end.
TEST(Messages, OnlyOneCodeIsAccepted) {
  Upload upload;
  upload.values = {1, 2, 3};
  upload.format = {Numbers::kShort, Grid{0, 0}};
  const Bytes bytes = encode(upload);
  int refused = 0;
  for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
    Bytes other = bytes;
    other[bit / 8] = static_cast<std::uint8_t>(other[bit / 8] ^ (1U << (bit % 8)));
    const auto kind = error_kind([&] { decode(other); });
    if (kind) {
      ++refused;
    } else {
      EXPECT_EQ(encode(decode(other)), other);
    }
  }
  EXPECT_GT(refused, 5);
  Bytes padded = bytes;
  padded.back() = static_cast<std::uint8_t>(padded.back() & 0x7F);
  EXPECT_EQ(error_kind([&] { decode(padded); }), base::ErrorKind::kDecode);
}

// A count of 2^35 numbers in a message of a few bytes is refused before anything is allocated.
TEST(Messages, HugeCountsAreRefused) {
  BitWriter out;
  out.count(2, 0);  // an upload
  out.flag(true);
  out.flag(true);
  out.count(0, 3);
  out.count(1, 3);
  out.bits(0, 16);
  out.flag(true);  // holes
  out.count(std::uint64_t{1} << 35, 2);
  const Bytes bytes = out.take();
  EXPECT_LT(bytes.size(), 20U);
  EXPECT_EQ(error_kind([&] { decode(bytes); }), base::ErrorKind::kDecode);
}

// Eight codes a byte are more memory than bytes: what a study cannot have is not made room for.
TEST(Messages, AListLongerThanTheLimitIsRefused) {
  Upload upload;
  upload.values.assign(1000, 0.0);
  upload.format = {Numbers::kShort, Grid{0, 0}};
  const Bytes bytes = encode(upload);
  EXPECT_LT(bytes.size(), 150U);
  EXPECT_EQ(std::get<Upload>(decode(bytes, 1000)).values, upload.values);
  EXPECT_EQ(error_kind([&] { decode(bytes, 999); }), base::ErrorKind::kDecode);
}

// ALGORITHMS' table: coordinates, weights, rewards, indices and holes count; digests, settings and
// ids do not.
TEST(Messages, Reals) {
  InducingSet set;
  set.points = lattice(5, 3);
  EXPECT_EQ(num_reals(set), 15U);
  InducingSet public_set;
  public_set.public_slots = {4, 2, 9};
  EXPECT_EQ(num_reals(public_set), 3U);
  Trim trim;
  trim.weights = numeric::Vector::Ones(5);
  EXPECT_EQ(num_reals(trim), 6U);
  trim.starts = lattice(1, 3);
  trim.excluded = {0, 2};
  EXPECT_EQ(num_reals(trim), 6U + 3 + 2);
  trim.learned = Model{{kernel::Family::kMatern52, {1, 2, 3}, 1.0}, 0.5};
  EXPECT_EQ(num_reals(trim), 6U + 3 + 2 + 3 + 1 + 1);
  trim.public_slots = {1, 2, 3, 4, 5};
  EXPECT_EQ(num_reals(trim), 6U + 3 + 2 + 3 + 1 + 1 + 5);
  EXPECT_EQ(num_reals(Upload{{}, {}, UploadKind::kProjection, {1, 2, 3}, {7}, 1}), 4U);
  Closing closing;
  EXPECT_EQ(num_reals(closing), 0U);
  closing.has_best = true;
  closing.values = {1, 2};
  closing.holes = {0};
  EXPECT_EQ(num_reals(closing), 3U + 2 + 1);
  EXPECT_EQ(num_reals(Refusal{}), 0U);
}

TEST(Messages, PointsDigestSeesOneBitAndTheShape) {
  numeric::Points points = lattice(6, 2);
  const std::uint64_t before = points_digest(points);
  EXPECT_EQ(points_digest(lattice(6, 2)), before);
  EXPECT_NE(points_digest(Eigen::Map<const numeric::Points>(points.data(), 4, 3)), before);
  points(3, 1) = std::nextafter(points(3, 1), 1.0);
  EXPECT_NE(points_digest(points), before);
}

TEST(Messages, EveryReasonHasAName) {
  EXPECT_EQ(base::name_of(Reason::kForeign), "foreign");
  EXPECT_EQ(base::name_of(Reason::kStale), "stale");
  EXPECT_EQ(base::name_of(Reason::kConflict), "conflict");
  EXPECT_EQ(base::name_of(Reason::kShape), "shape");
  EXPECT_EQ(base::name_of(Reason::kUnusable), "not finite or too large");
  EXPECT_EQ(base::name_of(Reason::kDiverged), "diverged");
}

}  // namespace
}  // namespace duets::protocol
