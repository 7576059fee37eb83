#include "duets/cli/study_source.h"

#include "duets/base/error.h"
#include "duets/harness/threads.h"

namespace duets::cli {

std::unique_ptr<service::Operators> open_source(const SourceFlags& flags, service::Log log) {
  base::require(flags.peer.server.empty() || flags.storage.empty(), "--storage", flags.storage,
                "give --server or --storage, not both");
  if (!flags.storage.empty()) {
    return service::stored_operators(
        flags.storage, std::make_shared<harness::ThreadExecutor>(harness::default_threads()));
  }
  base::require(!flags.peer.server.empty(), "--server", "(missing)",
                "give --server HOST:PORT or --storage DIR of a coordinator");
  return service::remote_operators(open_link(flags.peer, "operator", std::move(log)));
}

}  // namespace duets::cli
