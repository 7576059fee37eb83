#include "duets/service/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "duets/protocol/run_test_support.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using protocol::error_kind;
using protocol::error_text;
using protocol::Study;
using ::testing::HasSubstr;

domain::Domain parameters() {
  using domain::ParameterType;
  return domain::Domain::box(
      {{.name = "rate", .low = 1e-4, .high = 0.1, .log = true},
       {.name = "größe", .type = ParameterType::kInt, .low = -3, .high = 9, .step = 2},
       {.name = "color", .type = ParameterType::kCategorical, .choices = {"red", "", "blü"}}});
}

Definition definition_of(const Study& study) {
  Definition definition;
  definition.study = protocol::share(study);
  definition.objective = {
      {.direction = protocol::Direction::kMinimize, .offset = -0.0, .scale = 0.1},
      0.0,
      3,
      2,
      {"./measure", "", "--färbung=ja"}};
  definition.policy = {2, 1.5};
  definition.toml = "[study]\nname = \"x\"\n";
  return definition;
}

// Every field of a study away from its default, in some member.
std::vector<Study> studies() {
  Study base = protocol::small_study();
  base.name = "wire-1";
  base.lambda = 0.1;
  base.p0 = 1.0 / 3;
  base.norm_bound = 0.7;
  base.subgaussian = 5e-324;
  base.delta = 0.05;
  std::vector<Study> all{base};
  all.push_back(base);
  all.back().mode = protocol::Mode::kTheory;
  all.push_back(protocol::small_study(domain::Domain::ball(3, 0.1)));
  all.back().inducing = protocol::Inducing::kGreedy;
  all.back().schedule = protocol::ScheduleRule::kPairedDoubling;
  all.back().t1 = 7;
  all.push_back(protocol::small_study(parameters()));
  all.back().kernel = {kernel::Family::kMatern52, {0.1, 0.2, 0.3, 0.3, 0.3}, 2.5};
  all.back().inducing = protocol::Inducing::kPublic;
  all.push_back(protocol::small_study(domain::Domain::box(2)));
  all.back().schedule = protocol::ScheduleRule::kExplicit;
  all.back().epochs = {4, 5};
  all.back().rate = protocol::CoinRate::kCount;
  all.back().upload = protocol::UploadRule::kProjection;
  all.back().data = protocol::DataPolicy::kSurviving;
  all.back().closing = protocol::ClosingRule::kProjection;
  all.push_back(base);
  all.back().schedule = protocol::ScheduleRule::kWarmUp;
  all.back().inducing = protocol::Inducing::kGreedy;
  all.back().volume_floor = 1e-5;
  all.back().epoch_floor = 0.3;
  all.back().parameters = protocol::Parameters::kLearned;
  all.back().relevance = true;
  all.back().coins = protocol::Coins::kStratified;
  return all;
}

TEST(Definition, ItsBytesKeepTheStudyDigest) {
  for (const Study& study : studies()) {
    const Definition back = decode_definition(encode_definition(definition_of(study)));
    EXPECT_EQ(protocol::study_digest(*back.study), protocol::study_digest(study));
  }
}

// A definition stored by an earlier version has none of the later fields: they mean the defaults.
TEST(Definition, AbsentFieldsMeanTheDefaults) {
  const Study study = protocol::small_study();
  v1::Definition wire = to_wire(definition_of(study));
  EXPECT_EQ(from_wire(wire).study->epoch_floor, 1.0);
  wire.mutable_study()->clear_volume_floor();
  wire.mutable_study()->clear_epoch_floor();
  wire.mutable_study()->clear_parameters();
  wire.mutable_study()->clear_relevance();
  wire.mutable_study()->clear_coins();
  const Definition back = from_wire(wire);
  EXPECT_EQ(back.study->volume_floor, 0.0);
  EXPECT_EQ(back.study->epoch_floor, 1.0);
  EXPECT_EQ(back.study->parameters, protocol::Parameters::kFixed);
  EXPECT_FALSE(back.study->relevance);
  EXPECT_EQ(back.study->coins, protocol::Coins::kIndependent);
  EXPECT_EQ(protocol::study_digest(*back.study), protocol::study_digest(study));
}

TEST(Definition, ItsBytesKeepTheSelfTuning) {
  const Study study = studies().back();
  const Definition back = decode_definition(encode_definition(definition_of(study)));
  EXPECT_EQ(back.study->schedule, protocol::ScheduleRule::kWarmUp);
  EXPECT_EQ(back.study->volume_floor, 1e-5);
  EXPECT_EQ(back.study->epoch_floor, 0.3);
  EXPECT_EQ(back.study->parameters, protocol::Parameters::kLearned);
  EXPECT_TRUE(back.study->relevance);
  EXPECT_EQ(back.study->coins, protocol::Coins::kStratified);
}

TEST(Definition, ItsBytesKeepWhatTheDigestDoesNotCover) {
  const Definition given = definition_of(protocol::small_study());
  const base::Bytes bytes = encode_definition(given);
  const Definition back = decode_definition(bytes);
  EXPECT_EQ(back.objective.direction, protocol::Direction::kMinimize);
  EXPECT_TRUE(std::signbit(back.objective.offset));
  EXPECT_EQ(back.objective.scale, 0.1);
  EXPECT_EQ(back.objective.infeasible_value, 0.0);
  EXPECT_EQ(back.objective.timeout_seconds, 3);
  EXPECT_EQ(back.objective.retries, 2U);
  EXPECT_EQ(back.objective.command, given.objective.command);
  EXPECT_EQ(back.policy.quorum, 2U);
  EXPECT_EQ(back.policy.deadline, 1.5);
  EXPECT_EQ(back.toml, given.toml);
  EXPECT_EQ(encode_definition(back), bytes);
}

TEST(Definition, AValueThatMeansInfeasibleIsThereOrNot) {
  Definition given = definition_of(protocol::small_study());
  given.objective.infeasible_value.reset();
  EXPECT_FALSE(decode_definition(encode_definition(given)).objective.infeasible_value);
}

TEST(Definition, RewardsAndUserValuesAreInverse) {
  ObjectiveSettings settings;
  settings.direction = protocol::Direction::kMinimize;
  settings.offset = 2;
  settings.scale = 4;
  EXPECT_EQ(settings.reward(6), -2);
  EXPECT_EQ(settings.user_value(-2), 6);
}

template <typename Change>
std::string definition_objection(const Change& change) {
  Study study = protocol::small_study();
  Definition definition = definition_of(study);
  change(study, definition);
  definition.study = protocol::share(study);
  const auto body = [&] { validate(definition); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid);
  return error_text(body);
}

TEST(Definition, NamesTheFieldThatIsWrong) {
  const auto said = [](auto change) { return definition_objection(change); };
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const char* name : {"", ".hidden", "a/b", "a b", "ä", "../x"}) {
    EXPECT_THAT(said([&](Study& s, Definition&) { s.name = name; }), HasSubstr("study.name"));
  }
  EXPECT_THAT(said([](Study& s, Definition&) { s.name = std::string(101, 'x'); }),
              HasSubstr("study.name"));
  EXPECT_THAT(said([](Study& s, Definition&) { s.agents = 1'000'001; }), HasSubstr("study.agents"));
  EXPECT_THAT(said([](Study& s, Definition&) { s.horizon = 0x7FFFFFFF; }),
              HasSubstr("study.horizon"));
  EXPECT_THAT(said([](Study& s, Definition&) { s.lambda = 0; }), HasSubstr("noise.lambda"));
  EXPECT_THAT(said([](Study& s, Definition&) { s.epochs.resize(1'000'001); }),
              HasSubstr("duets.epochs"));
  EXPECT_THAT(said([&](Study&, Definition& d) { d.objective.offset = nan; }),
              HasSubstr("objective.offset = nan"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.objective.scale = 0; }),
              HasSubstr("objective.scale = 0"));
  EXPECT_THAT(said([&](Study&, Definition& d) { d.objective.infeasible_value = nan; }),
              HasSubstr("objective.infeasible_value"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.objective.timeout_seconds = 0; }),
              HasSubstr("objective.timeout"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.objective.retries = 1001; }),
              HasSubstr("objective.retries"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.objective.command = {"\xFF"}; }),
              HasSubstr("objective.command = ?"));
  EXPECT_THAT(
      said([](Study&, Definition& d) { d.objective.command = {std::string(200'000, 'x')}; }),
      HasSubstr("objective.command"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.policy.quorum = 4; }),
              HasSubstr("coordinator.quorum = 4: must be at most study.agents = 3"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.policy.deadline = -1; }),
              HasSubstr("coordinator.deadline"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.toml = "\xC0\x80"; }), HasSubstr("study file"));
  EXPECT_THAT(said([](Study&, Definition& d) { d.toml.assign((16U << 20) + 1, ' '); }),
              HasSubstr("study file"));
}

std::string space_objection(domain::Domain domain) {
  return definition_objection([&](Study& study, Definition&) {
    study.domain = std::make_shared<const domain::Domain>(std::move(domain));
  });
}

TEST(Definition, ASpaceTooLargeForAServerIsRefused) {
  EXPECT_THAT(space_objection(domain::Domain::finite(numeric::Points::Zero(4001, 1000))),
              HasSubstr("space.candidates = 4001000 numbers: a server takes at most 4000000"));
  domain::Parameter color{.name = "color", .type = domain::ParameterType::kCategorical};
  for (int i = 0; i < 100'001; ++i) color.choices.push_back(std::to_string(i));
  EXPECT_THAT(space_objection(domain::Domain::box({color})), HasSubstr("100001 choices"));
  color.choices = {std::string(5U << 20, 'x')};
  EXPECT_THAT(space_objection(domain::Domain::box({color})), HasSubstr("bytes of names"));
  color.choices = {"\xFF"};
  EXPECT_THAT(space_objection(domain::Domain::box({color})), HasSubstr("space.color = not UTF-8"));
}

TEST(Definition, TheLargestFitsInOneMessage) {
  Study study = protocol::small_study(domain::Domain::finite(numeric::Points::Ones(4000, 1000)));
  Definition definition = definition_of(study);
  definition.toml.assign(16U << 20, '#');
  validate(definition);
  EXPECT_LT(encode_definition(definition).size(), static_cast<std::size_t>(kMaxMessageBytes) / 2 +
                                                      static_cast<std::size_t>(16U << 20) + 4096);
}

template <typename Change>
std::string wire_objection(const Study& study, const Change& change) {
  v1::Definition wire = to_wire(definition_of(study));
  EXPECT_EQ(error_text([&] { from_wire(wire); }), "");
  change(*wire.mutable_study());
  const auto body = [&] { from_wire(wire); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid);
  return error_text(body);
}

TEST(Definition, NumbersOfNoEnumerationAreRefused) {
  const auto said = [](auto change) { return wire_objection(protocol::small_study(), change); };
  EXPECT_THAT(said([](v1::Study& s) { s.set_mode(2); }), HasSubstr("duets.mode = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_schedule(6); }), HasSubstr("duets.schedule = 6"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_inducing(256); }), HasSubstr("duets.inducing = 256"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_rate(2); }), HasSubstr("duets.rate = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_upload(3); }), HasSubstr("duets.upload = 3"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_data(2); }), HasSubstr("duets.data = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_closing(2); }), HasSubstr("duets.closing = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_parameters(2); }), HasSubstr("duets.parameters = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_coins(2); }), HasSubstr("duets.coins = 2"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_epoch_floor(0); }), HasSubstr("duets.epoch_floor = 0"));
  EXPECT_THAT(said([](v1::Study& s) { s.set_volume_floor(1); }),
              HasSubstr("duets.volume_floor = 1"));
  EXPECT_THAT(said([](v1::Study& s) { s.mutable_kernel()->set_family(4); }),
              HasSubstr("kernel.family = 4"));
  EXPECT_THAT(said([](v1::Study& s) { s.mutable_domain()->set_shape(3); }),
              HasSubstr("space.domain = 3"));
}

TEST(Definition, ASpaceThatContradictsItselfIsRefused) {
  const Study finite = protocol::small_study();
  const Study box = protocol::small_study(parameters());
  const Study ball = protocol::small_study(domain::Domain::ball(2, 1));
  const auto said = [](const Study& study, auto change) {
    return wire_objection(study, [&](v1::Study& s) { change(*s.mutable_domain()); });
  };
  EXPECT_THAT(said(finite, [](v1::Domain& d) { d.mutable_candidates()->add_values(0); }),
              HasSubstr("space.candidates = 81 numbers: must be rows of 2"));
  EXPECT_THAT(said(finite, [](v1::Domain& d) { d.mutable_candidates()->set_columns(0); }),
              HasSubstr("space.candidates"));
  EXPECT_THAT(said(finite, [](v1::Domain& d) { d.set_dimension(3); }),
              HasSubstr("space.dimension"));
  EXPECT_THAT(said(box, [](v1::Domain& d) { d.set_dimension(4); }), HasSubstr("space.dimension"));
  EXPECT_THAT(said(box, [](v1::Domain& d) { d.mutable_parameters(0)->set_type(3); }),
              HasSubstr("space.type = 3"));
  EXPECT_THAT(said(box, [](v1::Domain& d) { d.clear_parameters(); }), HasSubstr("space.dimension"));
  EXPECT_THAT(said(ball, [](v1::Domain& d) { d.set_dimension(0xFFFFFFFF); }),
              HasSubstr("space.dimension"));
  EXPECT_THAT(said(ball, [](v1::Domain& d) { d.add_parameters(); }), HasSubstr("only a box"));
  EXPECT_THAT(said(ball, [](v1::Domain& d) { d.mutable_candidates()->add_values(1); }),
              HasSubstr("only a finite set"));
}

TEST(Definition, BytesThatAreNoneAreRefused) {
  base::Bytes bytes = encode_definition(definition_of(protocol::small_study()));
  bytes.resize(bytes.size() - 1);
  EXPECT_EQ(error_kind([&] { decode_definition(bytes); }), base::ErrorKind::kDecode);
  EXPECT_EQ(error_kind([] { decode_definition({}); }), base::ErrorKind::kInvalid);
}

}  // namespace
}  // namespace duets::service
