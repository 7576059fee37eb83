// `duets study`: make, look at, end and remove the studies of a coordinator.
#pragma once

#include <cstdint>
#include <string>

#include "duets/cli/extensions.h"
#include "duets/cli/progress.h"
#include "duets/cli/study_source.h"
#include "duets/cli/summary.h"

namespace duets::cli {

struct StudyFlags {
  SourceFlags source;
  std::string study;  ///< a name; a file for `create`
  std::uint32_t epoch = 0;
  std::uint32_t agent = 0;
  std::string quorum;    ///< a number or "all"; empty: as it is
  std::string deadline;  ///< a number or "none"; empty: as it is
  bool yes = false;      ///< delete without asking
  Format format = Format::kTable;
  Verbosity verbosity = Verbosity::kNormal;
};

/// All throw base::Error.
void create_study(const StudyFlags& flags, const Extensions& extensions);
void list_studies(const StudyFlags& flags);
/// The resolved study file as it was made; its digest, its state and when epochs close, which an
/// operator may have changed since, as comments.
void show_study(const StudyFlags& flags);
void stop_study(const StudyFlags& flags);
/// Asks on a terminal unless `yes`; without a terminal `yes` is needed.
void delete_study(const StudyFlags& flags);
void close_epoch(const StudyFlags& flags);
void retire_agent(const StudyFlags& flags);
/// Quorum, deadline or both.
void set_policy(const StudyFlags& flags);

}  // namespace duets::cli
