#include "duets/service/link_probe.h"

#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <memory>
#include <string_view>

#include "duets/storage/files.h"

namespace duets::service {
namespace {

using namespace std::string_view_literals;

/// A TLS 1.2 client hello: version, 32 bytes that need not be random, no session, three ciphers, no
/// compression; then curves, point formats and signatures.
constexpr std::string_view kHello =
    "\x16\x03\x01\x00\x51"
    "\x01\x00\x00\x4d\x03\x03"
    "duets asks: do you speak TLS?..."
    "\x00"
    "\x00\x06\xc0\x2b\xc0\x2f\x13\x01"
    "\x01\x00"
    "\x00\x1e"
    "\x00\x0a\x00\x06\x00\x04\x00\x1d\x00\x17"
    "\x00\x0b\x00\x02\x01\x00"
    "\x00\x0d\x00\x0a\x00\x08\x04\x03\x08\x04\x04\x01\x08\x07"sv;
static_assert(kHello.size() == 5 + 0x51);
constexpr unsigned char kAlertRecord = 0x15;
constexpr unsigned char kHandshakeRecord = 0x16;
constexpr int kMilliseconds = 1000;

bool is_tls(const addrinfo& address) {
  const storage::Descriptor fd(
      socket(address.ai_family, address.ai_socktype | SOCK_CLOEXEC, address.ai_protocol));
  if (!fd.ok()) return false;
  // For connect() and send(); reading has its own limit below.
  const timeval limit{kMilliseconds / 1000, 0};
  setsockopt(fd.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit);
  if (connect(fd.get(), address.ai_addr, address.ai_addrlen) != 0) return false;
  if (send(fd.get(), kHello.data(), kHello.size(), MSG_NOSIGNAL) < 0) return false;
  pollfd readable{fd.get(), POLLIN, 0};
  if (poll(&readable, 1, kMilliseconds) != 1) return false;
  unsigned char first = 0;
  if (recv(fd.get(), &first, 1, 0) != 1) return false;
  return first == kAlertRecord || first == kHandshakeRecord;
}

}  // namespace

bool answers_in_tls(const std::string& server) {
  const std::size_t colon = server.rfind(':');
  std::string host = server.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), server.substr(colon + 1).c_str(), &hints, &found) != 0) {
    return false;
  }
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> owner(found, freeaddrinfo);
  for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
    if (is_tls(*address)) return true;
  }
  return false;
}

}  // namespace duets::service
