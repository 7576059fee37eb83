#include "duets/service/handshake.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "duets/protocol/run_test_support.h"
#include "duets/region/fingerprint.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

using protocol::error_kind;
using protocol::error_text;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

constexpr base::Digest kStudy{0x1111, 0x2222};

v1::JoinRequest good_request() {
  v1::JoinRequest request;
  request.set_protocol_version(kProtocolVersion);
  request.set_start("0123456789abcdef");
  *request.mutable_numeric_fingerprint() = to_wire(fingerprint_of_start(request.start()));
  return request;
}

std::string objection(const v1::JoinRequest& request) {
  return handshake_objection(request, kStudy).value_or("");
}

TEST(Handshake, AcceptsTheSameRelease) {
  v1::JoinRequest request = good_request();
  EXPECT_EQ(objection(request), "");
  *request.mutable_study_digest() = to_wire(kStudy);
  EXPECT_EQ(objection(request), "");
}

TEST(Handshake, NamesBothProtocolVersions) {
  v1::JoinRequest request = good_request();
  request.set_protocol_version(7);
  EXPECT_THAT(objection(request),
              AllOf(HasSubstr("the agent uses protocol version 7"), HasSubstr("version 4")));
}

// What is right for one start is wrong for another, and the answer does not say what is right.
TEST(Handshake, AFingerprintCannotBeCopied) {
  v1::JoinRequest request = good_request();
  *request.mutable_numeric_fingerprint() = to_wire(region::numeric_fingerprint());
  EXPECT_THAT(objection(request), HasSubstr(base::to_hex(region::numeric_fingerprint())));
  *request.mutable_numeric_fingerprint() = to_wire(base::Digest{1, 2});
  EXPECT_THAT(objection(request),
              AllOf(HasSubstr(base::to_hex({1, 2})),
                    Not(HasSubstr(base::to_hex(fingerprint_of_start(request.start()))))));
  request.clear_numeric_fingerprint();
  EXPECT_THAT(objection(request), HasSubstr(base::to_hex({0, 0})));
  request = good_request();
  request.set_start("0123456789abcdeX");  // its last 8 bytes say nothing
  EXPECT_EQ(objection(request), "");
  request.set_start("X123456789abcdef");
  EXPECT_THAT(objection(request), HasSubstr("computes different bits"));
}

TEST(Handshake, NamesBothStudies) {
  v1::JoinRequest request = good_request();
  *request.mutable_study_digest() = to_wire(base::Digest{3, 4});
  EXPECT_THAT(objection(request),
              AllOf(HasSubstr(base::to_hex({3, 4})), HasSubstr(base::to_hex(kStudy))));
}

v1::JoinReply good_reply() {
  const Definition definition = definition_of(study::file_of(protocol::small_study()));
  v1::JoinReply reply;
  *reply.mutable_definition() = to_wire(definition);
  *reply.mutable_study_digest() = to_wire(protocol::study_digest(*definition.study));
  reply.set_agent(2);
  reply.set_coin(std::string(32, 'k'));
  reply.set_public_coin(std::string(32, 'p'));
  reply.set_lease_seconds(60);
  *reply.mutable_epochs() = epochs_of(*definition.study);
  return reply;
}

TEST(Handshake, AGoodReplyGivesItsDefinition) {
  EXPECT_EQ(check_join_reply(good_reply()).study->agents, 3U);
}

TEST(Handshake, AReplyWithTheDefinitionOfAnotherStudyDiverges) {
  v1::JoinReply reply = good_reply();
  const base::Digest said = from_wire(reply.study_digest());
  std::string& text = *reply.mutable_definition()->mutable_study_file();
  text.replace(text.find("beta = 0.5"), 10, "beta = 0.75");
  const base::Digest own = protocol::study_digest(*from_wire(reply.definition()).study);
  const auto body = [&] { check_join_reply(reply); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kDiverged);
  EXPECT_THAT(error_text(body), AllOf(HasSubstr(base::to_hex(said)), HasSubstr(base::to_hex(own))));
}

TEST(Handshake, TheCoinOfAReplyIsCheckedAndNeverShown) {
  v1::JoinReply reply = good_reply();
  reply.set_coin(std::string(31, 'k'));
  const auto body = [&] { check_join_reply(reply); };
  EXPECT_EQ(error_kind(body), base::ErrorKind::kProtocol);
  EXPECT_EQ(error_text(body), "invalid reply to join: a coin that is not 32 bytes");
  reply = good_reply();
  reply.clear_public_coin();
  EXPECT_EQ(error_kind(body), base::ErrorKind::kProtocol);
}

TEST(Handshake, AReplyWithOtherEpochsIsRefused) {
  v1::JoinReply reply = good_reply();
  EXPECT_EQ(reply.epochs().lengths_size(), 3);
  EXPECT_EQ(reply.epochs().closing_size(), 1);
  reply.mutable_epochs()->set_lengths(1, 5);
  EXPECT_THAT(error_text([&] { check_join_reply(reply); }), HasSubstr("other epochs"));
}

TEST(Handshake, AReplyWithAnImpossibleAgentOrLeaseIsRefused) {
  v1::JoinReply reply = good_reply();
  const auto body = [&] { check_join_reply(reply); };
  reply.set_agent(3);
  EXPECT_THAT(error_text(body), HasSubstr("agent 3 in a study of 3"));
  reply = good_reply();
  reply.set_lease_seconds(std::numeric_limits<double>::quiet_NaN());
  EXPECT_THAT(error_text(body), HasSubstr("a lease of nan seconds"));
}

}  // namespace
}  // namespace duets::service
