#include "duets/service/link.h"

#include <fmt/format.h>
#include <grpcpp/client_context.h>
#include <grpcpp/create_channel.h>
#include <grpcpp/security/credentials.h>
#include <sodium.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/certificates.h"
#include "duets/service/clock.h"
#include "duets/service/link_connector.h"
#include "duets/service/link_probe.h"
#include "duets/service/link_text.h"
#include "duets/service/link_watch.h"
#include "duets/service/status_code.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

constexpr double kFirstPause = 0.1;
constexpr double kLongestPause = 10;
/// How often and for how long connections must fail in the handshake before this counts as a
/// refusal: a relay in front of a coordinator that is starting looks the same for a moment.
constexpr int kRefusedTimes = 3;
constexpr double kRefusedSeconds = 5;

void check_address(const std::string& server) {
  const std::size_t colon = server.rfind(':');
  const std::string port = colon == std::string::npos ? "" : server.substr(colon + 1);
  const bool digits = !port.empty() && port.size() <= 5 &&
                      port.find_first_not_of("0123456789") == std::string::npos;
  const bool ok = colon > 0 && digits && std::stoul(port) >= 1 && std::stoul(port) <= 65535;
  if (!ok) base::refuse("server", server, "must be HOST:PORT with a port from 1 to 65535");
}

grpc::ChannelArguments channel_arguments() {
  grpc::ChannelArguments arguments;
  arguments.SetMaxReceiveMessageSize(kMaxMessageBytes);
  arguments.SetMaxSendMessageSize(kMaxMessageBytes);
  // Pings detect a network that drops packets, also between calls.
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIME_MS, 10'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 5'000);
  arguments.SetInt(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
  arguments.SetInt(GRPC_ARG_HTTP2_MAX_PINGS_WITHOUT_DATA, 0);
  arguments.SetInt(GRPC_ARG_INITIAL_RECONNECT_BACKOFF_MS, 200);
  // Find a restarted coordinator soon; trying a closed port costs little.
  arguments.SetInt(GRPC_ARG_MAX_RECONNECT_BACKOFF_MS, 1'500);
  // Despite its name: the time limit of one connection attempt.
  arguments.SetInt(GRPC_ARG_MIN_RECONNECT_BACKOFF_MS, 5'000);
  // Links of a process do not share connections, nor each other's failures.
  arguments.SetInt(GRPC_ARG_USE_LOCAL_SUBCHANNEL_POOL, 1);
  return arguments;
}

std::shared_ptr<grpc::ChannelCredentials> channel_credentials(const LinkOptions& options) {
  if (options.insecure) return grpc::InsecureChannelCredentials();
  const TlsTexts texts = load_tls(options.certs, options.identity);
  // The coordinator would close the connection without giving a reason.
  if (const std::string problem = tls_problem(texts); !problem.empty()) {
    throw base::Error(
        base::ErrorKind::kConnection,
        fmt::format("the certificate '{}' in {} would be refused: {}; create a new one with 'duets "
                    "certs'",
                    options.identity, options.certs.string(), problem));
  }
  return grpc::SslCredentials({.pem_root_certs = texts.authority,
                               .pem_private_key = texts.key,
                               .pem_cert_chain = texts.certificate});
}

/// 0.1 s, 0.2 s, .. 10 s, each randomly shortened by up to a half to spread the calls of a fleet.
class Pauses {
 public:
  double next() {
    const double pause = pause_ * (1 - 0.5 * randombytes_uniform(1000) / 1000.0);
    pause_ = std::min(kLongestPause, 2 * pause_);
    return pause;
  }

 private:
  double pause_ = kFirstPause;
};

}  // namespace

class Link::Impl {
 public:
  explicit Impl(LinkOptions options) : options_(std::move(options)) {
    check_address(options_.server);
    if (options_.insecure) options_.identity.clear();
    const std::shared_ptr<grpc::Channel> channel = grpc::CreateCustomChannel(
        options_.server, channel_credentials(options_), channel_arguments());
    channel_ = channel;
    connector_ = std::make_unique<LinkConnector>(channel);
  }

  bool call(const std::string& what, const Attempt& attempt, const std::atomic<bool>& stop,
            double extra_seconds) {
    const Clock::time_point begin = Clock::now();
    Pauses pauses;
    while (!stop) {
      const std::uint64_t num_returns = connector_->num_returns();
      const grpc::Status status = try_once(attempt, stop, options_.call_seconds + extra_seconds);
      if (stop && !status.ok()) return false;
      if (status.ok() || !is_transient(status)) {
        came_back();
        if (status.ok()) return true;
        throw error_of(status, what);
      }
      stayed_away(status, what);
      const double limit = limit_of(status);
      const double left = limit - seconds_since(begin);
      if (limit > 0 && left <= 0) give_up(status, what);
      const double pause = pauses.next();
      connector_->sleep_unless_back(stop, limit > 0 ? std::min(pause, left) : pause, num_returns);
    }
    return false;
  }

  grpc::Status try_once(const Attempt& attempt, const std::atomic<bool>& stop, double seconds) {
    grpc::ClientContext context;
    context.set_deadline(std::chrono::system_clock::now() +
                         std::chrono::milliseconds(static_cast<std::int64_t>(seconds * 1000)));
    const LinkWatch::Guard guard(watch_, context, stop);
    grpc::Status status = attempt(context);
    if (!status.ok() && !stop && is_transient(status)) connector_->connect();
    return status;
  }

  void say(const LogLine& line) const {
    if (options_.log) options_.log(line);
  }

  LinkOptions options_;
  std::shared_ptr<grpc::ChannelInterface> channel_;

 private:
  void came_back() {
    const std::lock_guard lock(mutex_);
    answered_ = true;
    if (away_since_) {
      say({fmt::format("the coordinator at {} is back after {:.0f} s", options_.server,
                       seconds_since(*away_since_))});
    }
    away_since_.reset();
  }

  void stayed_away(const grpc::Status& status, const std::string& what) {
    const std::lock_guard lock(mutex_);
    if (!answered_ && !options_.insecure) refuse_when_hopeless(status);
    if (!away_since_) {
      away_since_ = Clock::now();
    } else if (seconds_since(said_) < kRepeatSeconds) {
      return;
    }
    said_ = Clock::now();
    // A link that gives up soon puts everything in its last line.
    if (options_.give_up_seconds > 0 && options_.give_up_seconds <= kRepeatSeconds) return;
    say({fmt::format("{}: no answer from the coordinator: {}; trying again", what, text(status)),
         LogLevel::kWarning});
  }

  /// How long to keep trying after this status; 0: forever.
  double limit_of(const grpc::Status& status) const {
    const bool refused = options_.refused_seconds > 0 && is_refused(status);
    return refused ? options_.refused_seconds : options_.give_up_seconds;
  }

  std::string text(const grpc::Status& status) const {
    if (options_.insecure && is_closed_early(status) && answers_in_tls(options_.server)) {
      return fmt::format("{} uses TLS; leave out --insecure", options_.server);
    }
    return away_text(status, options_.server);
  }

  [[noreturn]] void give_up(const grpc::Status& status, const std::string& what) const {
    const bool late = status.error_code() == grpc::StatusCode::DEADLINE_EXCEEDED;
    throw error_of({late ? status.error_code() : grpc::StatusCode::UNAVAILABLE, text(status)},
                   what);
  }

  void refuse_when_hopeless(const grpc::Status& status) {
    if (is_bad_server(status)) refuse_connection(text(status));
    if (!is_closed_early(status)) {
      num_closed_ = 0;
      return;
    }
    if (num_closed_++ == 0) closed_since_ = Clock::now();
    if (num_closed_ >= kRefusedTimes && seconds_since(closed_since_) >= kRefusedSeconds) {
      refuse_connection(
          fmt::format("{} closes the connection: it refuses the certificate "
                      "'{}' (expired, or from another authority); see 'duets certs'",
                      options_.server, options_.identity));
    }
  }

  [[noreturn]] static void refuse_connection(const std::string& why) {
    throw base::Error(base::ErrorKind::kConnection, "no secure connection: " + why);
  }

  LinkWatch watch_;
  std::unique_ptr<LinkConnector> connector_;
  std::mutex mutex_;
  bool answered_ = false;                        ///< the coordinator has answered at least once
  std::optional<Clock::time_point> away_since_;  ///< empty: it answers
  Clock::time_point said_;
  int num_closed_ = 0;
  Clock::time_point closed_since_;
};

Link::Link(LinkOptions options) : impl_(std::make_unique<Impl>(std::move(options))) {}
Link::~Link() = default;

const std::shared_ptr<grpc::ChannelInterface>& Link::channel() const { return impl_->channel_; }
const std::string& Link::server() const { return impl_->options_.server; }
const std::string& Link::identity() const { return impl_->options_.identity; }
void Link::say(const LogLine& line) const { impl_->say(line); }

bool Link::call(const std::string& what, const Attempt& attempt, const std::atomic<bool>& stop,
                double extra_seconds) {
  return impl_->call(what, attempt, stop, extra_seconds);
}

grpc::Status Link::try_once(const Attempt& attempt, const std::atomic<bool>& stop, double seconds) {
  return impl_->try_once(attempt, stop, seconds);
}

}  // namespace duets::service
