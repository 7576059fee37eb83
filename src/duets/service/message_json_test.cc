#include "duets/service/message_json.h"

#include <gtest/gtest.h>

#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const google::protobuf::Message& message) { return json_of(message).dump(); }

TEST(MessageJson, FieldsHaveTheNamesAndTheOrderOfTheProto) {
  v1::EpochStatus epoch;
  epoch.set_epoch(1);
  epoch.set_length(2);
  epoch.set_why("deadline");
  epoch.set_holes(std::uint64_t{1} << 60);
  epoch.add_excluded(3);
  epoch.set_region_fraction(0.1);
  EXPECT_EQ(
      text(epoch),
      R"({"epoch":1,"length":2,"why":"deadline","participants":0,"holes":1152921504606846976,)"
      R"("excluded":[3],"inducing":0,"region_fraction":0.1,"seconds":0.0})");
}

TEST(MessageJson, UnsetFieldsAreNull) {
  v1::StudyStatus status;
  const Json empty = json_of(status);
  EXPECT_EQ(static_cast<int>(empty.size()), v1::StudyStatus::descriptor()->field_count());
  for (const char* field : {"deadline", "deadline_seconds", "seconds_left", "recommendation",
                            "best_trial", "traffic", "run_digest"}) {
    EXPECT_TRUE(empty.at(field).is_null()) << field;
  }
  EXPECT_EQ(empty.at("served"), false);
  EXPECT_EQ(empty.at("waiting_for"), Json::array());
  status.set_deadline(0);
  EXPECT_EQ(json_of(status).at("deadline"), 0.0) << "set, if only to 0";
}

TEST(MessageJson, ParametersAreAnObjectInOrder) {
  v1::Recommendation found;
  const auto add = [&](const char* name) {
    v1::Param& param = *found.add_params();
    param.set_name(name);
    return &param;
  };
  add("rate")->set_number(0.25);
  add("layers")->set_integer(1234567);
  add("color")->set_choice("red");
  add("none");
  EXPECT_EQ(json_of(found).at("params").dump(),
            R"({"rate":0.25,"layers":1234567,"color":"red","none":null})");
  EXPECT_EQ(json_of(v1::Recommendation()).at("params"), Json::object());
}

TEST(MessageJson, DigestsAreHexadecimalAndEnumerationsWords) {
  v1::StudyStatus status;
  status.mutable_run_digest()->set_low(0xab);
  status.set_state(v1::STUDY_STATE_RUNNING);
  const Json json = json_of(status);
  EXPECT_EQ(json.at("run_digest"), "ab000000000000000000000000000000");
  EXPECT_EQ(json.at("state"), "running");
  v1::AgentStatus agent;
  EXPECT_EQ(json_of(agent).at("presence"), "never seen");
  agent.set_presence(static_cast<v1::Presence>(9));
  EXPECT_EQ(json_of(agent).at("presence"), "?");
}

TEST(MessageJson, FieldsCanBeSelected) {
  v1::StudyStatus status;
  status.set_study("x");
  EXPECT_EQ(json_of(status, {"epoch", "study"}).dump(), R"({"study":"x","epoch":0})");
}

}  // namespace
}  // namespace duets::service
