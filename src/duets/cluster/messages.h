// The messages that the processes of a job exchange, and the evaluation of all of them.
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
  int code = 1;        ///< the exit code of the process
  std::string text{};  ///< the message for users

  friend bool operator==(const Failure&, const Failure&) = default;
};

/// Ends the work of a process because another one failed, or all of them did. Every process has the
/// same failure, so it must not be announced again. Kind kConnection.
class JobFailed : public base::Error {
 public:
  explicit JobFailed(Failure failure)
      : Error(base::ErrorKind::kConnection, failure.text), failure_(std::move(failure)) {}
  const Failure& failure() const { return failure_; }

 private:
  Failure failure_;
};

/// The purpose of an exchange, which must be the same in all processes.
struct Purpose {
  enum class Kind : std::uint8_t { kGather = 1, kAgree = 2, kEnd = 3 };
  Kind kind = Kind::kEnd;
  std::uint64_t num_units = 0;  ///< of kGather

  friend bool operator==(const Purpose&, const Purpose&) = default;
};

/// Exchanges `contents` and returns those of all processes, by rank. Throws the same in every
/// process: JobFailed when a process announces a failure, kProtocol when their purposes differ.
std::vector<base::Bytes> exchange_for(Transport& transport, const Purpose& purpose,
                                      base::Bytes contents);

/// Announces a failure in the others' next exchange. Returns the failure of the job: that of the
/// lowest rank that failed, with rank and machine in its text unless it is the first process.
Failure announce(Transport& transport, const Failure& failure);

}  // namespace duets::cluster
