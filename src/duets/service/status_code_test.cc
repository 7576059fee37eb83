#include "duets/service/status_code.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <stdexcept>

namespace duets::service {
namespace {

using base::Error;
using base::ErrorKind;
using grpc::StatusCode;

TEST(StatusCode, ErrorsOfThisSideBecomeStatusCodes) {
  const std::map<ErrorKind, StatusCode> table{
      {ErrorKind::kInvalid, StatusCode::INVALID_ARGUMENT},
      {ErrorKind::kConnection, StatusCode::UNAVAILABLE},
      {ErrorKind::kDiverged, StatusCode::FAILED_PRECONDITION},
      {ErrorKind::kStorage, StatusCode::DATA_LOSS},
      {ErrorKind::kNumeric, StatusCode::INTERNAL},
      {ErrorKind::kProtocol, StatusCode::INTERNAL}};
  for (const auto& [kind, code] : table) {
    const grpc::Status status = status_of(Error(kind, "the reason"));
    EXPECT_EQ(status.error_code(), code);
    EXPECT_EQ(status.error_message(), "the reason");
  }
  EXPECT_EQ(status_of(std::runtime_error("x")).error_code(), StatusCode::INTERNAL);
}

TEST(StatusCode, StatusCodesOfTheOtherSideBecomeErrors) {
  const std::map<StatusCode, ErrorKind> table{
      {StatusCode::INVALID_ARGUMENT, ErrorKind::kInvalid},
      {StatusCode::NOT_FOUND, ErrorKind::kInvalid},
      {StatusCode::ALREADY_EXISTS, ErrorKind::kConnection},
      {StatusCode::PERMISSION_DENIED, ErrorKind::kConnection},
      {StatusCode::UNAUTHENTICATED, ErrorKind::kConnection},
      {StatusCode::ABORTED, ErrorKind::kConnection},
      {StatusCode::UNAVAILABLE, ErrorKind::kConnection},
      {StatusCode::DEADLINE_EXCEEDED, ErrorKind::kTimeout},
      {StatusCode::FAILED_PRECONDITION, ErrorKind::kDiverged},
      {StatusCode::DATA_LOSS, ErrorKind::kStorage},
      {StatusCode::INTERNAL, ErrorKind::kProtocol},
      {StatusCode::UNIMPLEMENTED, ErrorKind::kProtocol}};
  for (const auto& [code, kind] : table) {
    const Error error = error_of({code, "the reason"}, "joining study x");
    EXPECT_EQ(error.kind(), kind);
    EXPECT_STREQ(error.what(), "joining study x: the reason");
    const bool transient = code == StatusCode::UNAVAILABLE || code == StatusCode::DEADLINE_EXCEEDED;
    EXPECT_EQ(is_transient({code, ""}), transient);
  }
}

// A coordinator that shuts down drops its waiting calls; agents must survive that.
TEST(StatusCode, ACallThatWasCutOffMaySucceedLater) {
  EXPECT_TRUE(is_transient({StatusCode::CANCELLED, "CANCELLED"}));
  EXPECT_TRUE(is_transient({StatusCode::INTERNAL, "Received RST_STREAM with error code 2"}));
  EXPECT_TRUE(is_transient({StatusCode::UNKNOWN, "Stream removed"}));
  EXPECT_FALSE(is_transient({StatusCode::INTERNAL, "the kernel matrix is singular"}));
  EXPECT_FALSE(is_transient({StatusCode::UNKNOWN, ""}));
}

TEST(StatusCode, AStatusWithoutATextIsNamedByItsNumber) {
  EXPECT_STREQ(error_of({StatusCode::UNAVAILABLE, ""}, "fetching").what(),
               "fetching: gRPC status 14");
}

TEST(StatusCode, ATextFitsInTheHeaderOfAnAnswer) {
  const std::string text(100'000, 'x');
  EXPECT_EQ(status_of(Error(ErrorKind::kInvalid, text)).error_message(), text.substr(0, 2000));
}

}  // namespace
}  // namespace duets::service
