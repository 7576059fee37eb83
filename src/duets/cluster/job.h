// The life of a process among others: nobody goes before all have ended, and all learn of a
// failure.
#pragma once

#include <exception>
#include <functional>
#include <optional>
#include <string>

#include "duets/base/executor.h"
#include "duets/cluster/messages.h"
#include "duets/cluster/transport.h"

namespace duets::cluster {

/// Runs `body`, then waits until all processes have ended theirs. Returns nothing when all did
/// well, else what became of the job, the same in every process (announce() says what). `explain`
/// makes a failure of an exception of `body`. A process whose body failed waits at the others' next
/// exchange: what they finish until then is not lost. The first process calls `tell` with the job's
/// failure before any process returns: who started them may end all when one has ended badly.
std::optional<Failure> run_job(Transport& transport, const std::function<void()>& body,
                               const std::function<Failure(const std::exception&)>& explain,
                               const std::function<void(const Failure&)>& tell);

/// Throws kInvalid in the processes whose `bytes` are not those of the first: "what differs from
/// that of the first process". All call it.
void require_same(const base::Executor& executor, const std::string& what,
                  const base::Bytes& bytes);

}  // namespace duets::cluster
