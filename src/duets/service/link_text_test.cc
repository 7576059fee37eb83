#include "duets/service/link_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace duets::service {
namespace {

using grpc::StatusCode;
using testing::HasSubstr;
using testing::Not;

std::string said(const std::string& text, StatusCode code = StatusCode::UNAVAILABLE) {
  return away_text({code, text}, "lab.example:7117");
}
std::string failed_call(const std::string& text) {
  return "failed to connect to all addresses; last error: UNKNOWN: ipv4:10.0.0.1:7117: " + text;
}

// In the words of gRPC 1.51.
TEST(LinkText, SaysWhatIsWrongAndHowToFixIt) {
  EXPECT_EQ(said(failed_call("Failed to connect to remote host: Connection refused")),
            "cannot connect to lab.example:7117: connection refused; is duets serve running?");
  EXPECT_EQ(said("DNS resolution failed for lab.example:7117: C-ares status is not ARES_SUCCESS "
                 "qtype=AAAA name=lab.example is_balancer=0: Domain name not found"),
            "cannot resolve lab.example; is the host name correct?");
  EXPECT_THAT(said(failed_call("Socket closed")), HasSubstr("may be overloaded"));
  EXPECT_THAT(said(failed_call("connection attempt timed out before receiving SETTINGS frame")),
              HasSubstr("does not answer; it may be overloaded"));
  EXPECT_THAT(said(failed_call("Ssl handshake failed: SSL_ERROR_SSL: error:0A00010B:SSL "
                               "routines::wrong version number")),
              HasSubstr("use --insecure here too"));
  EXPECT_THAT(said(failed_call("Ssl handshake failed: SSL_ERROR_SSL: error:0A000086:SSL "
                               "routines::certificate verify failed")),
              HasSubstr("does not match ca.crt"));
  EXPECT_THAT(said(failed_call("Peer name lab.example is not in peer certificate")),
              HasSubstr("duets certs server --host lab.example"));
  EXPECT_THAT(said("Deadline Exceeded", StatusCode::DEADLINE_EXCEEDED),
              HasSubstr("does not answer"));
  EXPECT_THAT(said("CANCELLED", StatusCode::CANCELLED), HasSubstr("dropped the call"));
}

TEST(LinkText, ShowsNoTextOfGrpc) {
  for (const std::string& text :
       {failed_call("tcp handshaker shutdown"), failed_call("something new"),
        failed_call("Handshake read failed"), std::string("Received RST_STREAM with error code 2"),
        std::string("Stream removed"), std::string("keepalive watchdog timeout"), std::string()}) {
    EXPECT_THAT(said(text), HasSubstr("lab.example:7117")) << text;
    EXPECT_THAT(said(text), Not(HasSubstr("addresses"))) << text;
    EXPECT_THAT(said(text), Not(HasSubstr("handshake"))) << text;
    EXPECT_THAT(said(text), Not(HasSubstr("STREAM"))) << text;
  }
}

TEST(LinkText, TextsOfTheCoordinatorArePassedOn) {
  const std::string own = "study \"s\": the storage cannot be written: No space left on device";
  EXPECT_EQ(said(own), own);
  EXPECT_EQ(said("the deadline of the epoch is near"), "the deadline of the epoch is near");
  EXPECT_EQ(said("lost on the way"), "lost on the way");
}

// With ten thousand agents a coordinator closes connections and lets others wait: none of that is
// about TLS or certificates.
TEST(LinkText, AnOverloadedCoordinatorIsNotReportedAsRefusing) {
  for (const char* text : {"Socket closed", "Connection reset by peer", "tcp handshaker shutdown",
                           "connection attempt timed out before receiving SETTINGS frame"}) {
    EXPECT_THAT(said(failed_call(text)), Not(HasSubstr("TLS"))) << text;
    EXPECT_THAT(said(failed_call(text)), HasSubstr("overloaded")) << text;
  }
  const grpc::Status late(
      StatusCode::UNAVAILABLE,
      failed_call("connection attempt timed out before receiving SETTINGS frame"));
  EXPECT_FALSE(is_closed_early(late)) << "three of these would blame the certificate";
  EXPECT_TRUE(is_closed_early({StatusCode::UNAVAILABLE, failed_call("Socket closed")}));
}

TEST(LinkText, RecognisesARefusedConnection) {
  const auto refused = [](const std::string& text) {
    return is_refused({StatusCode::UNAVAILABLE, text});
  };
  EXPECT_TRUE(refused(failed_call("Failed to connect to remote host: Connection refused")));
  EXPECT_FALSE(refused(failed_call("Socket closed")));
}

}  // namespace
}  // namespace duets::service
