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
/// reads one line: {"value":1.5} or {"infeasible":"why"}; a "trial" in the answer must be that of
/// the query, other keys are ignored, and so are blank lines.
///
/// The program may go on to the next line or end after its answer, as it likes: it is started again
/// when it is not running, and when it ends without having read a query, that query is asked of a
/// fresh process. How it ends after its answer does not matter. It runs in a process group of its
/// own, which is ended as a whole on timeout, after a failure and at the end: SIGTERM, and SIGKILL
/// after kill_seconds. When our process is killed, the system kills the program.
///
/// An end before the answer, a timeout, NaN, infinity, garbage, a line longer than 1 MiB, a second
/// line with the answer or no answer at all is a Failure after the retries; every attempt after a
/// failed one gets a fresh process. A line that comes when the answer has been taken already costs
/// nothing: it is mentioned on standard error, dropped, and the next query gets a fresh process. No
/// late answer can be taken for another's: after a timeout the process is gone.
///
/// Its standard error is read at all times and passed on to ours, "agent 3: " before each line, at
/// most 100 lines a query; the tail is kept for a Failure. One thread at a time may ask.
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
