#include "duets/service/certificates_x509.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <memory>
#include <string_view>

#include "duets/base/error.h"

namespace duets::service {
namespace {

template <auto Free>
struct Deleter {
  template <typename T>
  void operator()(T* pointer) const {
    Free(pointer);
  }
};
using Key = std::unique_ptr<EVP_PKEY, Deleter<EVP_PKEY_free>>;
using Certificate = std::unique_ptr<X509, Deleter<X509_free>>;
using Memory = std::unique_ptr<BIO, Deleter<BIO_free>>;
using Number = std::unique_ptr<BIGNUM, Deleter<BN_free>>;
using Extension = std::unique_ptr<X509_EXTENSION, Deleter<X509_EXTENSION_free>>;
using Names = std::unique_ptr<GENERAL_NAMES, Deleter<GENERAL_NAMES_free>>;
using Trust = std::unique_ptr<X509_STORE, Deleter<X509_STORE_free>>;
using Verification = std::unique_ptr<X509_STORE_CTX, Deleter<X509_STORE_CTX_free>>;

constexpr int kSerialBits = 127;  // positive, and far below the 20 bytes a serial may have
constexpr int kVersion3 = 2;
constexpr int kSlowClockSeconds = 3600;
constexpr std::size_t kMaxDnsName = 253;
constexpr std::size_t kMaxDnsLabel = 63;

// OpenSSL fails here only for lack of memory or randomness, never because of user input.
template <typename T>
T checked(T result, const char* what) {
  if (result) return result;
  std::array<char, 256> reason{};
  ERR_error_string_n(ERR_get_error(), reason.data(), reason.size());
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("OpenSSL cannot create {}: {}", what, reason.data()));
}

std::string text_of(BIO* memory) {
  char* begin = nullptr;
  const auto size = BIO_get_mem_data(memory, &begin);
  return {begin, static_cast<std::size_t>(size)};
}

std::string key_text(EVP_PKEY* key) {
  const Memory memory(checked(BIO_new(BIO_s_secmem()), "a buffer"));
  checked(PEM_write_bio_PrivateKey(memory.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1,
          "the text of a key");
  return text_of(memory.get());
}

std::string certificate_text(X509* certificate) {
  const Memory memory(checked(BIO_new(BIO_s_mem()), "a buffer"));
  checked(PEM_write_bio_X509(memory.get(), certificate) == 1, "the text of a certificate");
  return text_of(memory.get());
}

Memory reader(const std::string& text) {
  return Memory(checked(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())), "a buffer"));
}

// Never ask for a pass phrase on a terminal: a key that has one counts as invalid.
int no_pass_phrase(char*, int, int, void*) { return -1; }

Certificate parse_certificate(const std::string& text) {
  Certificate result(PEM_read_bio_X509(reader(text).get(), nullptr, no_pass_phrase, nullptr));
  ERR_clear_error();
  return result;
}

Key parse_key(const std::string& text) {
  Key result(PEM_read_bio_PrivateKey(reader(text).get(), nullptr, no_pass_phrase, nullptr));
  ERR_clear_error();
  return result;
}

bool fits(const Certificate& certificate, const Key& key) {
  const bool fit = certificate && key && X509_check_private_key(certificate.get(), key.get()) == 1;
  ERR_clear_error();
  return fit;
}

void set_serial(X509* certificate) {
  const Number number(checked(BN_new(), "a number"));
  checked(BN_rand(number.get(), kSerialBits, BN_RAND_TOP_ONE, BN_RAND_BOTTOM_ANY) == 1, "a serial");
  checked(BN_to_ASN1_INTEGER(number.get(), X509_get_serialNumber(certificate)), "a serial");
}

void set_name(X509_NAME* name, const std::string& common_name) {
  const auto* bytes = reinterpret_cast<const unsigned char*>(common_name.data());
  checked(X509_NAME_add_entry_by_NID(name, NID_commonName, MBSTRING_UTF8, bytes,
                                     static_cast<int>(common_name.size()), -1, 0) == 1,
          "a name");
}

void set_dates(X509* certificate, std::int64_t from_days, std::int64_t days) {
  const auto set = [](ASN1_TIME* time, std::int64_t day, long second) {
    checked(X509_time_adj_ex(time, static_cast<int>(day), second, nullptr), "a date");
  };
  set(X509_getm_notBefore(certificate), from_days, -kSlowClockSeconds);
  set(X509_getm_notAfter(certificate), from_days + days, 0);
}

// OpenSSL's configuration language, for fixed texts only: user input never goes in here.
void add_extension(X509* certificate, X509* issuer, int kind, const char* value) {
  X509V3_CTX context{};
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Extension extension(
      checked(X509V3_EXT_conf_nid(nullptr, &context, kind, value), "an extension"));
  checked(X509_add_ext(certificate, extension.get(), -1) == 1, "an extension");
}

GENERAL_NAME* address_name(const std::string& host) {
  GENERAL_NAME* name = checked(GENERAL_NAME_new(), "a name");
  GENERAL_NAME_set0_value(name, GEN_IPADD, checked(a2i_IPADDRESS(host.c_str()), "an address"));
  return name;
}

GENERAL_NAME* dns_name(const std::string& host) {
  GENERAL_NAME* name = checked(GENERAL_NAME_new(), "a name");
  ASN1_IA5STRING* text = checked(ASN1_IA5STRING_new(), "a name");
  ASN1_STRING_set(text, host.data(), static_cast<int>(host.size()));
  GENERAL_NAME_set0_value(name, GEN_DNS, text);
  return name;
}

void add_hosts(X509* certificate, const std::vector<std::string>& hosts) {
  if (hosts.empty()) return;
  const Names names(checked(GENERAL_NAMES_new(), "names"));
  for (const std::string& host : hosts) {
    const bool address = host_kind(host) == HostKind::kAddress;
    sk_GENERAL_NAME_push(names.get(), address ? address_name(host) : dns_name(host));
  }
  checked(X509_add1_ext_i2d(certificate, NID_subject_alt_name, names.get(), 0, 0) == 1, "names");
}

Certificate new_certificate(EVP_PKEY* key, const std::string& common_name) {
  Certificate certificate(checked(X509_new(), "a certificate"));
  checked(X509_set_version(certificate.get(), kVersion3) == 1, "a certificate");
  set_serial(certificate.get());
  set_name(X509_get_subject_name(certificate.get()), common_name);
  checked(X509_set_pubkey(certificate.get(), key) == 1, "a certificate");
  return certificate;
}

Key new_key() { return Key(checked(EVP_EC_gen("P-256"), "a key")); }

void sign(X509* certificate, EVP_PKEY* key) {
  checked(X509_sign(certificate, key, EVP_sha256()) > 0, "a signature");
}

bool is_label(std::string_view label) {
  return !label.empty() && label.size() <= kMaxDnsLabel && label.front() != '-' &&
         label.back() != '-' && std::all_of(label.begin(), label.end(), [](unsigned char c) {
           return (std::isalnum(c) != 0 && c < 0x80) || c == '-';
         });
}

// A last label of digits only would be a mistyped address.
bool is_dns_name(std::string_view host) {
  if (host.empty() || host.size() > kMaxDnsName) return false;
  while (true) {
    const std::size_t dot = host.find('.');
    const std::string_view label = host.substr(0, dot);
    if (!is_label(label)) return false;
    if (dot == std::string_view::npos) {
      return !std::all_of(label.begin(), label.end(), [](unsigned char c) { return c < 'A'; });
    }
    host.remove_prefix(dot + 1);
  }
}

}  // namespace

HostKind host_kind(const std::string& host) {
  std::array<unsigned char, sizeof(in6_addr)> address{};
  if (::inet_pton(AF_INET, host.c_str(), address.data()) == 1 ||
      ::inet_pton(AF_INET6, host.c_str(), address.data()) == 1) {
    return HostKind::kAddress;
  }
  return is_dns_name(host) ? HostKind::kDnsName : HostKind::kNeither;
}

KeyPairTexts make_authority_texts(std::int64_t days) {
  const Key key = new_key();
  const Certificate certificate = new_certificate(key.get(), "duets authority");
  X509* made = certificate.get();
  checked(X509_set_issuer_name(made, X509_get_subject_name(made)) == 1, "a name");
  set_dates(made, 0, days);
  add_extension(made, made, NID_basic_constraints, "critical,CA:TRUE,pathlen:0");
  add_extension(made, made, NID_key_usage, "critical,keyCertSign,cRLSign");
  add_extension(made, made, NID_subject_key_identifier, "hash");
  sign(made, key.get());
  return {certificate_text(made), key_text(key.get())};
}

KeyPairTexts sign_certificate(const KeyPairTexts& authority, const CertificateTerms& terms) {
  const Certificate issuer = parse_certificate(authority.certificate);
  const Key issuer_key = parse_key(authority.key);
  if (!fits(issuer, issuer_key)) {
    throw base::Error(base::ErrorKind::kInvalid, "ca.crt and ca.key are damaged or do not match");
  }
  const Key key = new_key();
  const Certificate certificate = new_certificate(key.get(), terms.common_name);
  X509* made = certificate.get();
  checked(X509_set_issuer_name(made, X509_get_subject_name(issuer.get())) == 1, "a name");
  set_dates(made, terms.valid_from_days, terms.days);
  if (ASN1_TIME_compare(X509_get0_notAfter(made), X509_get0_notAfter(issuer.get())) > 0) {
    checked(X509_set1_notAfter(made, X509_get0_notAfter(issuer.get())) == 1, "a date");
  }
  const bool server = terms.use == CertificateUse::kServer;
  add_extension(made, issuer.get(), NID_basic_constraints, "critical,CA:FALSE");
  add_extension(made, issuer.get(), NID_key_usage, "critical,digitalSignature");
  add_extension(made, issuer.get(), NID_ext_key_usage, server ? "serverAuth" : "clientAuth");
  add_extension(made, issuer.get(), NID_subject_key_identifier, "hash");
  add_extension(made, issuer.get(), NID_authority_key_identifier, "keyid:always");
  add_hosts(made, terms.hosts);
  sign(made, issuer_key.get());
  return {certificate_text(made), key_text(key.get())};
}

bool key_fits(const KeyPairTexts& texts) {
  return fits(parse_certificate(texts.certificate), parse_key(texts.key));
}

std::string verify_certificate(const std::string& authority, const std::string& certificate) {
  const Certificate root = parse_certificate(authority);
  const Certificate leaf = parse_certificate(certificate);
  if (!root || !leaf) return "it is not a certificate";
  const Trust trust(checked(X509_STORE_new(), "a store"));
  checked(X509_STORE_add_cert(trust.get(), root.get()) == 1, "a store");
  const Verification verification(checked(X509_STORE_CTX_new(), "a verification"));
  checked(X509_STORE_CTX_init(verification.get(), trust.get(), leaf.get(), nullptr) == 1,
          "a verification");
  const bool good = X509_verify_cert(verification.get()) == 1;
  ERR_clear_error();
  if (good) return {};
  return X509_verify_cert_error_string(X509_STORE_CTX_get_error(verification.get()));
}

}  // namespace duets::service
