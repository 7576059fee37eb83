#include "duets/service/link_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duets::service {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;
using testing::Not;

std::string secure(const std::string& text, StatusCode code = StatusCode::UNAVAILABLE) {
  return away_text({code, text}, "lab.example:7117", false);
}
std::string plain(const std::string& text) {
  return away_text({StatusCode::UNAVAILABLE, text}, "lab.example:7117", true);
}
std::string failed(const std::string& text) {
  return "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:7117: " + text;
}

// As gRPC 1.51 words them.
TEST(LinkText, SaysWhatIsWrongAndWhatMayHelp) {
  EXPECT_EQ(plain(failed("Failed to connect to remote host: Connection refused")),
            "nobody listens at lab.example:7117; is duets serve running?");
  EXPECT_EQ(plain("DNS resolution failed for lab.example:7117: C-ares status is not ARES_SUCCESS "
                  "qtype=AAAA name=lab.example is_balancer=0: Domain name not found"),
            "lab.example is not known; is the name right?");
  EXPECT_THAT(plain(failed("Socket closed")), HasSubstr("leave out --insecure"));
  EXPECT_THAT(plain(failed("connection attempt timed out before receiving SETTINGS frame")),
              HasSubstr("leave out --insecure"));
  EXPECT_THAT(secure(failed("Ssl handshake failed: SSL_ERROR_SSL: error:0A00010B:SSL "
                            "routines::wrong version number")),
              HasSubstr("type --insecure here too"));
  EXPECT_THAT(secure(failed("Ssl handshake failed: SSL_ERROR_SSL: error:0A000086:SSL "
                            "routines::certificate verify failed")),
              HasSubstr("does not fit ca.crt"));
  EXPECT_THAT(secure(failed("Peer name lab.example is not in peer certificate")),
              HasSubstr("duets certs server --host lab.example"));
  EXPECT_THAT(secure("Deadline Exceeded", StatusCode::DEADLINE_EXCEEDED),
              HasSubstr("does not answer"));
  EXPECT_THAT(secure("CANCELLED", StatusCode::CANCELLED), HasSubstr("dropped the call"));
}

TEST(LinkText, NothingOfGrpcIsSeen) {
  for (const std::string& text :
       {failed("tcp handshaker shutdown"), failed("something new"), failed("Handshake read failed"),
        std::string("Received RST_STREAM with error code 2"), std::string("Stream removed"),
        std::string("keepalive watchdog timeout"), std::string()}) {
    for (const std::string& said : {secure(text), plain(text)}) {
      EXPECT_THAT(said, HasSubstr("lab.example:7117")) << text;
      EXPECT_THAT(said, Not(HasSubstr("addresses"))) << text;
      EXPECT_THAT(said, Not(HasSubstr("handshake"))) << text;
      EXPECT_THAT(said, Not(HasSubstr("STREAM"))) << text;
    }
  }
}

TEST(LinkText, WhatTheCoordinatorSaysIsPassedOn) {
  const std::string own = "study \"s\": the storage cannot be written: No space left on device";
  EXPECT_EQ(secure(own), own);
  EXPECT_EQ(secure("the deadline of the epoch is near"), "the deadline of the epoch is near");
  EXPECT_EQ(plain("lost on the way"), "lost on the way");
}

}  // namespace
}  // namespace duets::service
