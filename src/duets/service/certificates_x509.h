// Keys and certificates as PEM texts, made and checked with OpenSSL. No files, no names of ours.
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
  std::string common_name;  ///< at most 64 bytes, as X.520 wants it
  CertificateUse use = CertificateUse::kClient;
  std::vector<std::string> hosts;    ///< DNS names and IP addresses
  std::int64_t valid_from_days = 0;  ///< from now, less an hour for clocks that are slow
  std::int64_t days = 1;             ///< from then; never beyond the authority's own end
};

/// What kind of name a host is.
enum class HostKind : std::uint8_t { kDnsName, kAddress, kNeither };
HostKind host_kind(const std::string& host);

/// A new authority, which may sign certificates but no further authorities. EC P-256.
KeyPairTexts make_authority_texts(std::int64_t days);

/// A new key and its certificate, signed by the authority. kInvalid when the texts of the authority
/// are none, or do not belong to each other.
KeyPairTexts sign_certificate(const KeyPairTexts& authority, const CertificateTerms& terms);

/// True when it is a key, a certificate, and the two belong to each other.
bool key_fits(const KeyPairTexts& texts);

/// Why a certificate would not be accepted by one who trusts this authority: empty when it would.
std::string verify_certificate(const std::string& authority, const std::string& certificate);

}  // namespace duets::service
