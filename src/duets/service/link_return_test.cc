// Tests links to a coordinator that goes away and comes back. The coordinator is a separate
// process: gRPC reads all sockets of a process together, and a server in this process would do for
// the link what the link must do itself.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>

#include "duets/service/certificates.h"
#include "duets/service/link.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

namespace fs = std::filesystem;

/// Environment variable with the directory of the other process.
constexpr const char* kServeVariable = "DUETS_LINK_RETURN_TEST";

/// Answers every heartbeat.
class Ear final : public v1::Agents::Service {
 public:
  grpc::Status Beat(grpc::ServerContext*, const v1::BeatRequest*, v1::BeatReply*) override {
    return grpc::Status::OK;
  }
};

std::string line_of(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

std::shared_ptr<grpc::ServerCredentials> credentials(const fs::path& directory) {
  if (!fs::exists(directory / "ca.crt")) return grpc::InsecureServerCredentials();
  const TlsTexts texts = load_tls(directory, "coordinator");
  grpc::SslServerCredentialsOptions ssl(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  ssl.pem_root_certs = texts.authority;
  ssl.pem_key_cert_pairs.push_back({texts.key, texts.certificate});
  return grpc::SslServerCredentials(ssl);
}

/// The other process of the tests below, not a test itself: listens on the same port as the last
/// time, until it is killed.
TEST(LinkReturnServer, ServesTheTestsBelow) {
  const char* variable = std::getenv(kServeVariable);
  if (variable == nullptr) return;
  const fs::path directory = variable;
  const std::string before = line_of(directory / "address");
  Ear ear;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort(before.empty() ? "127.0.0.1:0" : before, credentials(directory), &port);
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  builder.RegisterService(&ear);
  const auto server = builder.BuildAndStart();
  ASSERT_TRUE(server);
  std::ofstream(directory / "address") << "127.0.0.1:" << port << "\n";
  fs::copy_file(directory / "address", directory / "new");
  fs::rename(directory / "new", directory / "ready");  // complete when it appears
  server->Wait();
}

/// With and without TLS.
class LinkReturn : public testing::TestWithParam<bool> {
 protected:
  LinkReturn() {
    if (GetParam()) {
      make_authority(scratch_.path(), 10);
      make_certificate(scratch_.path(),
                       {.identity = {Identity::Role::kCoordinator}, .hosts = {"127.0.0.1"}});
      make_certificate(scratch_.path(), {.identity = agent_});
    }
    start();
  }
  ~LinkReturn() override { kill_server(); }

  void start() {
    fs::remove(scratch_.path() / "ready");
    const std::string variable = std::string(kServeVariable) + "=" + scratch_.path().string();
    const std::string filter = "--gtest_filter=LinkReturnServer.*";
    const std::string self = fs::read_symlink("/proc/self/exe").string();
    process_ = fork();
    if (process_ == 0) {
      dup2(open("/dev/null", O_WRONLY), STDOUT_FILENO);
      execl("/usr/bin/env", "env", variable.c_str(), self.c_str(), filter.c_str(), nullptr);
      _exit(1);
    }
    ASSERT_TRUE(eventually([&] { return fs::exists(scratch_.path() / "ready"); }));
  }
  void kill_server() {
    if (process_ > 0) {
      kill(process_, SIGKILL);
      waitpid(process_, nullptr, 0);
    }
    process_ = 0;
  }

  LinkOptions options() const {
    LinkOptions options;
    options.server = line_of(scratch_.path() / "ready");
    options.insecure = !GetParam();
    options.certs = scratch_.path();
    options.identity = common_name(agent_);
    return options;
  }
  static Link::Attempt beat(Link& link) {
    return [&link](grpc::ClientContext& context) {
      v1::BeatReply reply;
      return v1::Agents::Stub(link.channel()).Beat(&context, {}, &reply);
    };
  }

 private:
  Scratch scratch_;
  const Identity agent_{Identity::Role::kAgent, "", 0, 0};
  pid_t process_ = 0;
};

// A handshake needs a thread that reads: calls that fail at once do not.
TEST_P(LinkReturn, ACallFindsTheCoordinatorThatComesBack) {
  Link link(options());
  ASSERT_TRUE(link.call("beating", beat(link), kUnstopped));
  kill_server();
  std::atomic<bool> stop = false;
  std::atomic<int> attempts = 0;
  std::atomic<bool> answered = false;
  const auto counted = [&](grpc::ClientContext& context) {
    ++attempts;
    return beat(link)(context);
  };
  std::thread caller([&] { answered = link.call("beating", counted, stop); });
  EXPECT_TRUE(eventually([&] { return attempts >= 5; }));
  start();
  EXPECT_TRUE(eventually([&] { return answered.load(); }));
  stop = true;
  caller.join();
}

// Like heartbeats: no thread waits between them.
TEST_P(LinkReturn, SingleAttemptsFindTheCoordinatorThatComesBack) {
  Link link(options());
  ASSERT_TRUE(link.try_once(beat(link), kUnstopped, 20).ok());
  kill_server();
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(link.try_once(beat(link), kUnstopped, 20).ok());
  start();
  EXPECT_TRUE(eventually([&] { return link.try_once(beat(link), kUnstopped, 20).ok(); }));
}

TEST_P(LinkReturn, ACallThatTheCoordinatorDroppedIsMadeAgain) {
  Link link(options());
  int count = 0;
  const auto dropped = [&](grpc::ClientContext&) {
    return ++count < 3 ? grpc::Status(grpc::StatusCode::CANCELLED, "CANCELLED") : grpc::Status::OK;
  };
  EXPECT_TRUE(link.call("waiting", dropped, kUnstopped));
  EXPECT_EQ(count, 3);
}

INSTANTIATE_TEST_SUITE_P(Tls, LinkReturn, testing::Bool(),
                         [](const auto& secure) { return secure.param ? "Secure" : "Plain"; });

}  // namespace
}  // namespace duets::service
