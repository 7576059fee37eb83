// Support for tests of the server: an agent that makes the calls itself, without journal or
// retries.
#pragma once

#include <grpcpp/grpcpp.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <thread>

#include "duets/protocol/agent.h"
#include "duets/protocol/run_test_support.h"
#include "duets/service/handshake.h"
#include "duets/service/link.h"
#include "duets/service/objective.h"
#include "duets/service/operators.h"
#include "duets/service/secret.h"
#include "duets/service/server.h"
#include "duets/service/wire.h"
#include "duets/v1/duets.grpc.pb.h"

namespace duets::service {

inline protocol::Message decoded(const v1::Message& message) {
  const std::string& bytes = message.encoded();
  return protocol::decode({reinterpret_cast<const std::uint8_t*>(bytes.data()), bytes.size()});
}
inline protocol::Reason reason_of(const v1::Message& refusal) {
  return std::get<protocol::Refusal>(decoded(refusal)).reason;
}

/// A temporary directory.
class Scratch {
 public:
  Scratch() {
    std::string pattern = (std::filesystem::temp_directory_path() / "duets-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~Scratch() { std::filesystem::remove_all(path_); }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

inline Definition test_definition(const protocol::Study& study = protocol::small_study(),
                                  const study::Objective& objective = {},
                                  const study::CoordinatorSettings& coordinator = {}) {
  return definition_of(study::file_of(study, objective, coordinator));
}

inline study::CoordinatorSettings with_deadline(std::uint32_t quorum, double deadline) {
  study::CoordinatorSettings settings;
  settings.quorum = quorum;
  settings.deadline = deadline;
  return settings;
}

inline study::Objective with_infeasible(double value) {
  study::Objective objective;
  objective.infeasible_value = value;
  return objective;
}

/// The secret of the studies in these tests, and the run that they must reproduce.
inline const std::string kTestSecret(64, '7');
inline protocol::TestRun test_run(const protocol::Study& study = protocol::small_study()) {
  return protocol::TestRun(study, protocol::wavy_reward, false, parse_secret(kTestSecret, "test"));
}

/// What a program measures in that run.
inline double wavy_value(const Query& query) {
  const numeric::Vector latent = Eigen::Map<const numeric::Vector>(
      query.latent.data(), static_cast<Eigen::Index>(query.latent.size()));
  return protocol::wavy_reward({latent, query.agent, query.epoch, query.slot});
}

inline ServerOptions test_options(const Scratch& scratch) {
  ServerOptions options;
  options.storage = scratch.path();
  options.insecure = true;
  return options;
}

/// An operator that calls the server.
inline std::unique_ptr<Operators> operators_of(const Server& server) {
  LinkOptions options;
  options.server = server.address();
  options.insecure = true;
  options.give_up_seconds = 60;
  return remote_operators(std::make_shared<Link>(options));
}
inline void close_epoch(const Server& server, std::uint32_t epoch) {
  v1::CloseEpochRequest request;
  request.set_epoch(epoch);
  operators_of(server)->close_epoch(request);
}
inline void retire_agent(const Server& server, std::uint32_t agent) {
  v1::RetireAgentRequest request;
  request.set_agent(agent);
  operators_of(server)->retire_agent(request);
}
inline void set_policy(const Server& server, const ClosePolicy& policy) {
  v1::SetPolicyRequest request;
  request.set_quorum(policy.quorum);
  request.set_deadline(policy.deadline);
  operators_of(server)->set_policy(request);
}

/// The status according to the files of a server; an empty name means the only study.
inline v1::StudyStatus stored_status(const std::filesystem::path& storage,
                                     const std::string& study) {
  return stored_operators(storage, std::make_shared<base::SerialExecutor>())->status(study);
}

/// Waits for a condition, at most a minute.
inline bool eventually(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

class RawAgent {
 public:
  RawAgent(const std::string& address, std::uint32_t agent, char instance = 'i')
      : stub_(
            v1::Agents::NewStub(grpc::CreateChannel(address, grpc::InsecureChannelCredentials()))),
        instance_(16, instance) {
    join_.set_protocol_version(kProtocolVersion);
    *join_.mutable_numeric_fingerprint() = to_wire(fingerprint_of_start(""));
    join_.set_agent(agent);
    join_.set_instance(instance_ + std::to_string(agent));
    join_.mutable_instance()->resize(16, 'x');
    join_.set_host("test");
  }

  v1::JoinRequest& request() { return join_; }
  v1::Agents::Stub& stub() { return *stub_; }
  const v1::JoinReply& joined() const { return reply_; }
  protocol::Agent& agent() { return *agent_; }

  grpc::Status join() {
    grpc::ClientContext context;
    context.set_wait_for_ready(true);
    const grpc::Status status = stub_->Join(&context, join_, &reply_);
    if (!status.ok()) return status;
    study_ = check_join_reply(reply_).study;
    caller_.set_study(study_->name);
    caller_.set_agent(reply_.agent());
    caller_.set_token(reply_.token());
    agent_.emplace(study_, base::AgentId{reply_.agent()}, coin(reply_.coin()),
                   std::make_shared<protocol::PublicView>(study_, coin(reply_.public_coin()),
                                                          protocol::kTestExecutor));
    known_ = 0;
    chain_ = 0;
    return status;
  }

  grpc::Status fetch(double wait, v1::FetchReply& reply) {
    v1::FetchRequest request;
    *request.mutable_caller() = caller_;
    request.set_known(known_);
    request.set_known_digest(chain_);
    request.set_wait_seconds(wait);
    grpc::ClientContext context;
    const grpc::Status status = stub_->Fetch(&context, request, &reply);
    if (!status.ok()) return status;
    for (const v1::Message& wire : reply.broadcasts()) {
      const protocol::Message message = from_wire(wire, *study_);
      chain_ = chain_broadcast(chain_, message);
      ++known_;
      agent_->receive(message);
    }
    return status;
  }

  grpc::Status send(const v1::Message& message, v1::SendReply& reply) {
    v1::SendRequest request;
    *request.mutable_caller() = caller_;
    *request.mutable_message() = message;
    grpc::ClientContext context;
    return stub_->Send(&context, request, &reply);
  }

  grpc::Status beat(double seconds_per_query, v1::BeatReply& reply) {
    v1::BeatRequest request;
    request.set_study(study_->name);
    v1::Progress& progress = *request.add_progress();
    progress.set_agent(reply_.agent());
    progress.set_token(reply_.token());
    progress.set_epoch(base::value(agent_->plan().epoch));
    progress.set_seconds_per_query(seconds_per_query);
    grpc::ClientContext context;
    return stub_->Beat(&context, request, &reply);
  }

  /// Answers the whole plan of the open epoch, as TestRun's agents do.
  void query() {
    const protocol::Plan plan = agent_->plan();
    for (std::uint32_t slot = 0; slot < plan.latents().rows(); ++slot) {
      agent_->report(slot, protocol::wavy_reward({plan.latents().row(slot).transpose(),
                                                  reply_.agent(), base::value(plan.epoch), slot}));
    }
  }

  /// Fetches until there is something to send for the open epoch, and sends it.
  void upload() {
    v1::FetchReply fetched;
    while (!agent_->outstanding()) ASSERT_TRUE(fetch(5, fetched).ok());
    v1::SendReply sent;
    const grpc::Status status = send(to_wire(*agent_->outstanding()), sent);
    ASSERT_TRUE(status.ok()) << status.error_message();
    ASSERT_EQ(sent.answers_size(), 0);
  }

  /// Takes broadcasts until the open epoch is `epoch`.
  void reach(std::uint32_t epoch) {
    v1::FetchReply fetched;
    while (base::value(agent_->plan().epoch) < epoch) ASSERT_TRUE(fetch(5, fetched).ok());
  }

 private:
  static random::Coin coin(const std::string& bytes) {
    random::Key key{};
    std::copy(bytes.begin(), bytes.end(), key.begin());
    return random::Coin(key);
  }

  std::unique_ptr<v1::Agents::Stub> stub_;
  std::string instance_;
  v1::JoinRequest join_;
  v1::JoinReply reply_;
  v1::Caller caller_;
  std::shared_ptr<const protocol::Study> study_;
  std::optional<protocol::Agent> agent_;
  std::uint32_t known_ = 0;
  std::uint64_t chain_ = 0;
};

}  // namespace duets::service
