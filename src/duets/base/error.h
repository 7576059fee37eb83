// The exception type of the library: why an operation ended, in words that a person can act on.
#pragma once

#include <stdexcept>
#include <string>

namespace duets::base {

/// Why an operation ended. The command line maps each kind to a documented exit code.
enum class ErrorKind {
  kInvalid,     ///< an argument or a study field breaks its stated constraint
  kDecode,      ///< bytes that are not a message or record of this version
  kProtocol,    ///< a message that no correct peer would send in this state
  kNumeric,     ///< a factorisation or a bound that cannot be met in binary64
  kExhausted,   ///< the sampler used up its cap; the text says what to change
  kDiverged,    ///< coordinator and agent do not agree on the points
  kPlatform,    ///< this machine does not compute the bits the protocol is built on
  kIo,          ///< a file could not be read or written
  kStorage,     ///< stored data is damaged, locked, or cannot be written
  kConnection,  ///< the other side cannot be reached, or refuses the connection
  kTimeout,     ///< timed out
  kQuorum,      ///< too few agents are left
  kObjective,   ///< the objective failed too often, or gave an answer the study has no use for
};

/// The only exception type of the library. Thrown only when an operation cannot continue; a failure
/// that a caller is expected to handle is a value.
class Error : public std::runtime_error {
 public:
  Error(ErrorKind kind, const std::string& message) : std::runtime_error(message), kind_(kind) {}
  ErrorKind kind() const { return kind_; }

 private:
  ErrorKind kind_;
};

/// Throws kInvalid with "field = value: constraint".
[[noreturn]] void refuse(const std::string& field, const std::string& value,
                         const std::string& constraint);

/// Calls refuse() when `ok` is false. In a check that runs often, test first and call refuse():
/// here the texts are made before the call.
void require(bool ok, const std::string& field, const std::string& value,
             const std::string& constraint);

}  // namespace duets::base
