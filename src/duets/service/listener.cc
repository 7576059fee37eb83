#include "duets/service/listener.h"

#include <fmt/format.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr std::size_t kMaxPortDigits = 5;
constexpr int kMaxPort = 65535;
/// Connections that may wait to be accepted; the system may allow fewer.
constexpr int kBacklog = 4096;

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

[[noreturn]] void fail_listening(const std::string& address, const std::string& why) {
  throw base::Error(base::ErrorKind::kConnection,
                    fmt::format("cannot listen on {}: {}", address, why));
}

std::string advice(int error) {
  switch (error) {
    case EADDRINUSE:
      return "another process is using the port; choose another one with --listen HOST:PORT";
    case EADDRNOTAVAIL:
      return "it is not an address of this machine; use 0.0.0.0 for all of them";
    case EACCES:
      return "permission denied; choose a port above 1023";
    default:
      return std::strerror(error);
  }
}

Addresses resolve(const std::string& address, const std::string& host, const std::string& port) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV;
  addrinfo* found = nullptr;
  const int error = getaddrinfo(host.c_str(), port.c_str(), &hints, &found);
  if (error != 0) fail_listening(address, fmt::format("host {}: {}", host, gai_strerror(error)));
  return {found, freeaddrinfo};
}

void set(int fd, int level, int option, int value) {
  setsockopt(fd, level, option, &value, sizeof value);
}

void set_port(sockaddr& address, int port) {
  const auto number = htons(static_cast<std::uint16_t>(port));
  if (address.sa_family == AF_INET6) {
    reinterpret_cast<sockaddr_in6&>(address).sin6_port = number;
  } else {
    reinterpret_cast<sockaddr_in&>(address).sin_port = number;
  }
}

int port_of(int fd) {
  sockaddr_storage bound{};
  socklen_t size = sizeof bound;
  getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size);
  return ntohs(bound.ss_family == AF_INET6 ? reinterpret_cast<sockaddr_in6&>(bound).sin6_port
                                           : reinterpret_cast<sockaddr_in&>(bound).sin_port);
}

// 0, or an error number. Recently closed connections do not block the port.
int try_listen(int fd, const addrinfo& address) {
  if (fd < 0) return errno;
  set(fd, SOL_SOCKET, SO_REUSEADDR, 1);
  set(fd, IPPROTO_TCP, TCP_NODELAY, 1);  // accepted connections inherit it
  if (address.ai_family == AF_INET6) {
    const auto& where = reinterpret_cast<const sockaddr_in6&>(*address.ai_addr);
    const bool any = IN6_IS_ADDR_UNSPECIFIED(&where.sin6_addr) != 0;
    set(fd, IPPROTO_IPV6, IPV6_V6ONLY, any ? 0 : 1);
  }
  if (bind(fd, address.ai_addr, address.ai_addrlen) != 0) return errno;
  // With SO_REUSEADDR two processes may bind one port, but not listen on it.
  return listen(fd, kBacklog) == 0 ? 0 : errno;
}

}  // namespace

Listener::Listener(const std::string& address) {
  const std::size_t colon = address.rfind(':');
  const std::string port = colon == std::string::npos ? "" : address.substr(colon + 1);
  const bool digits =
      !port.empty() && port.size() <= kMaxPortDigits &&
      std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
  base::require(colon > 0 && digits && std::stoi(port) <= kMaxPort, "--listen", address,
                fmt::format("must be HOST:PORT with a port from 0 to {}", kMaxPort));
  std::string host = address.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);

  int why = 0;
  const auto listen_on = [&](const std::string& name) {
    const Addresses found = resolve(address, name, port);
    for (const addrinfo* one = found.get(); one != nullptr; one = one->ai_next) {
      if (port_ != 0) set_port(*one->ai_addr, port_);
      sockets_.emplace_back(socket(one->ai_family, one->ai_socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                                   one->ai_protocol));
      why = try_listen(sockets_.back().get(), *one);
      if (why != 0) {
        sockets_.pop_back();
      } else if (port_ == 0) {
        port_ = port_of(sockets_.back().get());
      }
    }
  };
  // One socket for all addresses of both families, if the system has IPv6.
  if (host == "0.0.0.0") listen_on("::");
  if (sockets_.empty()) listen_on(host);
  if (sockets_.empty()) fail_listening(address, advice(why));
}

}  // namespace duets::service
