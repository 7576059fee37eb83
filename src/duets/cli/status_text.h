// The status of a study as text: tables for people, JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/summary.h"

namespace duets::v1 {
class StudyStatus;
}  // namespace duets::v1

namespace duets::cli {

/// Facts about the study, then one line per agent. Ends with a newline.
std::string status_table(const v1::StudyStatus& status);

/// One study as an object, several as a list; as CSV one row per agent; tables one after the other.
std::string statuses_text(const std::vector<v1::StudyStatus>& statuses, Format format);

/// A row per study: name, state, epoch, queries; more for programs.
std::string list_text(const std::vector<v1::StudyStatus>& statuses, Format format);

/// Recommendation and best trial, never a single "best".
std::string best_text(const v1::StudyStatus& status, Format format);

/// When epochs close: "with all 4 agents, or with 3 after 2 x the expected time".
std::string closing_text(const v1::StudyStatus& status);

/// "12.3 kB"; powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace duets::cli
