// Runs a process of a job: it returns only when all processes have ended, and all learn of a
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

/// Runs `body`, then waits until all processes have ended theirs. Returns nothing when all
/// succeeded, otherwise the failure of the job, the same in every process (see announce()).
/// `explain` turns an exception of `body` into a failure. A process whose body failed waits for the
/// others' next exchange, so what they finish until then is not lost. The first process calls
/// `tell` with the job's failure before any process returns, because a launcher may end all
/// processes when one ends with an error.
std::optional<Failure> run_job(Transport& transport, const std::function<void()>& body,
                               const std::function<Failure(const std::exception&)>& explain,
                               const std::function<void(const Failure&)>& tell);

/// Throws kInvalid in the processes whose `bytes` differ from those of the first: "what differs
/// from that of the first process". All processes must call it.
void require_same(const base::Executor& executor, const std::string& what,
                  const base::Bytes& bytes);

}  // namespace duets::cluster
