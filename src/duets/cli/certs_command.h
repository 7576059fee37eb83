// `duets certs`: creates the private authority and the certificates of a fleet.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "duets/cli/progress.h"
#include "duets/cli/summary.h"
#include "duets/study/study_file.h"

namespace CLI {  // NOLINT(readability-identifier-naming): that of the library
class App;
}

namespace duets::cli {

struct CertsFlags {
  std::string directory = study::kUsualCerts;
  std::uint32_t days = 0;          ///< 0: the default, ten years or 825 days
  std::vector<std::string> hosts;  ///< server
  std::string agents;              ///< agent: "3" or "0-99"
  std::string study;               ///< agent: empty for any
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
};

/// The commands `duets certs init|server|agent|operator`: print the created files on standard
/// output, and on standard error which of them belong on which machine. Throw base::Error.
void make_authority_files(const CertsFlags& flags);
void make_server_files(const CertsFlags& flags);
void make_agent_files(const CertsFlags& flags);
void make_operator_files(const CertsFlags& flags);

/// Adds the command and its options. `chosen` gets the action and must outlive the app.
void add_certs(CLI::App& app, std::function<void()>& chosen);

}  // namespace duets::cli
