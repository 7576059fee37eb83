// The user's program as objective: one JSON object a line in, one answer a line out
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
  double timeout_seconds = 600;      ///< of one attempt; > 0
  std::uint32_t retries = 0;         ///< more attempts after a failed one
  /// A process a query, whose input is closed after the query: for programs that read to the end.
  /// A command that names the query ("{trial}", "{epoch}") is run so in any case.
  bool once = false;
  double kill_seconds = 5;                    ///< between SIGTERM and SIGKILL
  std::vector<domain::Parameter> parameters;  ///< of a box with named parameters; else x1, x2, ...
  std::size_t dimension = 0;
  Log log;  ///< gets its standard error, a line each; empty: passed on to ours
};

/// Writes {"trial":"3-2-17","agent":3,"epoch":2,"slot":17,"params":{"x1":0.25,"color":"red"}} and
/// reads lines until one is an answer (read_answer): {"value":1.5}, {"infeasible":"why"} or a bare
/// number. Lines that are no answer are its log.
///
/// In the words of its command "{study}", "{agent}", "{epoch}" and "{trial}" are replaced, and it
/// has DUETS_STUDY, DUETS_AGENT, DUETS_EPOCH and DUETS_TRIAL in its environment: those of the query
/// it was started for. One that stays for further queries finds theirs in the JSON.
///
/// The program may go on to the next line or end after its answer, as it likes: it is started again
/// when it is not running, and when it ends without having read a query, that query is asked of a
/// fresh process. How it ends after its answer does not matter. It runs in a process group of its
/// own, which is ended as a whole on timeout, after a failure and at the end: SIGTERM, and SIGKILL
/// after kill_seconds. When our process is killed, the system kills the program.
///
/// An end before the answer, a timeout, an answer that is wrong (NaN, infinity, an object without a
/// value, half an object) or two answers at once are a Failure after the retries; every attempt
/// after a failed one gets a fresh process. With `once` all its output counts: a bare number is the
/// value when the process has ended, and the only answer then. Otherwise an answer that comes when
/// there is one already costs nothing: it is mentioned on standard error, dropped, and the next
/// query gets a fresh process. No late answer can be taken for another's: after a timeout the
/// process is gone, and what it writes before it has read a query does not answer that.
///
/// Its log, which is its standard error and the lines on its standard output that are no answer, is
/// read at all times and passed on to our standard error, "agent 3: " before each line, at most 100
/// lines a query; the tail is kept for a Failure. One thread at a time may ask.
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
