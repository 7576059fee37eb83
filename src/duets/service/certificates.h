// A small private certificate authority: it decides who may connect to a coordinator, and as whom.
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

/// The rights of a certificate's holder. An operator may also call for any agent (plan, submit).
struct Identity {
  enum class Role : std::uint8_t { kCoordinator, kOperator, kAgent };
  Role role = Role::kAgent;
  std::string study{};      ///< kAgent: only this study; empty: any
  std::uint32_t first = 0;  ///< kAgent: agents first..last
  std::uint32_t last = 0;

  bool may_act_as(std::string_view study_name, std::uint32_t agent) const;
  bool may_operate() const { return role == Role::kOperator; }
};

/// Nothing for a name of another form. Inverse of common_name().
std::optional<Identity> parse_identity(std::string_view common_name);
std::string common_name(const Identity& identity);

/// The files of a certificate in its directory: NAME.crt and NAME.key (readable by the owner only).
/// The file name is the common name with "/" replaced by "_".
struct CertificateFiles {
  std::filesystem::path certificate, key;
};

/// Creates the authority: ca.crt and ca.key. kInvalid when one exists already; kIo.
void make_authority(const std::filesystem::path& directory, std::uint32_t days);

struct CertificateRequest {
  Identity identity;
  std::vector<std::string> hosts{};  ///< coordinator: DNS names and IP addresses it is reached by
  std::int64_t valid_from_days = 0;  ///< from now; negative for expired ones in tests
  std::int64_t days = 825;           ///< 1..36500; limited by the authority's own end
};

/// Signs a certificate with the directory's authority, EC P-256. kInvalid when the certificate
/// exists already, when its name has more than 64 characters, when there is no authority, or when a
/// host is neither a DNS name nor an address; kIo. Only a coordinator has hosts, at least one.
CertificateFiles make_certificate(const std::filesystem::path& directory,
                                  const CertificateRequest& request);

/// The PEM texts that one side of a TLS connection needs. kInvalid with the missing file and the
/// `duets certs` command that creates it; refuses keys that others may read or that do not match
/// the certificate. `name` is a common name.
struct TlsTexts {
  std::string authority, certificate, key;
};
TlsTexts load_tls(const std::filesystem::path& directory, const std::string& name);

/// The reason why the other side would refuse the certificate ("certificate has expired"), checked
/// against the same authority; empty when it is good. A failed handshake does not tell the reason.
std::string tls_problem(const TlsTexts& texts);

}  // namespace duets::service
