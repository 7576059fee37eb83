// The result of a study that is known by its records: the files of a result directory, made when
// they are read.
#pragma once

#include <mutex>
#include <optional>
#include <string>

#include "duets/cli/report_command.h"
#include "duets/cli/result_directory.h"

namespace duets::python {

class Recorded {
 public:
  explicit Recorded(cli::ReportSource source);
  /// Of a simulation: its rows of trials.csv are given.
  Recorded(service::Definition definition, harness::RunResult run, std::string trials);

  const service::Definition& definition() const { return definition_; }
  /// A file of the result directory; empty when the result does not have it.
  std::string text(const std::string& name);
  /// Writes the result directory; `overwrite` replaces results that are there. Not of a simulation.
  void write(const std::string& directory, bool overwrite) const;

 private:
  std::optional<cli::ReportSource> source_;
  service::Definition definition_;
  harness::RunResult run_;
  std::string trials_;
  std::mutex mutex_;
  std::optional<cli::FileTexts> files_;
};

}  // namespace duets::python
