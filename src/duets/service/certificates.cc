#include "duets/service/certificates.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <system_error>

#include "duets/base/error.h"
#include "duets/service/certificates_x509.h"
#include "duets/service/definition.h"
#include "duets/storage/secret_file.h"
#include "duets/storage/whole_file.h"

namespace duets::service {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorKind;

constexpr std::string_view kCoordinatorName = "coordinator";
constexpr std::string_view kOperatorName = "operator";
constexpr std::string_view kAgentPrefix = "agent-";
constexpr std::string_view kAgentsPrefix = "agents-";
constexpr std::size_t kMaxCommonName = 64;
constexpr std::int64_t kMaxDays = 36500;

// Digits only, without leading zeros: a name has one spelling.
std::optional<std::uint32_t> parse_number(std::string_view text) {
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  if (text != std::to_string(number)) return std::nullopt;
  return number;
}

std::optional<Identity> parse_agents(std::string_view text) {
  Identity identity;
  if (text.starts_with(kAgentPrefix)) {
    const auto agent = parse_number(text.substr(kAgentPrefix.size()));
    if (!agent) return std::nullopt;
    identity.first = identity.last = *agent;
    return identity;
  }
  if (!text.starts_with(kAgentsPrefix)) return std::nullopt;
  text.remove_prefix(kAgentsPrefix.size());
  const std::size_t dash = text.find('-');
  if (dash == std::string_view::npos) return std::nullopt;
  const auto first = parse_number(text.substr(0, dash));
  const auto last = parse_number(text.substr(dash + 1));
  if (!first || !last || *first >= *last) return std::nullopt;
  identity.first = *first;
  identity.last = *last;
  return identity;
}

std::string file_name(std::string name) {
  std::replace(name.begin(), name.end(), '/', '_');
  return name;
}

CertificateFiles files_of(const fs::path& directory, const std::string& name) {
  const std::string stem = file_name(name);
  return {directory / (stem + ".crt"), directory / (stem + ".key")};
}

[[noreturn]] void refuse(const std::string& text) { throw Error(ErrorKind::kInvalid, text); }

bool is_there(const fs::path& path) {
  std::error_code ignored;
  return fs::symlink_status(path, ignored).type() != fs::file_type::not_found;
}

void require_new(const CertificateFiles& files) {
  for (const fs::path& path : {files.certificate, files.key}) {
    if (is_there(path)) {
      refuse(
          fmt::format("{} already exists and is not replaced: choose another directory or "
                      "move the file",
                      path.string()));
    }
  }
}

void make_certs_directory(const fs::path& directory) {
  if (is_there(directory)) return;
  storage::make_directory(directory);
  // The keys are readable only by the owner anyway; nobody else needs the directory.
  std::error_code error;
  fs::permissions(directory, fs::perms::owner_all, error);
  if (error) storage::fail_io("cannot protect", directory, error);
}

// The key first: a certificate without its key is worse than a key without a certificate, because
// somebody would distribute it.
void write_pair(const CertificateFiles& files, const KeyPairTexts& texts) {
  storage::write_secret_file(files.key, texts.key);
  try {
    storage::write_whole_file(files.certificate, texts.certificate);
  } catch (const Error&) {
    std::error_code ignored;
    fs::remove(files.key, ignored);
    throw;
  }
}

std::string how_to_make(const std::string& name) {
  if (name == kCoordinatorName) return "duets certs server --host NAME";
  if (name == kOperatorName) return "duets certs operator";
  const std::size_t slash = name.find('/');
  const std::string agents = name.substr(slash == std::string::npos ? 0 : slash + 1);
  const auto identity = parse_agents(agents);
  if (!identity) return "duets certs agent N";
  std::string text = fmt::format("duets certs agent {}", identity->first);
  if (identity->first != identity->last) text += fmt::format("-{}", identity->last);
  if (slash != std::string::npos) text += fmt::format(" --study {}", name.substr(0, slash));
  return text;
}

void require_file(const fs::path& path, const std::string& command) {
  if (is_there(path)) return;
  refuse(
      fmt::format("there is no {}: create it with `{}` where the authority's "
                  "ca.key is, and copy it here",
                  path.string(), command));
}

void validate(const CertificateRequest& request) {
  const std::string name = common_name(request.identity);
  base::require(parse_identity(name).has_value(), "certificate", name,
                "must name an agent, or agents FIRST-LAST with FIRST < LAST, "
                "and a study by its name");
  base::require(name.size() <= kMaxCommonName, "certificate", name,
                fmt::format("must have at most {} characters: leave out the "
                            "study, which makes it valid for all",
                            kMaxCommonName));
  base::require(request.days >= 1 && request.days <= kMaxDays, "days", std::to_string(request.days),
                fmt::format("must be in 1..{}", kMaxDays));
  base::require(request.valid_from_days >= -kMaxDays && request.valid_from_days <= kMaxDays,
                "valid_from_days", std::to_string(request.valid_from_days),
                fmt::format("must be in -{}..{}", kMaxDays, kMaxDays));
  const bool coordinator = request.identity.role == Identity::Role::kCoordinator;
  if (coordinator && request.hosts.empty()) {
    refuse(
        "a coordinator's certificate needs the names or addresses that "
        "agents reach it by");
  }
  if (!coordinator && !request.hosts.empty()) {
    refuse("only a coordinator's certificate has hosts");
  }
  for (const std::string& host : request.hosts) {
    base::require(host_kind(host) != HostKind::kNeither, "host", host,
                  "is neither a DNS name nor an IP address");
  }
}

}  // namespace

bool Identity::may_act_as(std::string_view study_name, std::uint32_t agent) const {
  if (role == Role::kOperator) return true;
  if (role != Role::kAgent) return false;
  return (study.empty() || study == study_name) && first <= agent && agent <= last;
}

std::optional<Identity> parse_identity(std::string_view common_name) {
  Identity identity;
  if (common_name == kCoordinatorName) {
    identity.role = Identity::Role::kCoordinator;
    return identity;
  }
  if (common_name == kOperatorName) {
    identity.role = Identity::Role::kOperator;
    return identity;
  }
  const std::size_t slash = common_name.find('/');
  if (slash == std::string_view::npos) return parse_agents(common_name);
  if (!study::is_study_name(common_name.substr(0, slash))) return std::nullopt;
  auto agents = parse_agents(common_name.substr(slash + 1));
  if (agents) agents->study = common_name.substr(0, slash);
  return agents;
}

std::string common_name(const Identity& identity) {
  if (identity.role == Identity::Role::kCoordinator) return std::string(kCoordinatorName);
  if (identity.role == Identity::Role::kOperator) return std::string(kOperatorName);
  const std::string study = identity.study.empty() ? "" : identity.study + "/";
  if (identity.first == identity.last) {
    return fmt::format("{}{}{}", study, kAgentPrefix, identity.first);
  }
  return fmt::format("{}{}{}-{}", study, kAgentsPrefix, identity.first, identity.last);
}

void make_authority(const fs::path& directory, std::uint32_t days) {
  base::require(days >= 1 && days <= kMaxDays, "days", std::to_string(days),
                fmt::format("must be in 1..{}", kMaxDays));
  const CertificateFiles files = files_of(directory, "ca");
  require_new(files);
  make_certs_directory(directory);
  write_pair(files, make_authority_texts(days));
}

CertificateFiles make_certificate(const fs::path& directory, const CertificateRequest& request) {
  validate(request);
  const CertificateFiles authority = files_of(directory, "ca");
  for (const fs::path& path : {authority.certificate, authority.key}) {
    if (!is_there(path)) {
      refuse(
          fmt::format("there is no authority: {} is missing; create one with "
                      "`duets certs init`, or pass its directory with --dir",
                      path.string()));
    }
  }
  const std::string name = common_name(request.identity);
  CertificateFiles files = files_of(directory, name);
  require_new(files);
  const bool server = request.identity.role == Identity::Role::kCoordinator;
  const CertificateTerms terms{name, server ? CertificateUse::kServer : CertificateUse::kClient,
                               request.hosts, request.valid_from_days, request.days};
  const KeyPairTexts signer{storage::read_whole_file(authority.certificate),
                            storage::read_secret_file(authority.key)};
  write_pair(files, sign_certificate(signer, terms));
  return files;
}

TlsTexts load_tls(const fs::path& directory, const std::string& name) {
  const fs::path authority = directory / "ca.crt";
  const CertificateFiles files = files_of(directory, name);
  require_file(authority, "duets certs init");
  require_file(files.certificate, how_to_make(name));
  require_file(files.key, how_to_make(name));
  TlsTexts texts{storage::read_whole_file(authority), storage::read_whole_file(files.certificate),
                 storage::read_secret_file(files.key)};
  if (!key_fits({texts.certificate, texts.key})) {
    refuse(
        fmt::format("{} and {} are damaged or do not match: "
                    "copy both again",
                    files.certificate.string(), files.key.string()));
  }
  return texts;
}

std::string tls_problem(const TlsTexts& texts) {
  return verify_certificate(texts.authority, texts.certificate);
}

}  // namespace duets::service
