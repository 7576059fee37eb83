#include "duets/cli/logger.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <ctime>
#include <exception>
#include <nlohmann/json.hpp>
#include <utility>

#include "duets/cli/exit_code.h"
#include "duets/cli/print_to.h"
#include "duets/service/wire_text.h"

namespace duets::cli {
namespace {

using service::LogLine;

/// Limit of a message: some contain a peer's text.
constexpr std::size_t kLongestMessage = 4000;

double unix_now() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

std::string time_text(double unix_seconds) {
  const double whole = std::floor(unix_seconds);
  return fmt::format("{:%Y-%m-%dT%H:%M:%S}.{:03}Z", fmt::gmtime(static_cast<std::time_t>(whole)),
                     static_cast<int>((unix_seconds - whole) * 1000));
}

std::string json_line(const LogLine& line, const std::string& time) {
  nlohmann::ordered_json json{{"time", time}, {"level", base::name_of(line.level)}};
  if (!line.study.empty()) json["study"] = line.study;
  if (line.agent) json["agent"] = *line.agent;
  json["message"] = service::clean_text(line.message, kLongestMessage);
  if (!line.peer.empty()) json["peer"] = line.peer;
  if (!line.cause.empty()) json["cause"] = line.cause;
  if (!line.cause.empty()) json["repeats"] = line.repeats;
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace

std::string log_line_text(const LogLine& line, double unix_seconds, LogFormat format) {
  const std::string time = time_text(unix_seconds);
  if (format == LogFormat::kJson) return json_line(line, time) + "\n";
  return fmt::format("{} {:<7} {}{}\n", time, base::name_of(line.level),
                     service::clean_text(log_text(line), kLongestMessage),
                     line.repeats > 0 ? fmt::format(" (and {} more like it)", line.repeats) : "");
}

Logger::Logger(LogFlags flags, std::FILE* out) : Logger(flags, out, unix_now) {}

Logger::Logger(LogFlags flags, std::FILE* out, Clock clock)
    : flags_(flags), out_(out), clock_(std::move(clock)) {}

Logger::~Logger() {
  for (const LogLine& line : limiter_.rest()) print(line, clock_());
}

void Logger::write(const LogLine& line) {
  if (line.level > flags_.level) return;
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  if (const auto shown = limiter_.pass(line, now)) print(*shown, now);
}

void Logger::tell_repeats() {
  const std::lock_guard lock(mutex_);
  const double now = clock_();
  for (const LogLine& line : limiter_.due(now)) print(line, now);
}

service::Log Logger::log() {
  return [this](const LogLine& line) { write(line); };
}

void logged(Logger& logger, const std::function<void()>& body) {
  try {
    body();
  } catch (const std::exception& error) {
    if (logger.format() == LogFormat::kText || *error.what() == '\0') throw;
    logger.write({.message = error.what(), .level = service::LogLevel::kError});
    throw CodedError(exit_code_of(error), "");
  }
}

void Logger::print(const LogLine& line, double now) {
  print_to(out_, "{}", log_line_text(line, now, flags_.format));
  std::fflush(out_);
}

}  // namespace duets::cli
