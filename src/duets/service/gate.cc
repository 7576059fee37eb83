#include "duets/service/gate.h"

#include <fmt/format.h>
#include <netdb.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <utility>

#include "duets/base/error.h"

namespace duets::service {
namespace {

constexpr std::string_view kPreface = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
constexpr unsigned char kTlsHandshake = 0x16;
constexpr unsigned char kTlsMajor = 0x03;
/// How soon the gate notices that it must end, or that a connection was silent for too long.
constexpr int kNoticeMs = 100;
constexpr int kMaxEvents = 64;

bool begins_as(std::string_view bytes, std::string_view whole) {
  const std::size_t size = std::min(bytes.size(), whole.size());
  return bytes.substr(0, size) == whole.substr(0, size);
}

std::string peer_of(const sockaddr_storage& address, socklen_t size) {
  std::array<char, NI_MAXHOST> host{};
  std::array<char, NI_MAXSERV> port{};
  if (getnameinfo(reinterpret_cast<const sockaddr*>(&address), size, host.data(), host.size(),
                  port.data(), port.size(), NI_NUMERICHOST | NI_NUMERICSERV) != 0) {
    return "";
  }
  std::string name = host.data();
  // An IPv4 caller on a dual-stack socket.
  if (name.starts_with("::ffff:")) name = name.substr(7);
  if (name.find(':') != std::string::npos) name = "[" + name + "]";
  return fmt::format("{}:{}", name, port.data());
}

void watch(int events, int fd) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  epoll_ctl(events, EPOLL_CTL_ADD, fd, &event);
}

}  // namespace

Greeting greeting_of(std::string_view bytes) {
  if (begins_as(bytes, kPreface)) return Greeting::kPlaintext;
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(bytes[i]); };
  if (byte(0) == kTlsHandshake && (bytes.size() == 1 || byte(1) == kTlsMajor)) {
    return Greeting::kTls;
  }
  constexpr std::array<std::string_view, 6> kMethods{"GET ", "POST ",    "HEAD ",
                                                     "PUT ", "OPTIONS ", "CONNECT "};
  const bool http = std::any_of(kMethods.begin(), kMethods.end(),
                                [&](std::string_view method) { return begins_as(bytes, method); });
  return http ? Greeting::kHttp : Greeting::kGarbage;
}

Gate::Gate(const std::string& address, GateOptions options, PassOn pass_on)
    : options_(std::move(options)),
      pass_on_(std::move(pass_on)),
      listener_(address),
      events_(epoll_create1(EPOLL_CLOEXEC)) {
  if (!events_.ok()) {
    throw base::Error(base::ErrorKind::kIo,
                      fmt::format("cannot watch connections: {}", std::strerror(errno)));
  }
  for (const storage::Descriptor& socket : listener_.sockets()) watch(events_.get(), socket.get());
  thread_ = std::thread([this] { run(); });
}

Gate::~Gate() {
  ending_ = true;
  thread_.join();
  for (const auto& [fd, silent] : silent_) close(fd);
}

void Gate::run() {
  std::array<epoll_event, kMaxEvents> events{};
  while (!ending_) {
    const int count = epoll_wait(events_.get(), events.data(), kMaxEvents, kNoticeMs);
    for (int i = 0; i < count; ++i) {
      const int fd = events[static_cast<std::size_t>(i)].data.fd;
      silent_.contains(fd) ? hear(fd) : accept_from(fd);
    }
    expire(Clock::now());
  }
}

void Gate::accept_from(int listener) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  const int fd =
      accept4(listener, reinterpret_cast<sockaddr*>(&address), &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
  if (fd < 0) {
    if (errno != EMFILE && errno != ENFILE && errno != ENOBUFS && errno != ENOMEM) return;
    tell(fmt::format("cannot accept connections: {}", std::strerror(errno)), "descriptors", "");
    std::this_thread::sleep_for(std::chrono::milliseconds(kNoticeMs));
    return;
  }
  const auto limit = std::chrono::duration<double>(options_.seconds);
  silent_[fd] = {peer_of(address, size),
                 Clock::now() + std::chrono::duration_cast<Clock::duration>(limit)};
  watch(events_.get(), fd);
}

// Peeks: gRPC reads the same bytes later.
void Gate::hear(int fd) {
  std::array<char, kPreface.size()> bytes{};
  const ssize_t size = recv(fd, bytes.data(), bytes.size(), MSG_PEEK);
  if (size < 0 && (errno == EAGAIN || errno == EINTR)) return;
  const std::string peer = std::move(silent_.extract(fd).mapped().peer);
  epoll_ctl(events_.get(), EPOLL_CTL_DEL, fd, nullptr);
  if (size <= 0) {
    tell("a connection was closed without sending anything", "wordless", peer, LogLevel::kDebug);
    close(fd);
    return;
  }
  switch (greeting_of({bytes.data(), static_cast<std::size_t>(size)})) {
    case Greeting::kPlaintext:
      if (!options_.insecure) {
        tell("refused a plaintext connection: callers must use TLS, without --insecure",
             "plaintext", peer);
      }
      break;
    case Greeting::kTls:
      if (options_.insecure) {
        tell("refused a TLS connection: this coordinator runs with --insecure, callers must too",
             "tls", peer);
      }
      break;
    case Greeting::kHttp:
      tell("refused a connection: it is a web browser or another HTTP client, not an agent", "http",
           peer);
      break;
    case Greeting::kGarbage:
      tell("refused a connection: it sent garbage, not this protocol", "garbage", peer);
      break;
  }
  pass_on_(fd);
}

void Gate::expire(Clock::time_point now) {
  for (auto entry = silent_.begin(); entry != silent_.end();) {
    if (now < entry->second.until) {
      ++entry;
      continue;
    }
    tell(fmt::format("closed a connection that sent nothing for {:.3g} s", options_.seconds),
         "idle", entry->second.peer);
    close(entry->first);
    entry = silent_.erase(entry);
  }
}

void Gate::tell(const std::string& message, const char* cause, const std::string& peer,
                LogLevel level) const {
  if (!options_.log) return;
  options_.log({.message = message, .level = level, .cause = cause, .peer = peer});
}

}  // namespace duets::service
