#include "duets/service/link_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>

#include "duets/service/wire_text.h"

namespace duets::service {
namespace {

constexpr const char* kRefused = "onnection refused";

bool has_any(const std::string& text, std::initializer_list<const char*> parts) {
  return std::ranges::any_of(
      parts, [&](const char* part) { return text.find(part) != std::string::npos; });
}

std::string host_of(const std::string& server) { return server.substr(0, server.rfind(':')); }

/// Recognises the texts of gRPC 1.51 for network errors; empty for other texts.
std::string network_text(const std::string& text, const std::string& server) {
  if (has_any(text, {kRefused})) {
    return fmt::format("cannot connect to {}: connection refused; is duets serve running?", server);
  }
  if (has_any(text, {"DNS resolution failed", "C-ares", "getaddrinfo", "Name or service"})) {
    return fmt::format("cannot resolve {}; is the host name correct?", host_of(server));
  }
  if (has_any(text, {"No route to host", "etwork is unreachable", "ost is unreachable"})) {
    return fmt::format("there is no route to {}", host_of(server));
  }
  if (has_any(text, {"imed out", "imeout", "eadline", "FD Shutdown", "FD shutdown", "watchdog"})) {
    return fmt::format("{} does not answer; it may be overloaded, or a firewall may drop packets",
                       server);
  }
  return "";
}

/// The text for a secure connection that fails.
std::string tls_text(const std::string& text, const std::string& server) {
  if (has_any(text, {"wrong version number", "WRONG_VERSION_NUMBER"})) {
    return fmt::format(
        "{} does not use TLS; if it was started with --insecure, use --insecure "
        "here too",
        server);
  }
  if (has_any(text, {"not in peer certificate"})) {
    const std::string host = host_of(server);
    return fmt::format(
        "the certificate of {} is not valid for the host {}; 'duets certs server --host "
        "{}' creates one that is",
        server, host, host);
  }
  return fmt::format(
      "the certificate of {} does not match ca.crt, or has expired; see 'duets certs'", server);
}

}  // namespace

bool is_refused(const grpc::Status& status) { return has_any(status.error_message(), {kRefused}); }

bool is_bad_server(const grpc::Status& status) {
  return has_any(status.error_message(), {"andshake failed", "not in peer certificate"});
}

bool is_closed_early(const grpc::Status& status) {
  // An overloaded server lets a handshake time out; that is not a refusal.
  if (has_any(status.error_message(), {"imed out"})) return false;
  return has_any(status.error_message(), {"Socket closed", "onnection reset", "handshaker shutdown",
                                          "Broken pipe", "SETTINGS frame"});
}

std::string away_text(const grpc::Status& status, const std::string& server) {
  const std::string text = status.error_message();
  const bool from_grpc =
      status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED ||
      has_any(text,
              {"failed to connect to all addresses", "last error:", "DNS resolution failed",
               "keepalive watchdog", "RST_STREAM", "tream removed", "GOAWAY", "ransport closed"});
  if (is_bad_server(status)) return tls_text(text, server);
  if (is_closed_early(status)) {
    return fmt::format("{} closed the connection before it answered; it may be overloaded", server);
  }
  if (std::string known = network_text(text, server); from_grpc && !known.empty()) {
    return known;
  }
  if (status.error_code() == grpc::StatusCode::CANCELLED) {
    return fmt::format("{} dropped the call; it may be shutting down", server);
  }
  if (from_grpc || text.empty()) return fmt::format("no connection to {}", server);
  return clean_text(text);
}

}  // namespace duets::service
