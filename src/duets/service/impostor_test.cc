// Tests an impostor: a server with a certificate of the same authority poses as the coordinator.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "duets/service/certificates.h"
#include "duets/service/certificates_x509.h"
#include "duets/service/link.h"
#include "duets/service/raw_agent_test_support.h"
#include "duets/storage/secret_file.h"

namespace duets::service {
namespace {

using testing::HasSubstr;

class Impostor : public testing::Test {
 protected:
  Impostor() {
    std::filesystem::create_directories(certs_);
    make_authority(certs_, 10);
    make_certificate(certs_, {.identity = {Identity::Role::kAgent, "", 0, 0}});
  }

  std::string text(const char* name) const {
    std::ifstream in(certs_ / name);
    return {std::istreambuf_iterator<char>(in), {}};
  }

  /// The error of an agent that connects to a server with this certificate.
  std::string call(const KeyPairTexts& shown) {
    const std::filesystem::path stolen = scratch_.path() / "stolen";
    std::filesystem::create_directories(stolen);
    std::filesystem::copy_file(certs_ / "ca.crt", stolen / "ca.crt");
    storage::write_secret_file(stolen / "coordinator.crt", shown.certificate);
    storage::write_secret_file(stolen / "coordinator.key", shown.key);
    ServerOptions options;
    options.storage = scratch_.path() / "storage";
    options.certs = stolen;
    Server server(options, protocol::kTestExecutor);
    server.listen();
    server.create(test_definition(), kTestSecret);
    return protocol::error_text([&] { beat(server.address()); });
  }

  void beat(const std::string& address) const {
    LinkOptions options;
    options.server = address;
    options.certs = certs_;
    options.identity = "agent-0";
    options.give_up_seconds = 60;
    Link link(options);
    v1::BeatRequest request;
    request.set_study("study");
    request.add_progress();  // of agent 0, with no token
    v1::BeatReply reply;
    const auto attempt = [&](grpc::ClientContext& context) {
      return v1::Agents::Stub(link.channel()).Beat(&context, request, &reply);
    };
    link.call("beating", attempt, kUnstopped);
  }

  /// A new certificate for this address.
  KeyPairTexts signed_for(CertificateUse use) const {
    return sign_certificate({text("ca.crt"), text("ca.key")},
                            {.common_name = "agent-0", .use = use, .hosts = {"127.0.0.1"}});
  }

  Scratch scratch_;
  std::filesystem::path certs_ = scratch_.path() / "certs";
};

// Otherwise every agent could pose as the coordinator of the others, and run its command on them.
TEST_F(Impostor, AnAgentIsNotACoordinator) {
  EXPECT_THAT(call({text("agent-0.crt"), text("agent-0.key")}), HasSubstr("does not match ca.crt"));
}

// Not only because an agent's certificate has no address: its purpose counts too.
TEST_F(Impostor, AClientCertificateIsRefusedForAServer) {
  EXPECT_THAT(call(signed_for(CertificateUse::kClient)), HasSubstr("does not match ca.crt"));
}

TEST_F(Impostor, AServerCertificateIsAccepted) {
  EXPECT_EQ(call(signed_for(CertificateUse::kServer)), "");
}

}  // namespace
}  // namespace duets::service
