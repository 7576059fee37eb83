#include "duets/service/certificates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include <cstdlib>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>

#include "duets/base/error.h"

namespace duets::service {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Role = Identity::Role;

std::string certificate_text(const fs::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

Identity agents(std::uint32_t first, std::uint32_t last, const std::string& study = "") {
  return {Role::kAgent, study, first, last};
}

/// A certificate as OpenSSL reads it.
class Parsed {
 public:
  explicit Parsed(const fs::path& path) : certificate_(nullptr, X509_free) {
    const std::string text = certificate_text(path);
    BIO* memory = BIO_new_mem_buf(text.data(), static_cast<int>(text.size()));
    certificate_.reset(PEM_read_bio_X509(memory, nullptr, nullptr, nullptr));
    BIO_free(memory);
  }
  X509* get() const { return certificate_.get(); }
  std::string common_name() const {
    std::array<char, 100> name{};
    X509_NAME_get_text_by_NID(X509_get_subject_name(get()), NID_commonName, name.data(),
                              static_cast<int>(name.size()));
    return name.data();
  }
  std::string serial() const {
    BIGNUM* number = ASN1_INTEGER_to_BN(X509_get0_serialNumber(get()), nullptr);
    char* digits = BN_bn2hex(number);
    std::string text = digits;
    OPENSSL_free(digits);
    BN_free(number);
    return text;
  }
  /// Whole days, without the hour of tolerance for slow clocks.
  int days_valid() const {
    int days = 0;
    int seconds = 0;
    ASN1_TIME_diff(&days, &seconds, X509_get0_notBefore(get()), X509_get0_notAfter(get()));
    return days;
  }

 private:
  std::unique_ptr<X509, decltype(&X509_free)> certificate_;
};

/// OpenSSL's verdict for a purpose; X509_V_OK when the certificate is good.
int verdict(const Parsed& authority, const Parsed& leaf, int purpose) {
  X509_STORE* store = X509_STORE_new();
  X509_STORE_add_cert(store, authority.get());
  X509_STORE_CTX* context = X509_STORE_CTX_new();
  X509_STORE_CTX_init(context, store, leaf.get(), nullptr);
  X509_STORE_CTX_set_purpose(context, purpose);
  X509_verify_cert(context);
  const int error = X509_STORE_CTX_get_error(context);
  X509_STORE_CTX_free(context);
  X509_STORE_free(store);
  return error;
}

class CertificatesTest : public ::testing::Test {
 protected:
  CertificatesTest() {
    std::string name = (fs::temp_directory_path() / "duets-certs-XXXXXX").string();
    root_ = ::mkdtemp(name.data());
    directory_ = root_ / "certs";
    make_authority(directory_, 3650);
  }
  ~CertificatesTest() override { fs::remove_all(root_); }

  CertificateFiles make(const Identity& identity, std::vector<std::string> hosts = {}) const {
    return make_certificate(directory_, {identity, std::move(hosts)});
  }
  Parsed authority() const { return Parsed(directory_ / "ca.crt"); }
  static std::string refusal(const std::function<void()>& action) {
    try {
      action();
    } catch (const base::Error& error) {
      EXPECT_EQ(error.kind(), base::ErrorKind::kInvalid) << error.what();
      return error.what();
    }
    return "(accepted)";
  }
  std::string refusal(const CertificateRequest& request) const {
    return refusal([&] { make_certificate(directory_, request); });
  }

  fs::path root_, directory_;
};

TEST(Identity, NamesAndIdentitiesAreOneToOne) {
  for (const char* name : {"coordinator", "operator", "agent-0", "agent-4294967295", "agents-0-99",
                           "tune/agent-3", "a.b_c-d/agents-1-2", "agent-1/agent-2"}) {
    const auto identity = parse_identity(name);
    ASSERT_TRUE(identity) << name;
    EXPECT_EQ(common_name(*identity), name);
  }
  EXPECT_EQ(parse_identity("tune/agents-7-9")->study, "tune");
  EXPECT_EQ(parse_identity("tune/agents-7-9")->first, 7);
  EXPECT_EQ(parse_identity("tune/agents-7-9")->last, 9);
  EXPECT_EQ(parse_identity("operator")->role, Role::kOperator);
}

TEST(Identity, OtherNamesAreNotIdentities) {
  for (const char* name : {"",
                           "agent",
                           "agent-",
                           "agent-03",
                           "agent-+3",
                           "agent--3",
                           "agent- 3",
                           "agent-3 ",
                           "agent-4294967296",
                           "agents-3",
                           "agents-3-3",
                           "agents-5-3",
                           "agents-1-2-3",
                           "agents--3",
                           "Agent-3",
                           "operators",
                           "tune/operator",
                           "tune/coordinator",
                           "/agent-3",
                           "a/b/agent-3",
                           "../agent-3",
                           "a b/agent-3",
                           "tune/",
                           "coordinator/agent",
                           "\nagent-3",
                           "agent-3\n"}) {
    EXPECT_FALSE(parse_identity(name)) << name;
  }
  EXPECT_FALSE(parse_identity(std::string_view("agent-3\0", 8)));
}

TEST(Identity, AnAgentActsOnlyForItself) {
  const Identity any = agents(3, 5);
  EXPECT_TRUE(any.may_act_as("tune", 3));
  EXPECT_TRUE(any.may_act_as("other", 5));
  EXPECT_FALSE(any.may_act_as("tune", 2));
  EXPECT_FALSE(any.may_act_as("tune", 6));
  EXPECT_FALSE(any.may_operate());
  EXPECT_TRUE(agents(3, 3, "tune").may_act_as("tune", 3));
  EXPECT_FALSE(agents(3, 3, "tune").may_act_as("other", 3));
  const Identity coordinator{Role::kCoordinator};
  EXPECT_FALSE(coordinator.may_act_as("tune", 0));
  EXPECT_FALSE(coordinator.may_operate());
  const Identity operator_identity{Role::kOperator};
  EXPECT_TRUE(operator_identity.may_act_as("tune", 7));
  EXPECT_TRUE(operator_identity.may_operate());
}

TEST_F(CertificatesTest, EachCertificateIsValidForOneSideOnly) {
  const Parsed server(make({Role::kCoordinator}, {"tuner.example.org"}).certificate);
  const Parsed agent(make(agents(3, 3)).certificate);
  EXPECT_EQ(verdict(authority(), server, X509_PURPOSE_SSL_SERVER), X509_V_OK);
  EXPECT_EQ(verdict(authority(), agent, X509_PURPOSE_SSL_CLIENT), X509_V_OK);
  EXPECT_EQ(verdict(authority(), server, X509_PURPOSE_SSL_CLIENT), X509_V_ERR_INVALID_PURPOSE);
  EXPECT_EQ(verdict(authority(), agent, X509_PURPOSE_SSL_SERVER), X509_V_ERR_INVALID_PURPOSE);
  EXPECT_EQ(server.common_name(), "coordinator");
  EXPECT_EQ(agent.common_name(), "agent-3");
}

TEST_F(CertificatesTest, OnlyTheAuthorityCanSign) {
  EXPECT_EQ(X509_check_ca(authority().get()), 1);
  EXPECT_EQ(X509_get_pathlen(authority().get()), 0);
  const Parsed agent(make(agents(3, 3)).certificate);
  EXPECT_EQ(X509_check_ca(agent.get()), 0);
  EXPECT_EQ(X509_get_extension_flags(agent.get()) & EXFLAG_CA, 0U);
  EXPECT_EQ(X509_get_key_usage(agent.get()), static_cast<std::uint32_t>(KU_DIGITAL_SIGNATURE));
  EXPECT_EQ(X509_get_key_usage(authority().get()),
            static_cast<std::uint32_t>(KU_KEY_CERT_SIGN | KU_CRL_SIGN));
}

TEST_F(CertificatesTest, TheCoordinatorHasExactlyTheRequestedHosts) {
  const Parsed server(
      make({Role::kCoordinator}, {"tuner.example.org", "node-7", "192.0.2.7", "2001:db8::7"})
          .certificate);
  const auto known = [&](const char* host) {
    return X509_check_host(server.get(), host, 0, 0, nullptr) == 1;
  };
  const auto known_address = [&](const char* address) {
    return X509_check_ip_asc(server.get(), address, 0) == 1;
  };
  EXPECT_TRUE(known("tuner.example.org"));
  EXPECT_TRUE(known("node-7"));
  EXPECT_TRUE(known_address("192.0.2.7"));
  EXPECT_TRUE(known_address("2001:db8::7"));
  EXPECT_FALSE(known("localhost"));
  EXPECT_FALSE(known("192.0.2.7")) << "an address is no DNS name";
  EXPECT_FALSE(known_address("127.0.0.1"));
}

TEST_F(CertificatesTest, InvalidHostsAreRefused) {
  for (const char* host :
       {"", "a b", "-a", "a-", "a..b", ".a", "a.", "*.example.org", "192.0.2.256", "192.0.2",
        "http://a", "a:443", "a,DNS:b", "[::1]", "\xc3\xbc.org"}) {
    EXPECT_THAT(refusal({{Role::kCoordinator}, {host}}),
                HasSubstr("is neither a DNS name nor an IP address"))
        << host;
  }
  EXPECT_THAT(refusal({{Role::kCoordinator}, {}}), HasSubstr("needs the names or addresses"));
  EXPECT_THAT(refusal({agents(1, 1), {"a.org"}}), HasSubstr("only a coordinator"));
  EXPECT_FALSE(fs::exists(directory_ / "coordinator.key"));
}

TEST_F(CertificatesTest, RequestsWithoutAValidNameAreRefused) {
  EXPECT_THAT(refusal({agents(5, 3), {}}), HasSubstr("FIRST < LAST"));
  EXPECT_THAT(refusal({agents(3, 3, "../up"), {}}), HasSubstr("a study by its name"));
  EXPECT_THAT(refusal({agents(3, 3, std::string(80, 's')), {}}),
              HasSubstr("must have at most 64 characters: leave out the study"));
  EXPECT_THAT(refusal({agents(3, 3), {}, 0, 0}), HasSubstr("days = 0: must be in 1..36500"));
}

TEST_F(CertificatesTest, AStudyIsPartOfTheFileName) {
  const CertificateFiles files = make(agents(0, 99, "tune"));
  EXPECT_EQ(files.certificate, directory_ / "tune_agents-0-99.crt");
  EXPECT_EQ(Parsed(files.certificate).common_name(), "tune/agents-0-99");
}

TEST_F(CertificatesTest, OnlyTheOwnerCanReadKeys) {
  make(agents(3, 3));
  for (const char* name : {"ca.key", "agent-3.key"}) {
    EXPECT_EQ(fs::status(directory_ / name).permissions(),
              fs::perms::owner_read | fs::perms::owner_write)
        << name;
  }
  EXPECT_EQ(fs::status(directory_).permissions(), fs::perms::owner_all);
}

TEST_F(CertificatesTest, NothingIsEverReplaced) {
  const std::string key = certificate_text(directory_ / "ca.key");
  EXPECT_THAT(refusal([&] { make_authority(directory_, 10); }), HasSubstr("ca.crt already exists"));
  EXPECT_EQ(certificate_text(directory_ / "ca.key"), key);
  const CertificateFiles files = make(agents(3, 3));
  const std::string text = certificate_text(files.certificate);
  EXPECT_THAT(refusal({agents(3, 3), {}}), HasSubstr("agent-3.crt already exists"));
  EXPECT_EQ(certificate_text(files.certificate), text);
  fs::remove(files.certificate);
  EXPECT_THAT(refusal({agents(3, 3), {}}), HasSubstr("agent-3.key already exists"));
}

TEST_F(CertificatesTest, SerialsDiffer) {
  std::set<std::string> serials{authority().serial()};
  for (std::uint32_t agent = 0; agent < 20; ++agent) {
    serials.insert(Parsed(make(agents(agent, agent)).certificate).serial());
  }
  EXPECT_EQ(serials.size(), 21);
  for (const std::string& serial : serials) EXPECT_EQ(serial.size(), 32) << serial;
}

TEST_F(CertificatesTest, NeedsAnAuthority) {
  EXPECT_THAT(refusal([&] {
                make_certificate(root_ / "empty", {agents(3, 3), {}});
              }),
              HasSubstr("create one with `duets certs init`"));
}

TEST_F(CertificatesTest, ExpiredAndFutureCertificatesAreRefused) {
  make_certificate(directory_, {agents(1, 1), {}, -30, 20});
  make_certificate(directory_, {agents(2, 2), {}, 5, 20});
  make_certificate(directory_, {agents(3, 3), {}, 0, 20});
  EXPECT_EQ(tls_problem(load_tls(directory_, "agent-1")), "certificate has expired");
  EXPECT_EQ(tls_problem(load_tls(directory_, "agent-2")), "certificate is not yet valid");
  EXPECT_EQ(tls_problem(load_tls(directory_, "agent-3")), "");
  EXPECT_EQ(Parsed(directory_ / "agent-3.crt").days_valid(), 20);
}

TEST_F(CertificatesTest, NoCertificateOutlivesItsAuthority) {
  make_authority(root_ / "short", 10);
  const auto files = make_certificate(root_ / "short", {agents(1, 1), {}});
  EXPECT_EQ(Parsed(files.certificate).days_valid(), 10);
}

TEST_F(CertificatesTest, AnotherAuthorityIsNotTrusted) {
  make(agents(3, 3));
  make_authority(root_ / "other", 10);
  TlsTexts texts = load_tls(directory_, "agent-3");
  texts.authority = certificate_text(root_ / "other" / "ca.crt");
  EXPECT_NE(tls_problem(texts), "");
}

TEST_F(CertificatesTest, LoadsTheTextsOfOneSide) {
  const CertificateFiles files = make(agents(3, 3, "tune"));
  const TlsTexts texts = load_tls(directory_, "tune/agent-3");
  EXPECT_EQ(texts.authority, certificate_text(directory_ / "ca.crt"));
  EXPECT_EQ(texts.certificate, certificate_text(files.certificate));
  EXPECT_THAT(texts.key, HasSubstr("BEGIN PRIVATE KEY"));
}

TEST_F(CertificatesTest, NamesTheMissingFileAndTheCommandThatCreatesIt) {
  const auto missing = [&](const std::string& name) {
    return refusal([&] { load_tls(directory_, name); });
  };
  EXPECT_THAT(missing("coordinator"),
              HasSubstr("coordinator.crt: create it with `duets certs server"));
  EXPECT_THAT(missing("operator"), HasSubstr("`duets certs operator`"));
  EXPECT_THAT(missing("tune/agents-0-9"), HasSubstr("`duets certs agent 0-9 --study tune`"));
  const CertificateFiles files = make(agents(3, 3));
  fs::remove(files.key);
  EXPECT_THAT(missing("agent-3"), HasSubstr("agent-3.key: create it with `duets certs agent 3`"));
  EXPECT_THAT(refusal([&] { load_tls(root_, "operator"); }), HasSubstr("`duets certs init`"));
}

TEST_F(CertificatesTest, AKeyThatOthersMayReadIsRefused) {
  const CertificateFiles files = make(agents(3, 3));
  fs::permissions(files.key, fs::perms::group_read, fs::perm_options::add);
  EXPECT_THAT(refusal([&] { load_tls(directory_, "agent-3"); }), HasSubstr("agent-3.key"));
}

TEST_F(CertificatesTest, AKeyOfAnotherCertificateIsRefused) {
  const CertificateFiles mine = make(agents(3, 3));
  const CertificateFiles other = make(agents(4, 4));
  fs::rename(other.key, mine.key);
  EXPECT_THAT(refusal([&] { load_tls(directory_, "agent-3"); }), HasSubstr("do not match"));
}

TEST_F(CertificatesTest, ADamagedAuthorityIsNamed) {
  std::ofstream(directory_ / "ca.crt") << "not a certificate";
  EXPECT_THAT(refusal({agents(3, 3), {}}), HasSubstr("ca.crt and ca.key are damaged"));
}

}  // namespace
}  // namespace duets::service
