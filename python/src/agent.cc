#include <fmt/format.h>
#include <pybind11/stl.h>

#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "duets/base/error.h"
#include "duets/cli/agent_join.h"
#include "duets/cli/peer.h"
#include "duets/service/agent_journal.h"
#include "duets/service/agent_session.h"
#include "duets/service/answer_watch.h"
#include "module.h"

namespace duets::python {
namespace {

using service::Answer;
using service::Query;

constexpr auto kSignalLook = std::chrono::milliseconds(50);

/// Runs `body` on another thread without the GIL while this one looks for signals, so that Ctrl-C
/// ends a call that waits for the network. `interrupt` makes `body` return soon.
template <class Body, class Interrupt>
auto interruptible(const Body& body, const Interrupt& interrupt) {
  std::future<std::invoke_result_t<Body>> done = std::async(std::launch::async, body);
  bool interrupted = false;
  while (true) {
    bool ready = false;
    {
      const py::gil_scoped_release release;
      ready = done.wait_for(kSignalLook) == std::future_status::ready;
    }
    if (ready) break;
    if (!interrupted && PyErr_CheckSignals() != 0) {
      interrupted = true;
      interrupt();
    }
  }
  if (interrupted) throw py::error_already_set();
  return done.get();
}

struct AgentOptions {
  std::string server;
  std::string study;
  std::optional<std::uint32_t> agent;
  std::string certs;  ///< empty: plaintext
  std::string journal;
  bool take_over = false;
  double give_up = 0;
};

class Agent {
 public:
  explicit Agent(const AgentOptions& given) {
    cli::PeerFlags peer;
    peer.server = given.server;
    peer.insecure = given.certs.empty();
    peer.certs = given.certs;
    peer.give_up = given.give_up;
    std::string identity;
    if (!peer.insecure) {
      identity = cli::agent_identity(given.certs, {given.study, given.agent, given.agent, false});
    }
    options_.link = cli::open_link(peer, identity, [this](const service::LogLine& line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(std::string(base::name_of(line.level)), service::log_text(line));
    });
    options_.study = given.study;
    options_.agent = given.agent;
    options_.journal = given.journal;
    options_.take_over = given.take_over;
    options_.stop = &stop_;
  }

  // Also joins again when the coordinator has lost what it sent.
  void join() {
    {
      const py::gil_scoped_release release;
      session_.reset();
    }
    session_ =
        interruptible([this] { return cli::join_study(options_); }, [this] { stop_ = true; });
    options_.agent = session_->agent();
  }

  std::optional<Query> next() {
    return interruptible([this] { return session().next(); }, [this] { session_->stop(); });
  }
  std::vector<Query> plan() {
    return interruptible([this] { return session().plan(); }, [this] { session_->stop(); });
  }
  bool deliver() {
    return interruptible([this] { return session().deliver(); }, [this] { session_->stop(); });
  }

  void begin_watch(std::uint32_t max_failures) {
    watch_.emplace(session().definition().study->name, max_failures, service::Log{});
  }
  /// Reports what a function gave; then throws kObjective when too many failures came in a row.
  void take(const Query& query, const Answer& given, double seconds) {
    const Answer answer = service::usable_answer(session().definition(), given);
    report(query, answer, seconds);
    watch_->see(query, answer);
  }
  void report(const Query& query, const Answer& answer, double seconds) {
    if (const auto* failure = std::get_if<service::Failure>(&answer)) {
      session().report_failure(query, *failure, seconds);
    } else if (const auto* infeasible = std::get_if<service::Infeasible>(&answer)) {
      session().report_infeasible(query, infeasible->why, seconds);
    } else {
      session().report(query, std::get<service::Value>(answer).value, seconds);
    }
  }

  service::Definition definition() { return session().definition(); }
  std::uint32_t number() { return session().agent(); }
  bool finished() { return session().finished(); }
  std::string state() { return session().state(); }
  std::vector<std::pair<std::string, std::string>> take_lines() {
    const std::lock_guard lock(mutex_);
    return std::exchange(lines_, {});
  }
  void close() { session_.reset(); }

 private:
  service::AgentSession& session() {
    if (!session_) throw base::Error(base::ErrorKind::kProtocol, "the agent is closed");
    return *session_;
  }

  std::mutex mutex_;
  std::vector<std::pair<std::string, std::string>> lines_;  ///< level and text; guarded
  std::atomic<bool> stop_ = false;
  service::SessionOptions options_;
  std::optional<service::AnswerWatch> watch_;
  std::unique_ptr<service::AgentSession> session_;
};

}  // namespace

void bind_agent(py::module_& module) {
  py::class_<Agent, std::shared_ptr<Agent>>(module, "Agent")
      .def(py::init([](const std::string& server, const std::string& study,
                       std::optional<std::uint32_t> agent, const std::string& certs,
                       const std::string& journal, bool take_over, double give_up) {
        return std::shared_ptr<Agent>(
            new Agent({server, study, agent, certs, journal, take_over, give_up}), [](Agent* made) {
              const py::gil_scoped_release release;
              delete made;
            });
      }))
      .def("join", &Agent::join)
      .def("next", &Agent::next)
      .def("plan", &Agent::plan)
      .def("deliver", &Agent::deliver)
      .def("begin_watch", &Agent::begin_watch)
      .def("take", &Agent::take, ReleaseGil())
      .def("report", &Agent::report, ReleaseGil())
      .def("take_lines", &Agent::take_lines)
      .def("close", &Agent::close, ReleaseGil())
      .def("state", &Agent::state, ReleaseGil())
      .def("finished", &Agent::finished, ReleaseGil())
      .def("number", &Agent::number)
      .def("definition", &Agent::definition);
}

}  // namespace duets::python
