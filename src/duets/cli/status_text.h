// How a study stands, as text: tables for people, JSON and CSV for programs.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "duets/cli/summary.h"
#include "duets/domain/domain.h"
#include "duets/service/study_status.h"

namespace duets::cli {

/// A status, and the domain that gives its points their words.
struct StudyView {
  service::StudyStatus status;
  std::shared_ptr<const domain::Domain> domain;  ///< null: a categorical shows as its index
};

/// Facts about the study, then a line an agent. Ends with a newline.
std::string status_table(const StudyView& view);

/// One study as an object, several as a list; as CSV a row an agent; as tables one after the other.
std::string statuses_text(const std::vector<StudyView>& views, Format format);

/// A line a study: name, state, epoch, agents.
std::string list_text(const std::vector<service::StudyStatus>& statuses, Format format);

/// Recommendation beside best trial, never one "best".
std::string best_text(const StudyView& view, Format format);

/// When epochs close: "with all 4 agents, or with 3 after 2 x the time it should take".
std::string closing_text(const service::StudyStatus& status);

/// "12.3 kB"; powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace duets::cli
