#include "duets/cli/listen_check.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "duets/base/error.h"
#include "duets/storage/files.h"

namespace duets::cli {
namespace {

constexpr std::size_t kMaxPortDigits = 5;
constexpr int kMaxPort = 65535;

[[noreturn]] void fail(const std::string& listen, const std::string& why) {
  throw base::Error(base::ErrorKind::kConnection,
                    fmt::format("cannot listen on {}: {}", listen, why));
}

std::string advice(int error) {
  switch (error) {
    case EADDRINUSE:
      return "another process listens there; choose another port with --listen HOST:PORT";
    case EADDRNOTAVAIL:
      return "it is no address of this machine; 0.0.0.0 stands for all it has";
    case EACCES:
      return "this user may not; choose a port above 1023";
    default:
      return std::strerror(error);
  }
}

// 0, or why not. As gRPC does it: connections that are long closed do not hold the port.
int try_bind(const addrinfo& address) {
  const storage::Descriptor fd(
      socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  if (!fd.ok()) return errno;
  const int yes = 1;
  setsockopt(fd.get(), SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  if (bind(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return errno;
  // With SO_REUSEADDR two may bind one port, but not listen on it.
  return listen(fd.get(), 1) == 0 ? 0 : errno;
}

}  // namespace

void require_listenable(const std::string& listen) {
  const std::size_t colon = listen.rfind(':');
  const std::string port = colon == std::string::npos ? "" : listen.substr(colon + 1);
  const bool digits =
      !port.empty() && port.size() <= kMaxPortDigits &&
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  base::require(colon > 0 && digits && std::stoi(port) <= kMaxPort, "--listen", listen,
                fmt::format("must be HOST:PORT with a port from 0 to {}", kMaxPort));
  std::string host = listen.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) fail(listen, fmt::format("host {}: {}", host, gai_strerror(error)));
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  // A name may stand for several addresses; gRPC is content with one of them.
  int why = 0;
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    why = try_bind(*address);
    if (why == 0) return;
  }
  fail(listen, advice(why));
}

}  // namespace duets::cli
