#include "duets/service/grpc_log.h"

#include <fmt/format.h>
#include <grpc/support/log.h>

#include <mutex>
#include <string_view>
#include <utility>

#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

constexpr std::string_view kHandshake = "Handshaking failed: ";
constexpr std::string_view kNoSettings = "Did not receive HTTP/2 settings before handshake timeout";

std::mutex mutex;
Log current;  // of the current GrpcLog; empty when there is none

bool has(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

LogLine handshake_line(std::string_view why) {
  LogLine line{.message = {}, .level = LogLevel::kWarning, .cause = "certificate"};
  if (has(why, "peer did not return a certificate")) {
    line.message = "refused a TLS connection: it has no certificate";
  } else if (has(why, "certificate")) {
    line.message =
        "refused a TLS connection: its certificate has expired or is from another authority";
  } else if (has(why, "imed out")) {
    line.message = "closed a connection whose TLS handshake timed out";
    line.cause = "idle";
  } else if (has(why, "read failed")) {
    line.message = "the other side aborted a TLS handshake";
    line.cause = "handshake";
  } else {
    line.message = "a TLS handshake failed: " + clean_text(why.substr(0, why.find(" {")), 200);
    line.cause = "handshake";
  }
  return line;
}

void hear(gpr_log_func_args* args) {
  const std::optional<LogLine> line = grpc_line(args->message);
  if (!line) return;
  // Held while the line is written, so that ~GrpcLog waits for it.
  const std::lock_guard lock(mutex);
  if (current) current(*line);
}

}  // namespace

std::optional<LogLine> grpc_line(const std::string& message) {
  if (message.starts_with(kHandshake)) {
    // Plaintext, a web browser and garbage: the gate has logged them.
    if (has(message, "wrong version number") || has(message, "http request")) return std::nullopt;
    return handshake_line(message.substr(kHandshake.size()));
  }
  if (has(message, kNoSettings)) {
    return LogLine{.message = "closed a connection whose HTTP/2 greeting timed out",
                   .level = LogLevel::kWarning,
                   .cause = "idle"};
  }
  return std::nullopt;
}

GrpcLog::GrpcLog(Log log) {
  {
    const std::lock_guard lock(mutex);
    current = std::move(log);
  }
  gpr_set_log_function(hear);
  gpr_set_log_verbosity(GPR_LOG_SEVERITY_DEBUG);
}

GrpcLog::~GrpcLog() {
  const std::lock_guard lock(mutex);
  current = nullptr;
}

}  // namespace duets::service
