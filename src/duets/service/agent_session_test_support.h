// Support for tests of sessions: a coordinator behind a relay that can lose and repeat calls.
#pragma once

#include <grpcpp/grpcpp.h>

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "duets/service/agent_session.h"
#include "duets/service/raw_agent_test_support.h"
#include "duets/service/status_code.h"

namespace duets::service {

/// How the relay treats a call.
enum class Fate : std::uint8_t {
  kPass,
  kLost,       ///< it never arrives
  kReplyLost,  ///< it is executed, but the reply is lost
  kTwice,      ///< it is executed twice
  kBusy,       ///< the coordinator says that it cannot answer yet
};

/// Passes every call on to a coordinator, as `fate` decides by the call's name.
class Relay final : public v1::Agents::Service {
 public:
  explicit Relay(const std::string& server)
      : stub_(
            v1::Agents::NewStub(grpc::CreateChannel(server, grpc::InsecureChannelCredentials()))) {
    grpc::ServerBuilder builder;
    int port = 0;
    builder.AddListeningPort("127.0.0.1:0", grpc::InsecureServerCredentials(), &port);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    builder.RegisterService(this);
    listening_ = builder.BuildAndStart();
    address_ = "127.0.0.1:" + std::to_string(port);
  }
  ~Relay() override { listening_->Shutdown(std::chrono::system_clock::now()); }

  const std::string& address() const { return address_; }
  void set_fate(std::function<Fate(const std::string&)> fate) {
    const std::lock_guard lock(mutex_);
    fate_ = std::move(fate);
  }
  /// Every Fetch returns all broadcasts from the first one on.
  void repeat_broadcasts() { repeats_ = true; }
  /// Join does not tell agents that their results were uploaded already.
  void hide_uploads() { hides_uploads_ = true; }
  int num_calls(const std::string& name) const {
    const std::lock_guard lock(mutex_);
    const auto found = num_calls_.find(name);
    return found == num_calls_.end() ? 0 : found->second;
  }
  v1::BeatRequest last_beat() const {
    const std::lock_guard lock(mutex_);
    return last_beat_;
  }

  grpc::Status Join(grpc::ServerContext*, const v1::JoinRequest* request,
                    v1::JoinReply* reply) override {
    const grpc::Status status = carry("Join", reply, [&](grpc::ClientContext& context) {
      return stub_->Join(&context, *request, reply);
    });
    if (hides_uploads_) reply->set_uploaded(false);
    return status;
  }
  grpc::Status Fetch(grpc::ServerContext*, const v1::FetchRequest* request,
                     v1::FetchReply* reply) override {
    v1::FetchRequest wanted = *request;
    if (repeats_) wanted.set_known(0);
    if (repeats_) wanted.set_known_digest(0);
    return carry("Fetch", reply, [&](grpc::ClientContext& context) {
      return stub_->Fetch(&context, wanted, reply);
    });
  }
  grpc::Status Send(grpc::ServerContext*, const v1::SendRequest* request,
                    v1::SendReply* reply) override {
    return carry("Send", reply, [&](grpc::ClientContext& context) {
      return stub_->Send(&context, *request, reply);
    });
  }
  grpc::Status Beat(grpc::ServerContext*, const v1::BeatRequest* request,
                    v1::BeatReply* reply) override {
    {
      const std::lock_guard lock(mutex_);
      last_beat_ = *request;
    }
    return carry("Beat", reply, [&](grpc::ClientContext& context) {
      return stub_->Beat(&context, *request, reply);
    });
  }
  grpc::Status Leave(grpc::ServerContext*, const v1::LeaveRequest* request,
                     v1::LeaveReply* reply) override {
    return carry("Leave", reply, [&](grpc::ClientContext& context) {
      return stub_->Leave(&context, *request, reply);
    });
  }

 private:
  template <typename Reply, typename Call>
  grpc::Status carry(const std::string& name, Reply* reply, const Call& call) {
    std::function<Fate(const std::string&)> decide;
    {
      const std::lock_guard lock(mutex_);
      ++num_calls_[name];
      decide = fate_;
    }
    const Fate fate = decide ? decide(name) : Fate::kPass;
    const grpc::Status lost(grpc::StatusCode::UNAVAILABLE, "lost on the way");
    if (fate == Fate::kLost) return lost;
    if (fate == Fate::kBusy) return busy_status("reading its records");
    grpc::Status status;
    for (int i = 0; i < (fate == Fate::kTwice ? 2 : 1); ++i) {
      reply->Clear();
      grpc::ClientContext context;
      context.set_wait_for_ready(true);
      status = call(context);
    }
    return fate == Fate::kReplyLost ? lost : status;
  }

  std::unique_ptr<v1::Agents::Stub> stub_;
  std::unique_ptr<grpc::Server> listening_;
  std::string address_;
  mutable std::mutex mutex_;
  std::function<Fate(const std::string&)> fate_;
  std::map<std::string, int> num_calls_;
  std::atomic<bool> repeats_ = false;
  std::atomic<bool> hides_uploads_ = false;
  v1::BeatRequest last_beat_;
};

/// A coordinator, a relay, and a directory of journals. Counts the queries of agents.
class Fleet {
 public:
  explicit Fleet(const Definition& definition = test_definition(), double lease_seconds = 2) {
    options_ = test_options(scratch_);
    options_.storage = scratch_.path() / "storage";
    options_.lease_seconds = lease_seconds;
    options_.max_wait_seconds = 3600;  // a test must not succeed because a long poll ends
    start();
    server_->create(definition, kTestSecret);
    relay_ = std::make_unique<Relay>(server_->address());
  }

  void start() {
    server_ = std::make_unique<Server>(options_, protocol::kTestExecutor);
    server_->listen();
    options_.listen = server_->address();
  }
  void shut_down() { server_.reset(); }
  Server& server() { return *server_; }
  Relay& relay() { return *relay_; }
  std::filesystem::path storage() const { return options_.storage; }
  std::filesystem::path journals() const { return scratch_.path() / "agents"; }

  std::shared_ptr<Link> link() {
    LinkOptions options;
    options.server = relay_->address();
    options.insecure = true;
    options.log = [this](const LogLine& line) {
      const std::lock_guard lock(mutex_);
      log_ += log_text(line) + "\n";
    };
    return std::make_shared<Link>(options);
  }
  std::string log() const {
    const std::lock_guard lock(mutex_);
    return log_;
  }

  SessionOptions session(std::optional<std::uint32_t> agent) {
    SessionOptions options;
    options.link = link();
    options.agent = agent;
    options.study = "study";
    options.journal = journals();
    options.wait_seconds = 1;
    return options;
  }

  /// Answers one more query of an agent; false when there is none. Fails if it was asked before.
  bool step(AgentSession& session) {
    const auto query = session.next();
    if (!query) return false;
    EXPECT_TRUE(answer(*query)) << trial_name(*query) << " was asked twice";
    session.report(*query, wavy_value(*query));
    return true;
  }
  bool answer(const Query& query) {
    const std::lock_guard lock(mutex_);
    return answered_.insert(trial_name(query)).second;
  }
  std::size_t num_answered() const {
    const std::lock_guard lock(mutex_);
    return answered_.size();
  }

  /// Runs the body once for each of the three agents, each on its own thread.
  static void each(const std::function<void(std::uint32_t)>& body) {
    std::vector<std::thread> threads;
    for (std::uint32_t agent = 0; agent < 3; ++agent) {
      threads.emplace_back([&body, agent] { ASSERT_NO_THROW(body(agent)); });
    }
    for (std::thread& thread : threads) thread.join();
  }

  /// Every agent answers all its queries.
  void run_all() {
    each([this](std::uint32_t agent) {
      AgentSession taking_part(session(agent));
      while (step(taking_part)) {
      }
    });
  }

  void expect_undisturbed() {
    ASSERT_TRUE(
        eventually([&] { return server_->status("study").state() == v1::STUDY_STATE_FINISHED; }));
    auto run = test_run();
    run.finish();
    EXPECT_EQ(from_wire(server_->status("study").run_digest()),
              run.coordinator().summary().run_digest());
    EXPECT_EQ(from_wire(server_->status("study").state_digest()),
              run.coordinator().summary().state_digest());
    EXPECT_EQ(num_answered(), 27U);
  }

 private:
  Scratch scratch_;
  ServerOptions options_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Relay> relay_;
  mutable std::mutex mutex_;
  std::string log_;
  std::set<std::string> answered_;
};

}  // namespace duets::service
