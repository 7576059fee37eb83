// `duets serve`: runs the coordinator of one or more studies.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/cli/extensions.h"
#include "duets/cli/logger.h"
#include "duets/cli/summary.h"

namespace duets::cli {

struct ServeFlags {
  std::vector<std::string> studies;    ///< study files; empty: the stored studies
  std::string listen, storage, certs;  ///< empty: [coordinator] of the first study, or the default
  bool insecure = false;
  std::string secret;                 ///< file with the secret of a new study
  std::optional<std::uint64_t> seed;  ///< instead of a secret and of the study's seed: for tests
  std::string address_file;           ///< the actual address is written here
  std::string output;                 ///< for the results of finished studies; empty: not written
  double lease = 60;
  bool keep = false;   ///< keep running when all studies are finished
  double give_up = 0;  ///< seconds without a reachable quorum; 0: never
  unsigned threads = 0;
  Format format = Format::kTable;
  LogFlags log;
};

/// Creates or resumes the studies and serves until they are finished, or a signal arrives. Throws
/// base::Error: kQuorum when a study's quorum was out of reach for `give_up` seconds.
void serve_studies(const ServeFlags& flags, const Extensions& extensions);

}  // namespace duets::cli
