#include "duets/cli/logger.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "duets/base/error.h"
#include "duets/cli/exit_code.h"

namespace duets::cli {
namespace {

using service::LogLevel;
using service::LogLine;
using testing::HasSubstr;
using testing::Not;

constexpr double kTime = 1795000000.25;  // 2026-11-18T11:06:40.250Z

/// A logger with a fake clock, and its output.
class LoggerTest : public testing::Test {
 protected:
  ~LoggerTest() override {
    logger_.reset();
    out_.reset();
    std::free(buffer_);
  }
  void log_to_memory(LogFlags flags) {
    logger_ = std::make_unique<Logger>(flags, out_.get(), [this] { return now_; });
  }
  std::string written() {
    std::fflush(out_.get());
    return {buffer_, size_};
  }

  double now_ = kTime;
  char* buffer_ = nullptr;
  std::size_t size_ = 0;
  std::unique_ptr<std::FILE, int (*)(std::FILE*)> out_{open_memstream(&buffer_, &size_),
                                                       std::fclose};
  std::unique_ptr<Logger> logger_;
};

TEST(LogLineText, HasTheTimeInUtcAndTheLevel) {
  EXPECT_EQ(log_line_text({.message = "text"}, kTime, LogFormat::kText),
            "2026-11-18T11:06:40.250Z info    text\n");
  EXPECT_EQ(
      log_line_text({.message = "text",
                     .level = LogLevel::kWarning,
                     .cause = "call",
                     .study = "lab",
                     .agent = 3,
                     .peer = "192.0.2.7:5123",
                     .repeats = 12},
                    0, LogFormat::kText),
      "1970-01-01T00:00:00.000Z warning lab: agent 3: text (from 192.0.2.7:5123) (and 12 more "
      "like it)\n");
}

TEST(LogLineText, AsJsonHasOnlyKnownFields) {
  EXPECT_EQ(log_line_text({.message = "text"}, kTime, LogFormat::kJson),
            R"({"time":"2026-11-18T11:06:40.250Z","level":"info","message":"text"})"
            "\n");
  const auto json = nlohmann::json::parse(log_line_text({.message = "say \"no\"",
                                                         .level = LogLevel::kError,
                                                         .cause = "garbage",
                                                         .study = "lab",
                                                         .agent = 0,
                                                         .peer = "[::1]:7",
                                                         .repeats = 2},
                                                        kTime, LogFormat::kJson));
  EXPECT_EQ(json["message"], "say \"no\"");
  EXPECT_EQ(json["level"], "error");
  EXPECT_EQ(json["study"], "lab");
  EXPECT_EQ(json["agent"], 0);
  EXPECT_EQ(json["peer"], "[::1]:7");
  EXPECT_EQ(json["cause"], "garbage");
  EXPECT_EQ(json["repeats"], 2);
}

// Messages contain texts of peers and programs: they cannot forge lines or control a terminal.
TEST(LogLineText, IsOneLineWhateverTheMessage) {
  const LogLine line{.message = "a\nb\x1b[31m\xff"};
  for (const LogFormat format : {LogFormat::kText, LogFormat::kJson}) {
    const std::string text = log_line_text(line, kTime, format);
    EXPECT_EQ(text.find('\n'), text.size() - 1) << text;
    EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  }
  EXPECT_NO_THROW(nlohmann::json::parse(log_line_text(line, kTime, LogFormat::kJson)));
}

TEST_F(LoggerTest, ShowsItsLevelAndMoreImportantOnes) {
  constexpr std::array kLevels{LogLevel::kError, LogLevel::kWarning, LogLevel::kInfo,
                               LogLevel::kDebug};
  log_to_memory({.level = LogLevel::kWarning});
  for (const LogLevel level : kLevels) {
    logger_->write({.message = "a " + std::string(base::name_of(level)), .level = level});
  }
  EXPECT_THAT(written(), HasSubstr("a error"));
  EXPECT_THAT(written(), HasSubstr("a warning"));
  EXPECT_THAT(written(), Not(HasSubstr("a info")));
  EXPECT_THAT(written(), Not(HasSubstr("a debug")));
}

TEST_F(LoggerTest, RepeatsAreShownAMinuteLaterAndAtTheEnd) {
  log_to_memory({});
  const auto refuse = [&] { logger_->write({.message = "refused", .cause = "garbage"}); };
  refuse();
  refuse();
  refuse();
  logger_->tell_repeats();
  EXPECT_THAT(written(), Not(HasSubstr("more like it")));
  now_ += 61;
  logger_->tell_repeats();
  EXPECT_THAT(written(), HasSubstr("refused (and 1 more like it)"));
  refuse();
  refuse();
  refuse();
  refuse();
  logger_.reset();
  EXPECT_THAT(written(), HasSubstr("refused (and 3 more like it)"));
}

TEST_F(LoggerTest, TheErrorThatEndsACommandIsALogLineOnlyInJson) {
  const auto fail = [] { throw base::Error(base::ErrorKind::kQuorum, "too few"); };
  log_to_memory({.format = LogFormat::kJson});
  try {
    logged(*logger_, fail);
    FAIL() << "it must be rethrown";
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "") << "the end of the program would print it again";
    EXPECT_EQ(exit_code_of(error), ExitCode::kQuorum);
  }
  EXPECT_THAT(written(), HasSubstr(R"("level":"error","message":"too few")"));
  log_to_memory({});
  try {
    logged(*logger_, fail);
  } catch (const std::exception& error) {
    EXPECT_STREQ(error.what(), "too few");
  }
}

}  // namespace
}  // namespace duets::cli
