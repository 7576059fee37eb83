// Tests the conversion of protocol::Message: nothing is lost, and invalid messages are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "duets/protocol/run_test_support.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using protocol::error_kind;
using protocol::error_text;
using protocol::Message;
using protocol::Study;
using ::testing::HasSubstr;

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

v1::Message through_bytes(const v1::Message& message) {
  v1::Message out;
  EXPECT_TRUE(out.ParseFromString(message.SerializeAsString()));
  return out;
}

// The messages that were broadcast and accepted in a run; in epoch 2 agent 1 is excluded and agent
// 0 has a hole.
std::vector<Message> messages_of(const Study& study) {
  protocol::TestRun run(study);
  run.run_epoch();
  run.run_epoch({1}, {{0, {1}}});
  run.finish();
  std::vector<Message> messages;
  for (const base::Bytes& bytes : run.broadcast()) messages.push_back(protocol::decode(bytes));
  for (const protocol::Record& record : run.records()) {
    const auto* taken = std::get_if<protocol::MessageTaken>(&record);
    if (taken != nullptr) messages.push_back(taken->message);
  }
  // Inducing sets and cuts of two epochs; uploads of three, two and three agents.
  EXPECT_GE(messages.size(), 4U + 8);
  return messages;
}

std::vector<Study> wire_studies() {
  std::vector<Study> all{protocol::small_study(), protocol::small_study(domain::Domain::box(2)),
                         protocol::small_study(domain::Domain::ball(2, 0.5))};
  all.push_back(all[0]);
  all.back().data = protocol::DataPolicy::kSurviving;
  all.back().closing = protocol::ClosingRule::kProjection;
  all.push_back(all[1]);
  all.back().inducing = protocol::Inducing::kPublic;
  all.push_back(all[0]);
  all.back().upload = protocol::UploadRule::kRewards;
  return all;
}

TEST(WireMessage, EveryMessageOfARunRoundTrips) {
  for (const Study& study : wire_studies()) {
    for (const Message& message : messages_of(study)) {
      const Message back = from_wire(through_bytes(to_wire(message)), study);
      EXPECT_EQ(protocol::encode(back), protocol::encode(message));
    }
  }
}

// What the ledger counts is what a link carries, but for the frame of the field.
TEST(WireMessage, AMessageIsItsEncodedBytes) {
  for (const Study& study : wire_studies()) {
    for (const Message& message : messages_of(study)) {
      EXPECT_EQ(to_wire(message).encoded().size(), protocol::encode(message).size());
      EXPECT_LE(to_wire(message).ByteSizeLong(), protocol::encode(message).size() + 6);
    }
  }
}

TEST(WireMessage, ARealCostsEightBytesAtMostAndAMessageASmallConstant) {
  std::size_t checked = 0;
  for (const Study& study : wire_studies()) {
    for (const Message& message : messages_of(study)) {
      ++checked;
      EXPECT_LE(to_wire(message).ByteSizeLong(), 8 * protocol::num_reals(message) + 32);
    }
  }
  EXPECT_GE(checked, 50U);
}

TEST(WireMessage, ALearnedModelRoundTrips) {
  Study study = protocol::small_study();
  study.parameters = protocol::Parameters::kLearned;
  protocol::Trim trim;
  trim.epoch = base::EpochId{1};
  trim.weights = numeric::Vector::Ones(2);
  trim.learned = protocol::Model{{kernel::Family::kMatern32, {0.25, 0.5}, 2.0}, -0.0};
  const Message back = from_wire(through_bytes(to_wire(trim)), study);
  EXPECT_EQ(protocol::encode(back), protocol::encode(Message(trim)));
}

TEST(WireMessage, AClosingWithoutABestTrialRoundTrips) {
  const Study study = protocol::small_study();
  protocol::Closing closing;
  closing.agent = closing.best.agent = base::AgentId{2};
  closing.holes = {0, 1, 2};
  const Message back = from_wire(through_bytes(to_wire(closing)), study);
  EXPECT_EQ(protocol::encode(back), protocol::encode(Message(closing)));
}

TEST(WireMessage, RefusalsRoundTrip) {
  for (std::uint8_t reason = 1; reason <= 6; ++reason) {
    const protocol::Refusal refusal{base::AgentId{2}, base::EpochId{3},
                                    static_cast<protocol::Reason>(reason)};
    const Message back = from_wire(to_wire(refusal), protocol::small_study());
    EXPECT_EQ(protocol::encode(back), protocol::encode(Message(refusal)));
  }
}

// --- Refusals: three agents, epochs 2, 4, 3, forty candidates in the plane -----------------

protocol::Upload good_upload() {
  protocol::Upload upload;
  upload.agent = base::AgentId{2};
  upload.epoch = base::EpochId{2};
  upload.kind = protocol::UploadKind::kProjection;
  for (int i = 0; i < 12; ++i) upload.values.push_back(i);
  upload.holes = {0, 3};
  return upload;
}

protocol::InducingSet good_set() {
  protocol::InducingSet set;
  set.epoch = base::EpochId{2};
  set.upload = protocol::UploadKind::kRewards;
  set.points = numeric::Points::Constant(12, 2, 0.5);
  return set;
}

protocol::Trim good_trim() {
  protocol::Trim trim;
  trim.epoch = base::EpochId{2};
  trim.weights = numeric::Vector::Constant(12, 0.5);
  trim.sampler = {region::Method::kWalk, 0, 0, 5, 64, 0, 0};
  trim.starts = numeric::Points::Constant(2, 2, 0.5);
  trim.excluded = {0, 2};
  return trim;
}

protocol::Closing good_closing() {
  protocol::Closing closing;
  closing.agent = base::AgentId{1};
  closing.has_best = true;
  closing.best = {closing.agent, base::EpochId{2}, 3, 0};
  for (int i = 0; i < 9; ++i) closing.values.push_back(i);
  closing.holes = {2};
  return closing;
}

// One change makes the message invalid, and the error names it.
template <typename M, typename Change>
void expect_refused(M message, const Change& change, const std::string& text,
                    const Study& study = protocol::small_study()) {
  ASSERT_EQ(error_text([&] { from_wire(to_wire(message), study); }), "");
  change(message);
  const auto body = [&] { from_wire(to_wire(message), study); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid) << text;
  EXPECT_THAT(error_text(body), HasSubstr(text));
}

void expect_bytes_refused(const std::string& bytes, const std::string& text) {
  v1::Message wire;
  wire.set_encoded(bytes);
  const auto body = [&] { from_wire(wire, protocol::small_study()); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid) << text;
  EXPECT_THAT(error_text(body), HasSubstr(text));
}

TEST(WireMessage, BadUploadsAreRefusedNamingAgentAndEpoch) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(good_upload(), change, text);
  };
  using protocol::Upload;
  refused([](Upload& m) { m.values[5] = kNan; },
          "agent 2, epoch 2: value 5 is nan: must be finite");
  refused([](Upload& m) { m.values[0] = -kInfinity; },
          "agent 2, epoch 2: value 0 is -inf: must be finite");
  refused([](Upload& m) { m.values.push_back(1); }, "agent 2, epoch 2: 13 values: at most 12");
  refused([](Upload& m) { m.kind = protocol::UploadKind::kRewards; },
          "agent 2, epoch 2: 12 values: at most 4");
  refused([](Upload& m) { m.agent = base::AgentId{3}; },
          "agent 3, epoch 2: the study has agents 0 to 2");
  refused([](Upload& m) { m.epoch = base::EpochId{0}; },
          "agent 2, epoch 0: the study has epochs 1 to 3");
  refused([](Upload& m) { m.epoch = base::EpochId{4}; },
          "agent 2, epoch 4: the study has epochs 1 to 3");
  refused([](Upload& m) { m.holes[1] = 4; }, "agent 2, epoch 2: hole 4: must be below 4");
  refused([](Upload& m) { m.holes[1] = 0; }, "beyond 32 bits");
  refused(
      [](Upload& m) {
        m.format = {protocol::Numbers::kShort, std::nullopt};
      },
      "agent 2, epoch 2: numbers = \"short\": the study has \"double\"");
}

TEST(WireMessage, BadInducingSetsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(good_set(), change, "coordinator, epoch " + text);
  };
  using protocol::InducingSet;
  refused([](InducingSet& m) { m.epoch = base::EpochId{9}; }, "9: the study has epochs 1 to 3");
  refused([](InducingSet& m) { m.points(1, 1) = kNan; },
          "2: inducing point 3 is nan: must be finite");
  refused([](InducingSet& m) { m.points = numeric::Points::Zero(4, 3); },
          "2: inducing points of 3 coordinates: the study has 2");
  refused([](InducingSet& m) { m.points = numeric::Points::Zero(13, 2); },
          "2: 13 inducing points: at most 12");
  const auto with_slots = [](std::vector<std::uint32_t> slots) {
    return [slots](InducingSet& m) {
      m.points = {};
      m.public_slots = slots;
    };
  };
  refused(with_slots({3}), "2: the inducing set of this study");
  refused(with_slots({3, 200}), "2: public slot 200: must be below");
}

TEST(WireMessage, BadTrimsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(good_trim(), change, "coordinator, epoch 2: " + text);
  };
  using protocol::Trim;
  refused([](Trim& m) { m.weights[1] = kNan; }, "weight 1 is nan: must be finite");
  refused([](Trim& m) { m.weights = {}; }, "no weights");
  refused([](Trim& m) { m.weights = numeric::Vector::Ones(13); }, "13 weights: at most 12");
  refused([](Trim& m) { m.tau = kInfinity; }, "tau is inf: must be finite");
  refused([](Trim& m) { m.public_slots = {3, 200}; }, "public slot 200: must be below 200");
  refused([](Trim& m) { m.public_slots = {1, 2, 3}; }, "12 weights: at most 3");
  refused(
      [](Trim& m) {
        m.public_slots.resize(13);
        std::iota(m.public_slots.begin(), m.public_slots.end(), 0U);
      },
      "12 weights for 13 public slots");
  refused([](Trim& m) { m.starts(0, 0) = kNan; }, "start point 0 is nan");
  refused([](Trim& m) { m.starts = numeric::Points::Zero(1, 4); }, "start points of 4 coordinates");
  refused([](Trim& m) { m.excluded[1] = 3; }, "excluded agent 3: must be below 3");
  refused([](Trim& m) { m.learned.emplace(); }, "a learned model: this study has parameters");
  refused(
      [](Trim& m) {
        m.format = {protocol::Numbers::kShort, std::nullopt};
      },
      "numbers = \"short\": the study has \"double\"");
  const auto not_read = [](auto change) {
    expect_refused(
        good_trim(), [&](Trim& m) { change(m.sampler); },
        "a message: sampler: a number out of range");
  };
  not_read([](region::SamplerSettings& s) { s.max_shrinks = 3000; });
  not_read([](region::SamplerSettings& s) { s.num_starts = 1025; });
  not_read([](region::SamplerSettings& s) { s.stream_cap = 1U << 25; });
  expect_refused(
      good_trim(), [](Trim& m) { m.starts = numeric::Points::Zero(1025, 2); },
      "a message: a list is longer than this study allows");
}

TEST(WireMessage, BadModelsAreRefused) {
  Study study = protocol::small_study();
  study.parameters = protocol::Parameters::kLearned;
  protocol::Trim good = good_trim();
  good.learned = protocol::Model{{kernel::Family::kMatern52, {1}, 1}, 0};
  const auto refused = [&](auto change, const std::string& text) {
    expect_refused(
        good, [&](protocol::Trim& m) { change(*m.learned); }, text, study);
  };
  using protocol::Model;
  refused([](Model& m) { m.reward_offset = kNan; }, "learned.reward_offset is nan");
  refused([](Model& m) { m.kernel.variance = kNan; }, "kernel.variance = nan");
  refused([](Model& m) { m.kernel.lengthscales = {1, 1, 1}; }, "kernel.lengthscale = 3 numbers");
}

TEST(WireMessage, BadClosingsAndRefusalsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(good_closing(), change, "agent " + text);
  };
  using protocol::Closing;
  refused([](Closing& m) { m.agent = base::AgentId{7}; },
          "7, epoch 3: the study has agents 0 to 2");
  refused([](Closing& m) { m.best.slot = 4; }, "1, epoch 3: best trial in epoch");
  refused([](Closing& m) { m.best.epoch = base::EpochId{0}; }, "1, epoch 3: best trial in epoch");
  refused([](Closing& m) { m.best.epoch = base::EpochId{4}; }, "1, epoch 3: best trial in epoch");
  refused([](Closing& m) { m.best.reward = kNan; }, "1, epoch 3: best reward is");
  refused([](Closing& m) { m.values[8] = kNan; }, "1, epoch 3: value 8 is nan");
  refused([](Closing& m) { m.values.push_back(8); }, "1, epoch 3: 10 values: at most 9");
  refused([](Closing& m) { m.holes[0] = 3; }, "1, epoch 3: hole 3: must be below 3");
  const protocol::Refusal refusal{base::AgentId{0}, base::EpochId{1}, protocol::Reason::kStale};
  expect_refused(
      refusal, [](protocol::Refusal& m) { m.reason = static_cast<protocol::Reason>(7); },
      "a message: reason");
}

TEST(WireMessage, BytesThatAreNoMessageAreRefused) {
  expect_bytes_refused("", "a message: ");
  expect_bytes_refused("\x17", "message type");
  // An upload of agent 0 in epoch 1 with 2^31 holes, in a few bytes.
  protocol::BitWriter out;
  out.count(2, 0);
  for (const bool flag : {false, true}) out.flag(flag);
  for (const std::uint64_t id : {0, 1}) out.count(id, 3);
  out.bits(0, 64);
  out.flag(true);
  out.count(std::uint64_t{1} << 31, 2);
  const base::Bytes bytes = out.take();
  expect_bytes_refused(std::string(bytes.begin(), bytes.end()), "a list is longer than");
}

// Short numbers have no NaN and no infinity: the nearest there is are exponents beyond all others.
TEST(WireMessage, HostileShortNumbersAreRefused) {
  Study study = protocol::small_study();
  study.numbers = protocol::Numbers::kShort;
  struct Header {
    std::int64_t exponent = -3;
    std::int64_t base = 5;
    std::uint64_t code = 4;
    int count = 4;
  };
  const auto error_of = [&](const Header& header) {
    protocol::BitWriter out;
    out.count(2, 0);
    for (const bool flag : {true, true}) out.flag(flag);
    for (const std::uint64_t id : {0, 2}) out.count(id, 3);
    out.bits(0x1234, 16);
    out.flag(false);  // no holes
    out.flag(true);   // on a grid
    out.integer(header.exponent, 2);
    out.flag(header.base != 0);
    if (header.base != 0) out.integer(header.base, 5);
    out.flag(false);  // none apart
    const std::vector<std::uint64_t> codes(static_cast<std::size_t>(header.count), header.code);
    const int k = protocol::best_parameter(codes, 32);
    out.bits(static_cast<std::uint64_t>(k), 5);
    for (const std::uint64_t code : codes) out.element(code, k);
    const base::Bytes bytes = out.take();
    v1::Message wire;
    wire.set_encoded(bytes.data(), bytes.size());
    const auto body = [&] { from_wire(wire, study); };
    const std::string text = error_text(body);
    EXPECT_NE(error_kind(body).value_or(base::ErrorKind::kInvalid), base::ErrorKind::kDecode);
    return text;
  };
  EXPECT_EQ(error_of({}), "");
  EXPECT_THAT(error_of({.exponent = 961}), HasSubstr("out of range"));
  EXPECT_THAT(error_of({.exponent = -1000000}), HasSubstr("out of range"));
  EXPECT_THAT(error_of({.base = std::int64_t{1} << 53}), HasSubstr("out of range"));
  EXPECT_THAT(error_of({.code = std::uint64_t{1} << 42}), HasSubstr("out of range"));
  EXPECT_THAT(error_of({.count = 5}), HasSubstr("5 values: at most 4"));
  EXPECT_THAT(error_of({.count = 5000}), HasSubstr("longer than this study allows"));
}

TEST(WireMessage, PublicStudiesAcceptOnlyPublicSlots) {
  Study study = protocol::small_study();
  study.inducing = protocol::Inducing::kPublic;
  EXPECT_THAT(error_text([&] { from_wire(to_wire(good_set()), study); }),
              HasSubstr("public slots, not points"));
  protocol::InducingSet set = good_set();
  set.points = {};
  set.public_slots.resize(200);
  std::iota(set.public_slots.begin(), set.public_slots.end(), 0U);
  EXPECT_EQ(error_text([&] { from_wire(to_wire(set), study); }), "");
}

TEST(WireMessage, EarlierEpochsCountIfTheirDataSurvives) {
  Study study = protocol::small_study();
  study.data = protocol::DataPolicy::kSurviving;
  protocol::InducingSet set = good_set();
  set.points = numeric::Points::Constant(18, 2, 0.5);
  EXPECT_EQ(error_text([&] { from_wire(to_wire(set), study); }), "");
  set.points = numeric::Points::Constant(19, 2, 0.5);
  EXPECT_THAT(error_text([&] { from_wire(to_wire(set), study); }),
              HasSubstr("19 inducing points: at most 18"));
}

// --- Histories ---------------------------------------------------------------------------------

TEST(ChainBroadcast, DependsOnContentOrderAndNumber) {
  const Message set = good_set();
  const Message trim = good_trim();
  const std::uint64_t both = chain_broadcast(chain_broadcast(0, set), trim);
  EXPECT_EQ(both, chain_broadcast(chain_broadcast(0, set), trim));
  EXPECT_NE(both, chain_broadcast(chain_broadcast(0, trim), set));
  EXPECT_NE(both, chain_broadcast(0, set));
  auto other = std::get<protocol::Trim>(trim);
  other.tau = -0.0;
  EXPECT_NE(both, chain_broadcast(chain_broadcast(0, set), other));
}

TEST(ChainBroadcast, IsTheSameOnBothSidesOfTheWire) {
  for (const Study& study : wire_studies()) {
    std::uint64_t here = 0;
    std::uint64_t there = 0;
    for (const Message& message : messages_of(study)) {
      here = chain_broadcast(here, message);
      there = chain_broadcast(there, from_wire(through_bytes(to_wire(message)), study));
    }
    EXPECT_EQ(here, there);
  }
}

}  // namespace
}  // namespace duets::service
