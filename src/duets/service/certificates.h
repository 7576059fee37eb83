// A small private certificate authority: who may talk to a coordinator, and as whom.
//
// Names in certificates (common name): "coordinator", "operator", "agent-3" or "agents-0-99", the
// latter two optionally for one study only: "STUDY/agent-3".
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace duets::service {

/// What a certificate lets its holder do. An operator may also call for any agent (plan, submit).
struct Identity {
  enum class Role : std::uint8_t { kCoordinator, kOperator, kAgent };
  Role role = Role::kAgent;
  std::string study{};      ///< kAgent: only this study; empty: any
  std::uint32_t first = 0;  ///< kAgent: agents first..last
  std::uint32_t last = 0;

  bool may_act_as(std::string_view study_name, std::uint32_t agent) const;
  bool may_operate() const { return role == Role::kOperator; }
};

/// Nothing for a name that is none of the above. Inverse of common_name().
std::optional<Identity> parse_identity(std::string_view common_name);
std::string common_name(const Identity& identity);

/// Files of a directory of certificates: NAME.crt and NAME.key (owner only), and ca.crt. The file
/// name is the common name with "/" as "_".
struct CertificateFiles {
  std::filesystem::path certificate, key;
};

/// Makes the authority: ca.crt and ca.key. kInvalid when one is there already; kIo.
void make_authority(const std::filesystem::path& directory, std::uint32_t days);

struct CertificateRequest {
  Identity identity;
  std::vector<std::string> hosts{};  ///< coordinator: DNS names and IP addresses it is reached by
  std::int64_t valid_from_days = 0;  ///< from now; tests make expired ones with negative numbers
  std::int64_t days = 825;           ///< 1..36500; never beyond the authority's own end
};

/// Signs a certificate with the directory's authority, EC P-256. kInvalid when the name has one
/// already or more than 64 characters, when there is no authority, or when a host is neither a DNS
/// name nor an address; kIo. Only a coordinator has hosts, and at least one.
CertificateFiles make_certificate(const std::filesystem::path& directory,
                                  const CertificateRequest& request);

/// The PEM texts that a side of a TLS connection needs. kInvalid naming the missing file and the
/// `duets certs` command that makes it; keys that others may read, or that belong to another
/// certificate, are refused. `name` is a common name.
struct TlsTexts {
  std::string authority, certificate, key;
};
TlsTexts load_tls(const std::filesystem::path& directory, const std::string& name);

/// Why the other side would refuse the certificate ("certificate has expired"), told by one who
/// trusts the same authority; empty when it is good. A failed handshake does not say such things.
std::string tls_problem(const TlsTexts& texts);

}  // namespace duets::service
