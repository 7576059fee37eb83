// Support for tests of the server: one that can be restarted, and a fleet of raw agents.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <vector>

#include "duets/service/raw_agent_test_support.h"
#include "duets/service/server.h"

namespace duets::service {

/// A server with a study of three agents and three epochs, and agents that call it.
class ServerTest : public testing::Test {
 protected:
  void start() {
    server_.reset();
    server_ = std::make_unique<Server>(options_, protocol::kTestExecutor);
    server_->listen();
    options_.listen = server_->address();  // the same port after a restart
  }
  void create(const Definition& definition = test_definition()) {
    start();
    server_->create(definition, kTestSecret);
  }
  std::unique_ptr<RawAgent> joined(std::uint32_t agent) {
    auto raw = std::make_unique<RawAgent>(server_->address(), agent);
    // A study that was just created or restored answers UNAVAILABLE for a moment.
    EXPECT_TRUE(eventually([&] { return raw->join().ok(); }));
    return raw;
  }
  std::vector<std::unique_ptr<RawAgent>> fleet() {
    std::vector<std::unique_ptr<RawAgent>> agents;
    for (std::uint32_t agent = 0; agent < 3; ++agent) agents.push_back(joined(agent));
    return agents;
  }
  static void run_epoch(std::vector<std::unique_ptr<RawAgent>>& agents, std::uint32_t epoch) {
    for (auto& agent : agents) {
      agent->reach(epoch);
      agent->query();
    }
    for (auto& agent : agents) agent->upload();
  }
  v1::StudyStatus status() const { return server_->status("study"); }
  bool is(v1::StudyState state) const {
    return eventually([&] { return status().state() == state; });
  }

  Scratch scratch_;
  ServerOptions options_ = test_options(scratch_);
  std::unique_ptr<Server> server_;
};

}  // namespace duets::service
