// Your own program as an agent of a study: it asks for queries and reports rewards.
//
//   duets serve study.toml --insecure --listen 127.0.0.1:7000
//   ask_tell 127.0.0.1:7000 0        on each machine: agents 0, 1, 2, ...
//   ask_tell host:7000 0 certs       with the certificates of `duets certs`
//
// Start it again after a crash: it continues where it stopped.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include "duets/service/agent_session.h"

namespace {

namespace service = duets::service;

/// The system to tune. It may take hours, fail, and be noisy; here it does not.
double measure(const std::vector<double>& x) {
  double sum = 0;
  for (const double value : x) sum += (value - 0.3) * (value - 0.3);
  return 1 - sum;
}

std::shared_ptr<service::Link> connect(const std::string& server, const std::string& agent,
                                       const std::string& certs) {
  service::LinkOptions options;
  options.server = server;
  options.insecure = certs.empty();
  options.certs = certs;
  options.identity = "agent-" + agent;
  options.log = [](const service::LogLine& line) {
    std::fprintf(stderr, "%s\n", service::log_text(line).c_str());
  };
  return std::make_shared<service::Link>(options);
}

void tune(const std::string& server, const std::string& agent, const std::string& certs) {
  service::SessionOptions options;
  options.link = connect(server, agent, certs);
  options.agent = static_cast<std::uint32_t>(std::stoul(agent));
  options.journal = "duets-agent";
  service::AgentSession session(options);

  while (const auto query = session.next()) {
    const double value = measure(query->values);
    if (std::isfinite(value)) {
      session.report(*query, value);
    } else {
      session.report_failure(*query, {"not a number", ""});
    }
  }
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: ask_tell HOST:PORT AGENT [CERTIFICATES]\n");
    return 2;
  }
  try {
    tune(argv[1], argv[2], argc > 3 ? argv[3] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "ask_tell: %s\n", error.what());
    return 1;
  }
}
