// Finished units on disk: the checkpoints of an experiment, and its raw data.
#pragma once

#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "duets/lab/experiment.h"

namespace duets::cli {

/// A folder of unit files, "<preset>-<function>-<seed>.csv". Thread-safe.
class UnitFiles final : public lab::UnitStore {
 public:
  /// `context` is that of unit_settings(). The folder exists.
  UnitFiles(std::filesystem::path folder, std::string context);

  /// Reads every file that the experiment can use, before anything is computed. Throws CodedError:
  /// kStorage naming a file that is damaged or of another unit, kUsage one with other settings;
  /// no file is changed.
  void read_all(const lab::Experiment& experiment);

  /// Units found and saved so far.
  std::size_t stored() const { return stored_; }

  /// Only the units that read_all found.
  std::optional<lab::Unit> load(const lab::Task& task, std::uint64_t seed) override;
  /// Writes a temporary name first, so that a file with the final name is complete. kIo.
  void save(const lab::Task& task, std::uint64_t seed, const lab::Unit& unit) override;
  /// Saves it unless the file exists: another process may not see this folder.
  void received(const lab::Task& task, std::uint64_t seed, const lab::Unit& unit) override;

 private:
  std::filesystem::path path_of(const lab::Task& task, std::uint64_t seed) const;

  std::filesystem::path folder_;
  std::string context_;
  std::map<std::filesystem::path, lab::Unit> found_;  // constant once read
  std::atomic<std::size_t> stored_ = 0;
};

/// The units of a process that is not the first of a job. The first has read the existing units and
/// gets all results in the end; until then this process saves its own into the same folder.
class HelperUnitFiles final : public lab::UnitStore {
 public:
  /// `visible`: the folder is on a file system that both see. Otherwise nothing is saved here.
  HelperUnitFiles(const std::filesystem::path& folder, const std::string& context, bool visible)
      : files_(folder, context), visible_(visible) {}

  std::optional<lab::Unit> load(const lab::Task& /*task*/, std::uint64_t /*seed*/) override {
    return std::nullopt;
  }
  void save(const lab::Task& task, std::uint64_t seed, const lab::Unit& unit) override {
    if (visible_) files_.save(task, seed, unit);
  }

 private:
  UnitFiles files_;
  bool visible_;
};

}  // namespace duets::cli
