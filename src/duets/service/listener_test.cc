#include "duets/service/listener.h"

#include <arpa/inet.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "duets/base/error.h"
#include "duets/storage/files.h"

namespace duets::service {
namespace {

/// The error text; "" when listening works.
std::string said_of(const std::string& listen, base::ErrorKind kind) {
  try {
    const Listener listener(listen);
    return {};
  } catch (const base::Error& error) {
    EXPECT_EQ(error.kind(), kind) << error.what();
    return error.what();
  }
}

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

TEST(ListenerTest, AFreePortWorks) {
  EXPECT_EQ(said_of("127.0.0.1:0", base::ErrorKind::kConnection), "");
  EXPECT_EQ(said_of("0.0.0.0:0", base::ErrorKind::kConnection), "");
}

TEST(ListenerTest, DistinguishesAPortInUseAForeignAddressAndAnUnknownHost) {
  const storage::Descriptor fd(socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t length = sizeof address;
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), length), 0);
  ASSERT_EQ(listen(fd.get(), 1), 0);
  ASSERT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &length), 0);
  const std::string taken = "127.0.0.1:" + std::to_string(ntohs(address.sin_port));
  EXPECT_TRUE(
      has(said_of(taken, base::ErrorKind::kConnection), "another process is using the port"));
  // TEST-NET-1: not an address of any machine.
  EXPECT_TRUE(has(said_of("192.0.2.7:0", base::ErrorKind::kConnection), "not an address of this"));
  EXPECT_TRUE(has(said_of("no host:0", base::ErrorKind::kConnection), "host no host: "));
}

TEST(ListenerTest, AnInvalidAddressIsAUsageError) {
  for (const char* text : {"", "7117", ":7117", "localhost", "localhost:", "localhost:http",
                           "localhost:65536", "localhost:-1", "unix:/tmp/socket"}) {
    EXPECT_TRUE(has(said_of(text, base::ErrorKind::kInvalid), "--listen = ")) << text;
  }
}

}  // namespace
}  // namespace duets::service
