#include "duets/service/gate.h"

#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <mutex>
#include <vector>

#include "duets/service/raw_agent_test_support.h"

namespace duets::service {
namespace {

TEST(GreetingOf, DistinguishesCallersFromStrangers) {
  EXPECT_EQ(greeting_of("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), Greeting::kPlaintext);
  EXPECT_EQ(greeting_of("P"), Greeting::kPlaintext) << "the rest may be on the way";
  EXPECT_EQ(greeting_of("\x16\x03\x01"), Greeting::kTls);
  EXPECT_EQ(greeting_of("\x16"), Greeting::kTls);
  EXPECT_EQ(greeting_of("\x16garbage"), Greeting::kGarbage);
  EXPECT_EQ(greeting_of("GET / HTTP/1.1\r\n"), Greeting::kHttp);
  EXPECT_EQ(greeting_of("POST"), Greeting::kHttp);
  EXPECT_EQ(greeting_of("PRIVATE"), Greeting::kGarbage);
  EXPECT_EQ(greeting_of(std::string_view("\0", 1)), Greeting::kGarbage);
}

/// A gate, the connections it passed on, and its log.
class GateTest : public testing::Test {
 protected:
  void open(bool insecure, double seconds) {
    gate_ = std::make_unique<Gate>("127.0.0.1:0", GateOptions{insecure, seconds, log()},
                                   [this](int fd) {
                                     ++num_passed_;
                                     close(fd);
                                   });
  }
  Log log() {
    return [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      causes_.push_back(line.cause);
      peers_.push_back(line.peer);
    };
  }
  std::vector<std::string> causes() {
    const std::lock_guard lock(mutex_);
    return causes_;
  }

  int connect_fd() const {
    const int fd = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    address.sin_port = htons(static_cast<std::uint16_t>(gate_->port()));
    EXPECT_EQ(connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    return fd;
  }
  /// Sends the text on a new connection and waits until the other side closes it.
  void say(const std::string& text) {
    const storage::Descriptor fd(connect_fd());
    EXPECT_EQ(send(fd.get(), text.data(), text.size(), MSG_NOSIGNAL),
              static_cast<ssize_t>(text.size()));
    char byte = 0;
    EXPECT_LE(recv(fd.get(), &byte, 1, 0), 0);
  }

  std::mutex mutex_;
  std::vector<std::string> causes_, peers_;
  std::atomic<int> num_passed_ = 0;
  std::unique_ptr<Gate> gate_;
};

const std::string kGrpc = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
const std::string kTls = "\x16\x03\x01";

TEST_F(GateTest, CallersPassWithoutALogLine) {
  open(true, 60);
  say(kGrpc);
  EXPECT_EQ(num_passed_, 1);
  EXPECT_TRUE(causes().empty());
}

TEST_F(GateTest, StrangersAreLoggedAndPassedOnToGrpc) {
  open(true, 60);
  say("\x01\x02");
  say("GET / HTTP/1.1\r\n\r\n");
  say(kTls);
  EXPECT_EQ(num_passed_, 3);
  EXPECT_EQ(causes(), (std::vector<std::string>{"garbage", "http", "tls"}));
  const std::lock_guard lock(mutex_);
  for (const std::string& peer : peers_) EXPECT_TRUE(peer.starts_with("127.0.0.1:")) << peer;
}

TEST_F(GateTest, WithTlsPlaintextIsLogged) {
  open(false, 60);
  say(kTls);
  say(kGrpc);
  EXPECT_EQ(causes(), (std::vector<std::string>{"plaintext"}));
}

TEST_F(GateTest, OnlySilentConnectionsAreClosed) {
  open(true, 0.2);
  const storage::Descriptor silent(connect_fd());
  char byte = 0;
  EXPECT_EQ(recv(silent.get(), &byte, 1, 0), 0) << "closed by the other side";
  EXPECT_EQ(num_passed_, 0);
  EXPECT_EQ(causes(), (std::vector<std::string>{"idle"}));
  say(kGrpc);
  EXPECT_EQ(num_passed_, 1);
}

TEST_F(GateTest, TheDestructorClosesSilentConnections) {
  open(true, 3600);
  const storage::Descriptor silent(connect_fd());
  say(kGrpc);  // after it, so the silent one was accepted
  gate_.reset();
  char byte = 0;
  EXPECT_EQ(recv(silent.get(), &byte, 1, 0), 0);
}

}  // namespace
}  // namespace duets::service
