// The user's program as objective: one JSON object a line in, one out (docs/guide.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duets/service/objective.h"

namespace duets::service {

struct ProgramOptions {
  std::vector<std::string> command;  ///< program and arguments; found by PATH
  double timeout_seconds = 600;      ///< of one attempt; > 0
  std::uint32_t retries = 0;         ///< more attempts after a failed one
  bool once = false;        ///< close its input after each query: for programs that read to the end
  double kill_seconds = 5;  ///< between SIGTERM and SIGKILL
  std::vector<domain::Parameter> parameters;  ///< of a box with named parameters; else x1, x2, ...
  std::size_t dimension = 0;
};

/// Writes {"trial":"3-2-17","agent":3,"epoch":2,"slot":17,"params":{"x1":0.25,"color":"red"}} and
/// reads one line: {"value":1.5} or {"infeasible":"why"}. The program may go on to the next line or
/// end after its answer, as it likes: it is started again when it is not running. It runs in a
/// process group of its own, which is killed as a whole on timeout and at the end. An exit code
/// other than 0 before the answer, a timeout, NaN, infinity, garbage, a line longer than 1 MiB or
/// no answer at all is a Failure after the retries; its standard error is passed on line by line to
/// ours and its tail is kept.
class Program final : public Objective {
 public:
  /// kInvalid when the command is empty, or there is no such program.
  explicit Program(ProgramOptions options);
  /// Ends the process group.
  ~Program() override;
  Answer ask(const Query& query, const std::atomic<bool>& abandon) override;

 private:
  class Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace duets::service
