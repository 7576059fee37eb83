#include "duets/cli/unit_files.h"

#include <fmt/format.h>

#include "duets/cli/exit_code.h"
#include "duets/cli/file_io.h"
#include "duets/cli/unit_text.h"

namespace duets::cli {
namespace {

[[noreturn]] void refuse_file(const std::filesystem::path& path, const UnitReading& reading) {
  if (reading.state == UnitState::kDamaged) {
    throw CodedError(ExitCode::kStorage,
                     fmt::format("{}: damaged: {}; remove it to compute it again, or start over "
                                 "with --overwrite",
                                 path.string(), reading.why));
  }
  throw CodedError(ExitCode::kUsage,
                   fmt::format("--resume = {}: {}; start over with --overwrite, or choose another "
                               "directory",
                               path.string(), reading.why));
}

}  // namespace

UnitFiles::UnitFiles(std::filesystem::path folder, std::string context)
    : folder_(std::move(folder)), context_(std::move(context)) {}

std::filesystem::path UnitFiles::path_of(const lab::Task& task, std::uint64_t seed) const {
  return folder_ / fmt::format("{}-{}-{}.csv", task.preset, task.function, seed);
}

void UnitFiles::read_all(const lab::Experiment& experiment) {
  for (const lab::Task& task : experiment.tasks) {
    for (const std::uint64_t seed : lab::seeds_of(experiment, task)) {
      const std::filesystem::path path = path_of(task, seed);
      if (!std::filesystem::exists(path)) continue;
      const std::string text = read_whole_file(path);
      UnitReading reading = read_unit(text, unit_settings(context_, task, seed), task);
      // Other settings would have been detected before: the file was moved.
      if (reading.state == UnitState::kForeign && !names_unit(text, task, seed)) {
        reading = {UnitState::kDamaged, "it is the file of another unit", {}};
      }
      if (reading.state != UnitState::kGood) refuse_file(path, reading);
      found_.emplace(path, std::move(reading.unit));
    }
  }
  stored_ = found_.size();
}

std::optional<lab::Unit> UnitFiles::load(const lab::Task& task, std::uint64_t seed) {
  const auto found = found_.find(path_of(task, seed));
  return found == found_.end() ? std::nullopt : std::optional(found->second);
}

void UnitFiles::save(const lab::Task& task, std::uint64_t seed, const lab::Unit& unit) {
  write_whole_file(path_of(task, seed),
                   unit_text(unit_settings(context_, task, seed), task, seed, unit));
  ++stored_;
}

void UnitFiles::received(const lab::Task& task, std::uint64_t seed, const lab::Unit& unit) {
  if (std::filesystem::exists(path_of(task, seed))) {
    ++stored_;
  } else {
    save(task, seed, unit);
  }
}

}  // namespace duets::cli
