// What the processes of a job say to each other in an exchange, and what follows from all of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "duets/base/bytes.h"
#include "duets/base/error.h"
#include "duets/cluster/transport.h"

namespace duets::cluster {

/// Why a process, or the job, failed.
struct Failure {
  int code = 1;        ///< what the process returns
  std::string text{};  ///< for people

  friend bool operator==(const Failure&, const Failure&) = default;
};

/// Ends the work of a process because another one failed, or all of them did. The same failure in
/// every process: it is not to be announced again. Kind kConnection.
class JobFailed : public base::Error {
 public:
  explicit JobFailed(Failure failure)
      : Error(base::ErrorKind::kConnection, failure.text), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// What a process came to an exchange for. All others must have come for the same.
struct Purpose {
  enum class Kind : std::uint8_t { kGather = 1, kAgree = 2, kEnd = 3 };
  Kind kind = Kind::kEnd;
  std::uint64_t num_units = 0;  ///< of kGather

  friend bool operator==(const Purpose&, const Purpose&) = default;
};

/// Exchanges `contents`, and gives everybody's back, by rank. Throws in every process alike:
/// JobFailed when a process came with a failure, kProtocol when their purposes differ.
std::vector<base::Bytes> exchange_for(Transport& transport, const Purpose& purpose,
                                      base::Bytes contents);

/// Comes to the others' next exchange with a failure instead. Returns what becomes of the job: the
/// failure of the lowest rank that failed, with rank and machine in its text unless it is the
/// first.
Failure announce(Transport& transport, const Failure& failure);

}  // namespace duets::cluster
