#include "duets/cli/agent_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <functional>
#include <iostream>
#include <memory>
#include <mutex>
#include <thread>

#include "duets/base/error.h"
#include "duets/cli/agent_join.h"
#include "duets/cli/agent_numbers.h"
#include "duets/cli/agent_report.h"
#include "duets/cli/builtin_objective.h"
#include "duets/cli/interrupt.h"
#include "duets/cli/logger.h"
#include "duets/service/agent_loop.h"
#include "duets/service/agent_session.h"
#include "duets/service/program_text.h"

namespace duets::cli {
namespace {

/// The objectives of the agents in this process. Thread-safe.
class Objectives {
 public:
  Objectives(const AgentFlags& flags, const Extensions& extensions, Logger& logger)
      : flags_(flags), extensions_(extensions), logger_(logger) {}

  std::unique_ptr<service::Objective> make(const service::Definition& definition) {
    const std::vector<std::string> command = program_of(flags_, definition);
    if (command.empty()) return std::make_unique<BuiltinObjective>(function(definition));
    if (flags_.program.empty()) say_command(command);
    // A program's own lines must not break a log of JSON objects.
    return make_program(command, definition, flags_.objective, next_worker_++,
                        logger_.format() == LogFormat::kJson ? logger_.log() : service::Log{});
  }

 private:
  // Logs the command that runs on this machine without being in the command line, once.
  void say_command(const std::vector<std::string>& command) {
    std::call_once(said_command_, [&] {
      const std::string text = fmt::format("{}", fmt::join(command, " "));
      logger_.say("running the study's command: " + service::quoted_output(text));
    });
  }

  // Creating a random function takes a moment: once for all agents.
  std::shared_ptr<const BuiltinFunction> function(const service::Definition& definition) {
    const std::lock_guard lock(mutex_);
    if (!function_) {
      function_ = std::make_shared<const BuiltinFunction>(*definition.file, extensions_.functions);
    }
    return function_;
  }

  const AgentFlags& flags_;
  const Extensions& extensions_;
  Logger& logger_;
  std::once_flag said_command_;
  std::atomic<std::uint32_t> next_worker_{0};
  std::mutex mutex_;
  std::shared_ptr<const BuiltinFunction> function_;
};

/// The agents of this process, one thread each.
class Fleet {
 public:
  Fleet(const AgentFlags& flags, const Extensions& extensions, const InterruptGuard& interrupt,
        Logger& logger, std::shared_ptr<service::Link> link)
      : flags_(flags),
        interrupt_(interrupt),
        logger_(logger),
        link_(std::move(link)),
        objectives_(flags, extensions, logger) {}

  /// Reports of the agents that joined, by number.
  std::vector<AgentReport> run(std::vector<std::optional<std::uint32_t>> agents) {
    alone_ = agents.size() == 1;
    std::vector<std::thread> threads;
    threads.reserve(agents.size());
    if (!alone_) {
      if (auto session = join_last(agents.back())) {
        threads.emplace_back([this, agent = agents.back(), last = std::move(session)]() mutable {
          guarded([&] { work_on(std::move(last), agent); });
        });
      }
      agents.pop_back();
    }
    for (const auto& agent : agents) {
      threads.emplace_back([this, agent] { guarded([&] { work_on(join(agent), agent); }); });
    }
    for (std::thread& thread : threads) thread.join();
    if (error_) std::rethrow_exception(error_);
    std::sort(reports_.begin(), reports_.end(),
              [](const AgentReport& a, const AgentReport& b) { return a.agent < b.agent; });
    return std::move(reports_);
  }

 private:
  void guarded(const std::function<void()>& body) {
    try {
      body();
    } catch (...) {
      keep_error(std::current_exception());
    }
  }

  // The highest number of a range joins first: an error of that join is an error of the command,
  // and is reported before a query is made. Nothing when the error concerns only this agent.
  std::unique_ptr<service::AgentSession> join_last(std::optional<std::uint32_t> agent) {
    try {
      return join(agent);
    } catch (const base::Error& error) {
      if (error.kind() == base::ErrorKind::kInvalid) {
        throw base::Error(error.kind(),
                          fmt::format("--agents {}: {}", flags_.agents, error.what()));
      }
      keep_error(std::current_exception());
      return nullptr;
    }
  }

  // Nothing when it was stopped while it waited for the coordinator, or has nothing left to do.
  std::unique_ptr<service::AgentSession> join(std::optional<std::uint32_t> agent) {
    service::SessionOptions options;
    options.link = link_;
    options.study = flags_.study;
    options.agent = agent;
    options.journal = flags_.journal;
    options.take_over = flags_.take_over;
    options.stop = &interrupt_.stop();
    try {
      return join_study(std::move(options));
    } catch (const service::NothingLeft& over) {
      logger_.say(over.what());
      return nullptr;
    } catch (const base::Error& error) {
      if (!interrupt_.stop() || error.kind() != base::ErrorKind::kConnection) throw;
      logger_.say("stopped before reaching the coordinator");
      return nullptr;
    }
  }

  // Joins again when the coordinator's storage was set back.
  void work_on(std::unique_ptr<service::AgentSession> session, std::optional<std::uint32_t> agent) {
    while (session) {
      try {
        return work(*session);
      } catch (const service::CoordinatorSetBack& error) {
        logger_.say(fmt::format("{}; joining again", error.what()));
        if (!agent) agent = session->agent();
      }
      session.reset();
      session = join(agent);
    }
  }

  void work(service::AgentSession& session) {
    const auto objective = objectives_.make(session.definition());
    const std::string who = fmt::format("agent {}: ", session.agent());
    service::LoopOptions options;
    options.max_failures = flags_.objective.max_failures;
    options.log = logger_.log();
    try {
      const bool over =
          service::run_agent(session, *objective, interrupt_.stop(), interrupt_.abandon(), options);
      if (!over) logger_.say(who + "stopped; run the same command again to continue");
      if (flags_.format == Format::kTable) return;
      AgentReport report =
          report_of(flags_.journal, session.definition().study->name, session.agent(), over);
      const std::lock_guard lock(mutex_);
      reports_.push_back(std::move(report));
    } catch (const base::Error& error) {
      if (error.kind() != base::ErrorKind::kObjective) throw;
      throw base::Error(error.kind(),
                        fmt::format("{}{}. Fix the program, then run the same command again: it "
                                    "continues with the next query",
                                    who, error.what()));
    }
  }

  // With several agents, each reports its own error at once; the others continue.
  void keep_error(const std::exception_ptr& error) {
    const std::lock_guard lock(mutex_);
    if (!error_) error_ = error;
    if (alone_) return;
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& e) {
      logger_.write({.message = e.what(), .level = service::LogLevel::kError});
    }
  }

  const AgentFlags& flags_;
  const InterruptGuard& interrupt_;
  Logger& logger_;
  std::shared_ptr<service::Link> link_;
  Objectives objectives_;
  bool alone_ = true;
  std::mutex mutex_;
  std::exception_ptr error_;
  std::vector<AgentReport> reports_;
};

std::vector<std::optional<std::uint32_t>> wanted_agents(const AgentFlags& flags) {
  if (flags.agents.empty()) return {flags.agent};
  const auto [first, last] = parse_agent_range(flags.agents, "--agents");
  std::vector<std::optional<std::uint32_t>> agents;
  for (std::uint32_t agent = first; agent <= last; ++agent) agents.emplace_back(agent);
  return agents;
}

}  // namespace

std::vector<std::string> program_of(const AgentFlags& flags,
                                    const service::Definition& definition) {
  const study::Objective& objective = definition.objective();
  if (flags.program.empty() && objective.command.empty() && objective.builtin.empty()) {
    throw base::Error(base::ErrorKind::kInvalid,
                      "the study names no program: pass yours, duets agent ... -- PROGRAM");
  }
  if (!flags.program.empty() || objective.command.empty()) return flags.program;
  if (flags.peer.insecure && !is_loopback(flags.peer.server)) {
    throw base::Error(base::ErrorKind::kInvalid,
                      "pass the program after --: over plaintext the study's command could come "
                      "from anyone");
  }
  return objective.command;
}

void run_agents(const AgentFlags& flags, const Extensions& extensions) {
  const auto agents = wanted_agents(flags);
  const bool text = flags.log.format == LogFormat::kText;
  const InterruptGuard interrupt(
      text ? "stopping after the current query; press Ctrl-C again to force" : "",
      InterruptGuard::Second::kAbandons);
  Logger logger(flags.log);
  logged(logger, [&] {
    std::string identity;
    if (!flags.peer.insecure) {
      identity =
          agent_identity(flags.peer.certs, {flags.study, agents.front(), agents.back(), false});
    }
    auto link = open_link(flags.peer, identity, logger.log());
    const auto reports = Fleet(flags, extensions, interrupt, logger, std::move(link)).run(agents);
    std::cout << reports_text(reports, flags.format);
  });
}

}  // namespace duets::cli
