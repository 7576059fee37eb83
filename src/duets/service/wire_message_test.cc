// Tests the conversion of protocol::Message: nothing is lost, and invalid messages are refused.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

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

TEST(WireMessage, ARealCostsEightBytesAndAMessageASmallConstant) {
  std::size_t checked = 0;
  for (const Study& study : wire_studies()) {
    for (const Message& message : messages_of(study)) {
      const auto* set = std::get_if<protocol::InducingSet>(&message);
      const auto* upload = std::get_if<protocol::Upload>(&message);
      if (set != nullptr && !set->public_slots.empty()) continue;
      if (upload != nullptr && !upload->holes.empty()) continue;
      ++checked;
      EXPECT_LE(to_wire(message).ByteSizeLong(), 8 * protocol::num_reals(message) + 64);
    }
  }
  EXPECT_GE(checked, 50U);
}

TEST(WireMessage, ASlotOrAHoleCostsLessThanAReal) {
  protocol::Upload upload;
  for (std::uint32_t i = 0; i < 4000; ++i) upload.holes.push_back(2'000'000'000 + i);
  EXPECT_LE(to_wire(upload).ByteSizeLong(), 8 * protocol::num_reals(upload) + 64);
}

TEST(WireMessage, ALearnedModelRoundTrips) {
  Study study = protocol::small_study();
  study.parameters = protocol::Parameters::kLearned;
  protocol::Trim trim;
  trim.epoch = base::EpochId{1};
  trim.weights = numeric::Vector::Ones(2);
  EXPECT_FALSE(to_wire(trim).trim().has_learned());
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

v1::Message good_upload() {
  v1::Message message;
  v1::Upload& upload = *message.mutable_upload();
  upload.set_agent(2);
  upload.set_epoch(2);
  upload.set_kind(1);
  for (int i = 0; i < 12; ++i) upload.add_values(i);
  upload.add_holes(0);
  upload.add_holes(3);
  return message;
}

v1::Message good_set() {
  v1::Message message;
  v1::InducingSet& set = *message.mutable_inducing_set();
  set.set_epoch(2);
  set.set_upload(2);
  set.mutable_points()->set_columns(2);
  for (int i = 0; i < 24; ++i) set.mutable_points()->add_values(0.5);
  return message;
}

v1::Message good_trim() {
  v1::Message message;
  v1::Trim& trim = *message.mutable_trim();
  trim.set_epoch(2);
  for (int i = 0; i < 12; ++i) trim.add_weights(0.5);
  trim.mutable_sampler()->set_method(2);
  trim.mutable_sampler()->set_max_shrinks(5);
  trim.mutable_sampler()->set_num_starts(64);
  trim.mutable_starts()->set_columns(2);
  for (int i = 0; i < 4; ++i) trim.mutable_starts()->add_values(0.5);
  trim.add_excluded(0);
  trim.add_excluded(2);
  return message;
}

v1::Message good_closing() {
  v1::Message message;
  v1::Closing& closing = *message.mutable_closing();
  closing.set_agent(1);
  closing.mutable_best()->set_epoch(2);
  closing.mutable_best()->set_slot(3);
  for (int i = 0; i < 9; ++i) closing.add_values(i);
  closing.add_holes(2);
  return message;
}

// One change makes the message invalid, and the error names it.
template <typename Change>
void expect_refused(v1::Message message, const Change& change, const std::string& text) {
  const Study study = protocol::small_study();
  ASSERT_EQ(error_text([&] { from_wire(message, study); }), "");
  change(message);
  const auto body = [&] { from_wire(message, study); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid) << text;
  EXPECT_THAT(error_text(body), HasSubstr(text));
}

TEST(WireMessage, BadUploadsAreRefusedNamingAgentAndEpoch) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(
        good_upload(), [&](v1::Message& m) { change(*m.mutable_upload()); }, text);
  };
  refused([](v1::Upload& m) { m.set_values(5, kNan); },
          "agent 2, epoch 2: value 5 is nan: must be finite");
  refused([](v1::Upload& m) { m.set_values(0, -kInfinity); },
          "agent 2, epoch 2: value 0 is -inf: must be finite");
  refused([](v1::Upload& m) { m.add_values(1); }, "agent 2, epoch 2: 13 values: at most 12");
  refused([](v1::Upload& m) { m.set_kind(2); }, "agent 2, epoch 2: 12 values: at most 4");
  refused([](v1::Upload& m) { m.set_kind(3); },
          "agent 2, epoch 2: upload = 3: must be 1 (projection) or 2 (rewards)");
  refused([](v1::Upload& m) { m.set_agent(3); }, "agent 3, epoch 2: the study has agents 0 to 2");
  refused([](v1::Upload& m) { m.set_epoch(0); }, "agent 2, epoch 0: the study has epochs 1 to 3");
  refused([](v1::Upload& m) { m.set_epoch(4); }, "agent 2, epoch 4: the study has epochs 1 to 3");
  refused([](v1::Upload& m) { m.set_holes(1, 4); }, "agent 2, epoch 2: hole 4: must be below 4");
  refused([](v1::Upload& m) { m.set_holes(1, 0); }, "agent 2, epoch 2: hole 0 after 0");
  refused([](v1::Upload& m) { m.mutable_holes()->Resize(5, 1); }, "5 holes: at most 4");
}

TEST(WireMessage, BadInducingSetsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(
        good_set(), [&](v1::Message& m) { change(*m.mutable_inducing_set()); },
        "coordinator, epoch " + text);
  };
  refused([](v1::InducingSet& m) { m.set_epoch(9); }, "9: the study has epochs 1 to 3");
  refused([](v1::InducingSet& m) { m.set_upload(0); },
          "2: upload = 0: must be 1 (projection) or 2 (rewards)");
  refused([](v1::InducingSet& m) { m.mutable_points()->set_values(3, kNan); },
          "2: inducing point 3 is nan: must be finite");
  refused([](v1::InducingSet& m) { m.mutable_points()->set_columns(3); },
          "2: inducing points of 3 coordinates: the study has 2");
  refused([](v1::InducingSet& m) { m.mutable_points()->add_values(0); }, "2: 25 numbers");
  refused([](v1::InducingSet& m) { m.mutable_points()->mutable_values()->Resize(26, 0); },
          "2: 13 inducing points: at most 12");
  refused([](v1::InducingSet& m) { m.clear_points(); }, "2: the inducing set of this study");
  refused([](v1::InducingSet& m) { m.add_public_slots(3); }, "2: the inducing set of this study");
  refused([](v1::InducingSet& m) { m.add_public_slots(200); }, "2: public slot 200: must be below");
  refused([](v1::InducingSet& m) { m.mutable_public_slots()->Resize(201, 1); },
          "2: 201 public slots");
}

TEST(WireMessage, BadTrimsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(
        good_trim(), [&](v1::Message& m) { change(*m.mutable_trim()); },
        "coordinator, epoch 2: " + text);
  };
  refused([](v1::Trim& m) { m.set_weights(1, kNan); }, "weight 1 is nan: must be finite");
  refused([](v1::Trim& m) { m.clear_weights(); }, "no weights");
  refused([](v1::Trim& m) { m.add_weights(1); }, "13 weights: at most 12");
  refused([](v1::Trim& m) { m.set_tau(kInfinity); }, "tau is inf: must be finite");
  refused([](v1::Trim& m) { m.mutable_sampler()->set_method(4); }, "sampler.method = 4");
  refused([](v1::Trim& m) { m.mutable_sampler()->set_max_shrinks(3000); }, "sampler.max_shrinks");
  refused([](v1::Trim& m) { m.mutable_sampler()->set_num_starts(1025); }, "sampler.num_starts");
  refused([](v1::Trim& m) { m.mutable_sampler()->set_stream_cap(1U << 25); }, "sampler.stream_cap");
  refused([](v1::Trim& m) { m.mutable_sampler()->set_cover_depth(1); }, "sampler.cover_depth");
  refused(
      [](v1::Trim& m) {
        m.mutable_sampler()->set_method(3);
        m.mutable_sampler()->set_max_attempts(100);
        m.mutable_sampler()->set_cover_depth(61);
      },
      "sampler.cover_depth = 61: must be at most 60");
  refused([](v1::Trim& m) { m.mutable_starts()->set_values(0, kNan); }, "start point 0 is nan");
  refused([](v1::Trim& m) { m.mutable_starts()->set_columns(4); }, "start points of 4 coordinates");
  refused([](v1::Trim& m) { m.mutable_starts()->mutable_values()->Resize(2050, 0); },
          "1025 start points: at most 1024");
  refused([](v1::Trim& m) { m.set_excluded(1, 3); }, "excluded agent 3: must be below 3");
  refused([](v1::Trim& m) { m.set_excluded(0, 2); }, "excluded agent 2 after 2: must increase");
  refused([](v1::Trim& m) { m.mutable_learned(); }, "a learned model: this study has parameters");
}

TEST(WireMessage, BadModelsAreRefused) {
  Study study = protocol::small_study();
  study.parameters = protocol::Parameters::kLearned;
  const auto refused = [&](auto change, const std::string& text) {
    v1::Message message = good_trim();
    v1::Model& model = *message.mutable_trim()->mutable_learned();
    model.mutable_kernel()->set_variance(1);
    model.mutable_kernel()->add_lengthscales(1);
    EXPECT_NO_THROW(from_wire(message, study));
    change(model);
    try {
      from_wire(message, study);
      FAIL() << text;
    } catch (const base::Error& error) {
      EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
    }
  };
  refused([](v1::Model& m) { m.set_reward_offset(kNan); }, "learned.reward_offset is nan");
  refused([](v1::Model& m) { m.mutable_kernel()->set_family(4); }, "kernel.family = 4");
  refused([](v1::Model& m) { m.mutable_kernel()->set_variance(kNan); }, "kernel.variance = nan");
  refused([](v1::Model& m) { m.mutable_kernel()->mutable_lengthscales()->Resize(3, 1); },
          "kernel.lengthscale = 3 numbers");
}

TEST(WireMessage, BadClosingsAndRefusalsAreRefused) {
  const auto refused = [](auto change, const std::string& text) {
    expect_refused(
        good_closing(), [&](v1::Message& m) { change(*m.mutable_closing()); }, "agent " + text);
  };
  refused([](v1::Closing& m) { m.set_agent(7); }, "7, epoch 3: the study has agents 0 to 2");
  refused([](v1::Closing& m) { m.mutable_best()->set_slot(4); }, "1, epoch 3: best trial in epoch");
  refused([](v1::Closing& m) { m.mutable_best()->set_epoch(0); },
          "1, epoch 3: best trial in epoch");
  refused([](v1::Closing& m) { m.mutable_best()->set_epoch(4); },
          "1, epoch 3: best trial in epoch");
  refused([](v1::Closing& m) { m.mutable_best()->set_reward(kNan); }, "1, epoch 3: best reward is");
  refused([](v1::Closing& m) { m.set_values(8, kNan); }, "1, epoch 3: value 8 is nan");
  refused([](v1::Closing& m) { m.add_values(8); }, "1, epoch 3: 10 values: at most 9");
  refused([](v1::Closing& m) { m.set_holes(0, 3); }, "1, epoch 3: hole 3: must be below 3");
  const auto bad_refusal = [](v1::Message& m) {
    m.mutable_refusal()->set_epoch(1);
    m.mutable_refusal()->set_reason(7);
  };
  expect_refused(good_closing(), bad_refusal, "agent 0, epoch 1: refusal.reason = 7");
  expect_refused(
      good_closing(), [](v1::Message& m) { m.clear_closing(); }, "a message without content");
}

TEST(WireMessage, PublicStudiesAcceptOnlyPublicSlots) {
  Study study = protocol::small_study();
  study.inducing = protocol::Inducing::kPublic;
  EXPECT_THAT(error_text([&] { from_wire(good_set(), study); }),
              HasSubstr("public slots, not points"));
  v1::Message message = good_set();
  message.mutable_inducing_set()->clear_points();
  message.mutable_inducing_set()->mutable_public_slots()->Resize(200, 199);
  EXPECT_EQ(error_text([&] { from_wire(message, study); }), "");
}

TEST(WireMessage, EarlierEpochsCountIfTheirDataSurvives) {
  Study study = protocol::small_study();
  study.data = protocol::DataPolicy::kSurviving;
  v1::Message message = good_set();
  message.mutable_inducing_set()->mutable_points()->mutable_values()->Resize(36, 0.5);
  EXPECT_EQ(error_text([&] { from_wire(message, study); }), "");
  message.mutable_inducing_set()->mutable_points()->mutable_values()->Resize(38, 0.5);
  EXPECT_THAT(error_text([&] { from_wire(message, study); }),
              HasSubstr("19 inducing points: at most 18"));
}

// --- Histories ---------------------------------------------------------------------------------

TEST(ChainBroadcast, DependsOnContentOrderAndNumber) {
  const Study study = protocol::small_study();
  const Message set = from_wire(good_set(), study);
  const Message trim = from_wire(good_trim(), study);
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
