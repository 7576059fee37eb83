// Runs the user's program as an objective: one JSON object per line in, one answer per line out
// (docs/fleet.md).
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duets/service/log.h"
#include "duets/service/objective.h"

namespace duets::service {

struct ProgramOptions {
  std::vector<std::string> command;  ///< program and arguments; found by PATH
  std::string study;                 ///< its name
  std::uint32_t worker = 0;          ///< tells the programs of one process apart
  double timeout_seconds = 600;      ///< of one attempt; > 0
  std::uint32_t retries = 0;         ///< more attempts after a failed one
  /// One process per query, whose input is closed after the query: for programs that read all of
  /// their input. Always the case for a command that names the query ("{trial}", "{epoch}", a
  /// parameter).
  bool once = false;
  double kill_seconds = 5;                    ///< between SIGTERM and SIGKILL
  std::vector<domain::Parameter> parameters;  ///< of a box with named parameters; else x1, x2, ...
  std::size_t dimension = 0;
  Log log;  ///< gets each line of its standard error; empty: passed on to ours
};

/// Writes {"trial":"3-2-17","agent":3,"epoch":2,"slot":17,"params":{"x1":0.25,"color":"red"}} and
/// reads lines until one is an answer (read_answer): {"value":1.5}, {"infeasible":"why"} or a bare
/// number. Lines that are not answers are its log.
///
/// Placeholders are replaced in its command, and its environment has the same facts
/// (program_words.h): those of the query it was started for. A program that runs for several
/// queries finds theirs in the JSON; one whose command names the agent runs for that agent only.
///
/// After its answer the program may read the next line or exit: it is started again when it is not
/// running, and when it exits without reading a query, a new process is asked. Its exit code after
/// an answer does not matter. It runs in its own process group, which is ended as a whole on
/// timeout, after a failure and at the end: SIGTERM, and SIGKILL after kill_seconds. When our
/// process is killed, the system kills the program.
///
/// An exit before the answer, a timeout, an invalid answer (NaN, infinity, an object without a
/// value, half an object) or two answers at once are a Failure after the retries; every attempt
/// after a failed one gets a new process. With `once` all its output counts: a bare number is the
/// value only when the process has ended without another answer. Otherwise an answer to a query
/// that already has one is harmless: it is logged to standard error and dropped, and the next query
/// gets a new process. A late answer cannot be taken for that of another query: after a timeout the
/// process is gone, and what it writes before it has read a query does not answer that query.
///
/// Its log, which is its standard error and the lines on its standard output that are not answers,
/// is read at all times and passed on to our standard error, with "agent 3: " before each line, at
/// most 100 lines per query; the tail is kept for a Failure. One thread at a time may ask.
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
