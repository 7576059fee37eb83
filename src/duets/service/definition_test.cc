#include "duets/service/definition.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
       {.name = "color", .type = ParameterType::kCategorical, .choices = {"red", "blü"}}});
}

study::Objective objective() {
  study::Objective objective;
  objective.direction = study::Direction::kMinimize;
  objective.offset = -0.0;
  objective.scale = 0.1;
  objective.infeasible_value = 0.0;
  objective.timeout = 3;
  objective.retries = 2;
  objective.command = {"./measure", "--färbung=ja"};
  return objective;
}

Definition defined(const Study& study) {
  return definition_of(study::file_of(
      study, objective(), {.listen = {}, .storage = {}, .tls = {}, .quorum = 2, .deadline = 1.5}));
}

// Studies in which every field differs from its default in at least one.
std::vector<Study> studies() {
  Study base = protocol::small_study();
  base.name = "wire-1";
  base.lambda = 0.1;
  base.p0 = 1.0 / 3;
  std::vector<Study> all{base};
  all.push_back(protocol::small_study());
  all.back().mode = protocol::Mode::kTheory;
  all.back().norm_bound = 0.7;
  all.back().subgaussian = 1e-100;
  all.back().delta = 0.05;
  all.push_back(protocol::small_study(domain::Domain::ball(3, 0.1)));
  all.back().inducing = protocol::Inducing::kGreedy;
  all.back().schedule = protocol::ScheduleRule::kPairedDoubling;
  all.back().t1 = 7;
  all.push_back(protocol::small_study(parameters()));
  all.back().kernel = {kernel::Family::kMatern52, {0.1, 0.2, 0.3, 0.3}, 2.5};
  all.back().inducing = protocol::Inducing::kPublic;
  all.push_back(protocol::small_study(domain::Domain::box(2)));
  all.back().schedule = protocol::ScheduleRule::kExplicit;
  all.back().epochs = {4, 5};
  all.back().rate = protocol::CoinRate::kCount;
  all.back().upload = protocol::UploadRule::kProjection;
  all.back().data = protocol::DataPolicy::kSurviving;
  all.back().closing = protocol::ClosingRule::kProjection;
  all.push_back(protocol::small_study());
  all.back().schedule = protocol::ScheduleRule::kWarmUp;
  all.back().inducing = protocol::Inducing::kGreedy;
  all.back().volume_floor = 1e-5;
  all.back().epoch_floor = 0.3;
  all.back().parameters = protocol::Parameters::kLearned;
  all.back().relevance = true;
  all.back().coins = protocol::Coins::kStratified;
  return all;
}

TEST(Definition, BytesAndWireKeepTheStudyDigest) {
  for (const Study& study : studies()) {
    const Definition given = defined(study);
    const Definition back = decode_definition(encode_definition(given));
    EXPECT_EQ(protocol::study_digest(*back.study), protocol::study_digest(study)) << given.toml;
    EXPECT_EQ(from_wire(to_wire(given)).toml, given.toml);
    EXPECT_EQ(protocol::study_digest(*from_wire(to_wire(given)).study),
              protocol::study_digest(study));
  }
}

TEST(Definition, BytesKeepFieldsThatTheDigestDoesNotCover) {
  const Definition given = defined(protocol::small_study());
  const base::Bytes bytes = encode_definition(given);
  const Definition back = decode_definition(bytes);
  EXPECT_EQ(back.objective().direction, study::Direction::kMinimize);
  EXPECT_TRUE(std::signbit(back.objective().offset));
  EXPECT_EQ(back.objective().scale, 0.1);
  EXPECT_EQ(back.objective().infeasible_value, 0.0);
  EXPECT_EQ(back.objective().timeout, 3);
  EXPECT_EQ(back.objective().retries, 2U);
  EXPECT_EQ(back.objective().command, given.objective().command);
  EXPECT_EQ(back.policy().quorum, 2U);
  EXPECT_EQ(back.policy().deadline, 1.5);
  EXPECT_EQ(encode_definition(back), bytes);
}

TEST(Definition, TheInfeasibleValueIsOptional) {
  const Definition given = definition_of(study::file_of(protocol::small_study()));
  EXPECT_FALSE(decode_definition(encode_definition(given)).objective().infeasible_value);
}

TEST(Definition, RewardsAndUserValuesAreInverse) {
  study::Objective settings;
  settings.direction = study::Direction::kMinimize;
  settings.offset = 2;
  settings.scale = 4;
  EXPECT_EQ(settings.reward(6), -2);
  EXPECT_EQ(settings.user_value(-2), 6);
}

// The error for a valid definition with one line replaced.
std::string definition_objection(const std::string& line, const std::string& other) {
  std::string toml = defined(protocol::small_study()).toml;
  const std::size_t at = toml.find(line + "\n");
  EXPECT_NE(at, std::string::npos) << line << " is not in " << toml;
  toml.replace(at, line.size(), other);
  const auto body = [&] { read_definition(toml); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kInvalid);
  return error_text(body);
}

TEST(Definition, NamesTheInvalidField) {
  for (const char* name : {".hidden", "a/b", "a b", "ä", "../x"}) {
    EXPECT_THAT(definition_objection("name = \"study\"", "name = \"" + std::string(name) + '"'),
                HasSubstr("study.name"));
  }
  EXPECT_THAT(definition_objection("agents = 3", "agents = 1000001"),
              HasSubstr("study.agents = 1000001 agents: a server allows at most 1000000"));
  EXPECT_THAT(definition_objection("horizon = 9", "horizon = 2147483647"),
              HasSubstr("study.horizon"));
  EXPECT_THAT(definition_objection("lambda = 0.2", "lambda = 0.0"), HasSubstr("noise.lambda"));
  EXPECT_THAT(definition_objection("mode = \"tuned\"", "mode = \"tuend\""),
              HasSubstr("duets.mode = \"tuend\": must be one of \"tuned\", \"theory\""));
  EXPECT_THAT(definition_objection("offset = -0.0", "offset = nan"),
              HasSubstr("objective.offset = nan"));
  EXPECT_THAT(definition_objection("infeasible_value = 0.0", "infeasible_value = 1e99"),
              HasSubstr("objective.infeasible_value = 1e+99: must be finite and, after"));
  EXPECT_THAT(definition_objection("command = [\"./measure\", \"--färbung=ja\"]",
                                   "command = [\"" + std::string(200'000, 'x') + "\"]"),
              HasSubstr("objective.command = 200001 bytes"));
  EXPECT_THAT(definition_objection("quorum = 2", "quorum = 4"),
              HasSubstr("coordinator.quorum = 4"));
}

TEST(Definition, ATextThatIsNotAStudyIsRefused) {
  EXPECT_EQ(error_kind([] { read_definition(""); }), base::ErrorKind::kInvalid);
  EXPECT_EQ(error_kind([] { read_definition("[study]\nname = \"\xC0\x80\"\n"); }),
            base::ErrorKind::kInvalid);
}

TEST(Definition, TooManyChoicesForAServerAreRefused) {
  std::vector<domain::Parameter> many;
  for (int i = 0; i < 101; ++i) {
    many.push_back({.name = std::to_string(i), .type = domain::ParameterType::kCategorical});
    for (int c = 0; c < 1000; ++c) many.back().choices.push_back(std::to_string(c));
  }
  const study::StudyFile file = study::file_of(protocol::small_study(domain::Domain::box(many)));
  EXPECT_THAT(error_text([&] { definition_of(file); }), HasSubstr("space = 101000 choices"));
}

// Both sides of versions 1 and 2 sent typed fields, and the text with them.
TEST(Definition, ADefinitionOfAnEarlierVersionIsNamedAsSuch) {
  EXPECT_THAT(error_text([] { from_wire(v1::Definition{}); }),
              HasSubstr("uses an earlier version of the protocol"));
  const base::Bytes before{0x0A, 0x03, 0x0A, 0x01, 'x'};
  EXPECT_EQ(error_kind([&] { decode_definition(before); }), base::ErrorKind::kDecode);
  EXPECT_THAT(error_text([&] { decode_definition(before); }), HasSubstr("of an earlier version"));
  EXPECT_EQ(error_kind([] { decode_definition({}); }), base::ErrorKind::kDecode);
}

}  // namespace
}  // namespace duets::service
