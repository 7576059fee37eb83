#include "duets/service/server.h"

#include <fmt/format.h>
#include <grpcpp/grpcpp.h>

#include <chrono>
#include <utility>

#include "duets/base/error.h"
#include "duets/service/call_services.h"
#include "duets/service/certificates.h"
#include "duets/service/gate.h"
#include "duets/service/studies.h"
#include "duets/service/wire.h"

namespace duets::service {
namespace {

constexpr int kMinPingMs = 5'000;
/// Time without a call. Heartbeats come more often, unless a lease is very long.
constexpr int kMaxIdleMs = 300'000;
constexpr auto kShutdown = std::chrono::seconds(5);

std::shared_ptr<grpc::ServerCredentials> server_credentials(const ServerOptions& options) {
  if (options.insecure) return grpc::InsecureServerCredentials();
  const TlsTexts texts = load_tls(options.certs, "coordinator");
  const std::string problem = tls_problem(texts);
  base::require(problem.empty(), "certificate", (options.certs / "coordinator.crt").string(),
                problem + "; create a new one with `duets certs server`");
  grpc::SslServerCredentialsOptions ssl(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  ssl.pem_root_certs = texts.authority;
  ssl.pem_key_cert_pairs.push_back({texts.key, texts.certificate});
  return grpc::SslServerCredentials(ssl);
}

std::string listening_host(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  base::require(colon != std::string::npos && colon > 0 && colon + 1 < listen.size(), "listen",
                listen, "must be HOST:PORT");
  return listen.substr(0, colon);
}

}  // namespace

class Server::Impl {
 public:
  Impl(ServerOptions options, const base::Executor& executor)
      : options_(std::move(options)),
        host_(listening_host(options_.listen)),
        credentials_(server_credentials(options_)),
        studies_(options_.storage,
                 {options_.lease_seconds, options_.max_wait_seconds, options_.log}, executor),
        agents_(agents_service(studies_, options_.insecure, options_.log)),
        operators_(operators_service(studies_, options_.insecure, options_.log)) {}

  void listen() {
    base::require(!server_, "listen", address_, "already listening");
    grpc::ServerBuilder builder;
    acceptor_ = builder.experimental().AddExternalConnectionAcceptor(
        grpc::ServerBuilder::experimental_type::ExternalConnectionType::FROM_FD, credentials_);
    builder.RegisterService(agents_.get());
    builder.RegisterService(operators_.get());
    builder.SetMaxReceiveMessageSize(kMaxMessageBytes);
    builder.SetMaxSendMessageSize(kMaxMessageBytes);
    // Agents ping to detect a dead network while there are no calls.
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_PERMIT_WITHOUT_CALLS, 1);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, kMinPingMs);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIME_MS, 20'000);
    builder.AddChannelArgument(GRPC_ARG_KEEPALIVE_TIMEOUT_MS, 10'000);
    // A connection must finish its HTTP/2 greeting and then make calls: agents send heartbeats,
    // and reconnect when they find their connection closed.
    builder.AddChannelArgument(GRPC_ARG_SERVER_HANDSHAKE_TIMEOUT_MS,
                               static_cast<int>(options_.silence_seconds * 1000));
    builder.AddChannelArgument(GRPC_ARG_MAX_CONNECTION_IDLE_MS, kMaxIdleMs);
    server_ = builder.BuildAndStart();
    if (!server_) {
      throw base::Error(base::ErrorKind::kConnection,
                        fmt::format("cannot listen on {}", options_.listen));
    }
    gate_ = std::make_unique<Gate>(
        options_.listen, GateOptions{options_.insecure, options_.silence_seconds, options_.log},
        [this](int fd) { pass_on(fd); });
    address_ = fmt::format("{}:{}", host_, gate_->port());
    studies_.begin_service();
  }

  ~Impl() {
    gate_.reset();
    // Waiting calls are answered when their studies shut down; the rest get a moment.
    studies_.shut_down();
    if (!server_) return;
    server_->Shutdown(std::chrono::system_clock::now() + kShutdown);
    server_->Wait();
  }

  Studies& studies() { return studies_; }
  const std::string& address() const { return address_; }

 private:
  void pass_on(int fd) {
    grpc::experimental::ExternalConnectionAcceptor::NewConnectionParameters connection;
    connection.fd = fd;
    acceptor_->HandleNewConnection(&connection);
  }

  ServerOptions options_;
  std::string host_;
  std::shared_ptr<grpc::ServerCredentials> credentials_;
  Studies studies_;
  std::unique_ptr<grpc::Service> agents_;
  std::unique_ptr<grpc::Service> operators_;
  std::unique_ptr<grpc::experimental::ExternalConnectionAcceptor> acceptor_;
  std::unique_ptr<grpc::Server> server_;
  std::unique_ptr<Gate> gate_;
  std::string address_;
};

Server::Server(ServerOptions options, const base::Executor& executor)
    : impl_(std::make_unique<Impl>(std::move(options), executor)) {}
Server::~Server() = default;

void Server::listen() { impl_->listen(); }

std::string Server::address() const { return impl_->address(); }

void Server::end(const std::string& how, const std::string& why) {
  impl_->studies().end_service(how, why);
}

bool Server::create(const Definition& definition, const std::string& secret_text) {
  return impl_->studies().create(definition, secret_text);
}

std::vector<std::string> Server::names() const { return impl_->studies().names(); }

bool Server::is_ready(const std::string& name) const {
  return impl_->studies().find(name)->is_ready();
}

v1::StudyStatus Server::status(const std::string& name) const {
  return impl_->studies().find(name)->status();
}

}  // namespace duets::service
