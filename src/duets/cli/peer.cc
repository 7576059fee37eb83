#include "duets/cli/peer.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <netinet/in.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

namespace fs = std::filesystem;
using service::Identity;

// The file name is the common name with "/" replaced by "_"; a study's name may have "_" too.
std::optional<Identity> identity_of(const fs::path& file) {
  std::string name = file.stem().string();
  if (auto identity = service::parse_identity(name)) return identity;
  const std::size_t last = name.rfind('_');
  if (last == std::string::npos) return std::nullopt;
  name[last] = '/';
  return service::parse_identity(name);
}

bool covers(const Identity& identity, const WantedAgents& wanted) {
  if (identity.role != Identity::Role::kAgent) return false;
  if (!identity.study.empty() && !wanted.study.empty() && identity.study != wanted.study) {
    return false;
  }
  return !wanted.first || (identity.first <= *wanted.first && *wanted.last <= identity.last);
}

std::vector<Identity> certificates_for(const fs::path& certs, const WantedAgents& wanted) {
  std::vector<Identity> found;
  std::error_code error;
  for (fs::directory_iterator entry(certs, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".crt") continue;
    const auto identity = identity_of(entry->path());
    if (identity && covers(*identity, wanted)) found.push_back(*identity);
  }
  // The narrowest first, one that names its study before one for any; then by name.
  std::sort(found.begin(), found.end(), [](const Identity& a, const Identity& b) {
    const auto rank = [](const Identity& i) {
      return std::tuple(i.last - i.first, i.study.empty(), i.study, i.first);
    };
    return rank(a) < rank(b);
  });
  return found;
}

}  // namespace

std::shared_ptr<service::Link> open_link(const PeerFlags& flags, const std::string& identity,
                                         service::Log log) {
  service::LinkOptions options;
  options.server = flags.server;
  options.insecure = flags.insecure;
  if (!flags.insecure) {
    options.certs = flags.certs;
    options.identity = identity;
  }
  options.give_up_seconds = flags.give_up;
  options.refused_seconds = flags.refused;
  options.log = std::move(log);
  return std::make_shared<service::Link>(std::move(options));
}

bool is_loopback(const std::string& server) {
  std::string host = server.substr(0, server.rfind(':'));
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  if (host == "localhost" || host == "::1") return true;
  in_addr address{};
  if (inet_pton(AF_INET, host.c_str(), &address) != 1) return false;
  return (ntohl(address.s_addr) >> IN_CLASSA_NSHIFT) == IN_LOOPBACKNET;
}

std::string agent_identity(const fs::path& certs, const WantedAgents& wanted) {
  const std::vector<Identity> found = certificates_for(certs, wanted);
  if (found.size() == 1 || (!found.empty() && wanted.first)) {
    return service::common_name(found.front());
  }
  if (found.empty() && wanted.operator_too) return "operator";
  base::require(found.empty(), "--certs", certs.string(),
                fmt::format("has certificates of several agents ({}, {}, ...); choose with "
                            "--agent N",
                            found.empty() ? "" : service::common_name(found[0]),
                            found.size() < 2 ? "" : service::common_name(found[1])));
  const std::string who = !wanted.first ? "N"
                          : *wanted.first == *wanted.last
                              ? fmt::format("{}", *wanted.first)
                              : fmt::format("{}-{}", *wanted.first, *wanted.last);
  base::refuse(
      "--certs", certs.string(),
      fmt::format("no certificate of {} here; create one with `duets certs agent {}` where the "
                  "authority is, or use --insecure on both sides",
                  wanted.first ? "agent " + who : "an agent", who));
}

}  // namespace duets::cli
