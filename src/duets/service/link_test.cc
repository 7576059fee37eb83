#include "duets/service/link.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "duets/service/certificates.h"
#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

using base::ErrorKind;
using protocol::error_kind;
using protocol::error_text;
using testing::HasSubstr;

LinkOptions plain(const std::string& server) {
  LinkOptions options;
  options.server = server;
  options.insecure = true;
  return options;
}

TEST(Link, NeedsAnAddressWithAPort) {
  for (const char* bad : {"", "host", "host:", ":7000", "host:0", "host:65536", "host:7x"}) {
    EXPECT_EQ(error_kind([&] { Link link(plain(bad)); }), ErrorKind::kInvalid) << bad;
  }
  EXPECT_EQ(error_kind([] { Link link(plain("[::1]:7000")); }), std::nullopt);
}

TEST(Link, RetriesTemporaryErrorsAndThrowsOthers) {
  std::string log;
  LinkOptions options = plain("127.0.0.1:1");
  options.log = [&](const LogLine& line) { log += log_text(line) + "\n"; };
  Link link(options);
  int count = 0;
  const auto flaky = [&](grpc::ClientContext&) {
    return ++count < 4 ? grpc::Status(grpc::StatusCode::UNAVAILABLE, "away") : grpc::Status::OK;
  };
  EXPECT_TRUE(link.call("testing", flaky, kUnstopped));
  EXPECT_EQ(count, 4);
  EXPECT_THAT(log, HasSubstr("testing: no answer from the coordinator: away; trying again"));
  EXPECT_THAT(log, HasSubstr("is back"));
  EXPECT_EQ(std::ranges::count(log, '\n'), 2) << "logged once";
  const auto refused = [](grpc::ClientContext&) {
    return grpc::Status(grpc::StatusCode::NOT_FOUND, "no such study");
  };
  EXPECT_EQ(error_kind([&] { link.call("testing", refused, kUnstopped); }), ErrorKind::kInvalid);
}

TEST(Link, GivesUpWhenConfiguredWithOneLine) {
  std::string log;
  LinkOptions options = plain("127.0.0.1:1");
  options.give_up_seconds = 0.3;
  options.log = [&](const LogLine& line) { log += log_text(line); };
  Link link(options);
  v1::GetStatusReply reply;
  const auto ask = [&] {
    link.call(
        "asking",
        [&](grpc::ClientContext& context) {
          return v1::Operators::Stub(link.channel()).GetStatus(&context, {}, &reply);
        },
        kUnstopped);
  };
  EXPECT_EQ(error_kind(ask), ErrorKind::kConnection);
  EXPECT_EQ(error_text(ask),
            "asking: cannot connect to 127.0.0.1:1: connection refused; is duets serve running?");
  EXPECT_EQ(log, "");
}

TEST(Link, AnUnknownHostIsNamed) {
  LinkOptions options = plain("nowhere.invalid:1");
  options.give_up_seconds = 0.1;
  Link link(options);
  const auto beat = [&](grpc::ClientContext& context) {
    v1::BeatReply reply;
    return v1::Agents::Stub(link.channel()).Beat(&context, {}, &reply);
  };
  EXPECT_EQ(error_text([&] { link.call("beating", beat, kUnstopped); }),
            "beating: cannot resolve nowhere.invalid; is the host name correct?");
}

/// Answers only after the caller has gone away.
class Silent final : public v1::Agents::Service {
 public:
  grpc::Status Beat(grpc::ServerContext* context, const v1::BeatRequest*, v1::BeatReply*) override {
    called_ = true;
    while (!context->IsCancelled()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return grpc::Status::OK;
  }
  bool called() const { return called_; }

 private:
  std::atomic<bool> called_ = false;
};

TEST(Link, StoppingEndsACallInProgress) {
  Silent service;
  grpc::ServerBuilder builder;
  int port = 0;
  builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  builder.RegisterService(&service);
  const auto server = builder.BuildAndStart();
  Link link(plain("127.0.0.1:" + std::to_string(port)));
  std::atomic<bool> stop = false;
  std::thread caller([&] {
    v1::BeatReply reply;
    const auto attempt = [&](grpc::ClientContext& context) {
      return v1::Agents::Stub(link.channel()).Beat(&context, {}, &reply);
    };
    EXPECT_FALSE(link.call("beating", attempt, stop, 3600));
  });
  EXPECT_TRUE(eventually([&] { return service.called(); }));
  stop = true;
  caller.join();
}

// openfl #97, grpc #2691: TLS is the first obstacle.
class LinkTls : public testing::Test {
 protected:
  LinkTls() {
    make_authority(ours(), 10);
    make_authority(theirs(), 10);
    make_certificate(ours(), {.identity = {Identity::Role::kCoordinator}, .hosts = {"127.0.0.1"}});
    make_certificate(ours(), {.identity = agent_});
    make_certificate(theirs(),
                     {.identity = {Identity::Role::kCoordinator}, .hosts = {"127.0.0.1"}});
    make_certificate(theirs(), {.identity = agent_});
  }
  std::filesystem::path ours() const { return made(scratch_.path() / "ours"); }
  std::filesystem::path theirs() const { return made(scratch_.path() / "theirs"); }
  static std::filesystem::path made(const std::filesystem::path& path) {
    std::filesystem::create_directories(path);
    return path;
  }

  void serve(const std::filesystem::path& certs, bool insecure = false) {
    ServerOptions options;
    options.storage = scratch_.path() / "storage";
    options.certs = certs;
    options.insecure = insecure;
    server_ = std::make_unique<Server>(options, protocol::kTestExecutor);
    server_->listen();
    server_->create(test_definition(), kTestSecret);
  }

  /// The result of a Beat of agent 0.
  std::string call(const std::filesystem::path& certs) {
    return error_text([&] {
      LinkOptions options;
      options.server = server_->address();
      options.certs = certs;
      options.identity = common_name(agent_);
      options.give_up_seconds = 60;
      Link link(options);
      v1::BeatRequest request;
      request.set_study("study");
      request.add_progress();
      v1::BeatReply reply;
      link.call(
          "beating",
          [&](grpc::ClientContext& context) {
            return v1::Agents::Stub(link.channel()).Beat(&context, request, &reply);
          },
          kUnstopped);
    });
  }

  Identity agent_{Identity::Role::kAgent, "", 0, 0};
  Scratch scratch_;
  std::unique_ptr<Server> server_;
};

TEST_F(LinkTls, CertificatesOfOneAuthorityConnect) {
  serve(ours());
  EXPECT_EQ(call(ours()), "");
}

TEST_F(LinkTls, AServerOfAnotherAuthorityIsNotTrusted) {
  serve(theirs());
  EXPECT_THAT(call(ours()), HasSubstr("does not match ca.crt"));
}

TEST_F(LinkTls, AServerWithoutTlsIsNotTrusted) {
  serve({}, true);
  EXPECT_THAT(call(ours()), HasSubstr("--insecure"));
}

TEST_F(LinkTls, ACertificateThatDoesNotMatchItsAuthorityIsNotTried) {
  serve(ours());
  std::filesystem::copy_file(ours() / "ca.crt", theirs() / "ca.crt",
                             std::filesystem::copy_options::overwrite_existing);
  EXPECT_THAT(call(theirs()), HasSubstr("the certificate 'agent-0'"));
}

TEST_F(LinkTls, AnExpiredCertificateIsNotTried) {
  serve(ours());
  agent_.first = agent_.last = 1;
  make_certificate(ours(), {.identity = agent_, .valid_from_days = -10, .days = 5});
  EXPECT_THAT(call(ours()), HasSubstr("expired"));
}

// This side cannot see what is wrong: the coordinator closes the connection.
TEST_F(LinkTls, ACertificateThatTheServerRefusesIsNotRetriedForever) {
  serve(ours());
  std::ofstream authority(theirs() / "ca.crt", std::ios::app);
  authority << std::ifstream(ours() / "ca.crt").rdbuf();
  authority.close();
  EXPECT_THAT(call(theirs()), HasSubstr("it refuses the certificate 'agent-0'"));
}

}  // namespace
}  // namespace duets::service
