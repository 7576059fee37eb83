// Creates and checks keys and certificates as PEM texts with OpenSSL. No files, no name rules.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace duets::service {

struct KeyPairTexts {
  std::string certificate, key;
};

enum class CertificateUse : std::uint8_t { kServer, kClient };

struct CertificateTerms {
  std::string common_name;  ///< at most 64 bytes, a limit of X.520
  CertificateUse use = CertificateUse::kClient;
  std::vector<std::string> hosts;    ///< DNS names and IP addresses
  std::int64_t valid_from_days = 0;  ///< from now, minus an hour for slow clocks
  std::int64_t days = 1;             ///< from then; limited by the authority's own end
};

/// The kind of a host name.
enum class HostKind : std::uint8_t { kDnsName, kAddress, kNeither };
HostKind host_kind(const std::string& host);

/// A new authority, which may sign certificates but no further authorities. EC P-256.
KeyPairTexts make_authority_texts(std::int64_t days);

/// A new key and its certificate, signed by the authority. kInvalid when the texts of the authority
/// are invalid or do not match.
KeyPairTexts sign_certificate(const KeyPairTexts& authority, const CertificateTerms& terms);

/// True when both texts are valid and the key matches the certificate.
bool key_fits(const KeyPairTexts& texts);

/// The reason why a client that trusts this authority would refuse the certificate; empty if none.
std::string verify_certificate(const std::string& authority, const std::string& certificate);

}  // namespace duets::service
