#include "duets/service/grpc_log.h"

#include <gmock/gmock.h>
#include <grpc/support/log.h>
#include <gtest/gtest.h>

namespace duets::service {
namespace {

using testing::HasSubstr;

std::string failed(const std::string& why) {
  return "Handshaking failed: UNKNOWN:Ssl handshake failed: SSL_ERROR_SSL: error:0A000086:SSL "
         "routines::" +
         why + " {tsi_code:10, file:\"security_handshaker.cc\"}";
}

// In the words of gRPC 1.51 with OpenSSL 3.
TEST(GrpcLine, DistinguishesRefusedCertificatesAndTimeouts) {
  const auto none = grpc_line(failed("peer did not return a certificate"));
  ASSERT_TRUE(none);
  EXPECT_THAT(none->message, HasSubstr("has no certificate"));
  EXPECT_EQ(none->cause, "certificate");
  const auto foreign = grpc_line(failed("certificate verify failed"));
  ASSERT_TRUE(foreign);
  EXPECT_THAT(foreign->message, HasSubstr("expired or is from another authority"));
  const auto late = grpc_line(
      "Handshaking failed: UNKNOWN:Handshake read failed {children:[UNKNOWN:Handshake timed out "
      "{}]}");
  ASSERT_TRUE(late);
  EXPECT_EQ(late->cause, "idle");
  const auto half = grpc_line(
      "ipv4:127.0.0.1:5: Sending goaway err=UNKNOWN:Did not receive HTTP/2 settings before "
      "handshake timeout {}");
  ASSERT_TRUE(half);
  EXPECT_EQ(half->cause, "idle");
  const auto broken = grpc_line("Handshaking failed: UNKNOWN:Handshake read failed {}");
  ASSERT_TRUE(broken);
  EXPECT_THAT(broken->message, HasSubstr("aborted"));
  const auto other = grpc_line(failed("no shared cipher"));
  ASSERT_TRUE(other);
  EXPECT_EQ(other->cause, "handshake");
  EXPECT_THAT(other->message, HasSubstr("no shared cipher"));
  EXPECT_THAT(other->message, testing::Not(HasSubstr("{"))) << "gRPC's own details";
  for (const auto& line : {none, foreign, late, half, other}) {
    EXPECT_EQ(line->level, LogLevel::kWarning);
  }
}

TEST(GrpcLine, OmitsMessagesOfTheGateAndUselessOnes) {
  EXPECT_FALSE(grpc_line(failed("wrong version number")));
  EXPECT_FALSE(grpc_line(failed("http request")));
  EXPECT_FALSE(grpc_line("grpc epoll fd: 3"));
  EXPECT_FALSE(grpc_line(""));
}

TEST(GrpcLog, ReceivesMessagesWhileItLives) {
  std::string heard;
  {
    const GrpcLog log([&](const LogLine& line) { heard += line.message; });
    gpr_log(GPR_DEBUG, "%s", failed("certificate verify failed").c_str());
    EXPECT_THAT(heard, HasSubstr("certificate"));
    heard.clear();
  }
  gpr_log(GPR_DEBUG, "%s", failed("certificate verify failed").c_str());
  EXPECT_EQ(heard, "");
}

}  // namespace
}  // namespace duets::service
