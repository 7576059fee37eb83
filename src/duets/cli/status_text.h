// How a study stands, as text: tables for people, JSON and CSV for programs.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/summary.h"

namespace duets::v1 {
class StudyStatus;
}  // namespace duets::v1

namespace duets::cli {

/// Facts about the study, then a line an agent. Ends with a newline.
std::string status_table(const v1::StudyStatus& status);

/// One study as an object, several as a list; as CSV a row an agent; as tables one after the other.
std::string statuses_text(const std::vector<v1::StudyStatus>& statuses, Format format);

/// A line a study: name, state, epoch, agents.
std::string list_text(const std::vector<v1::StudyStatus>& statuses, Format format);

/// Recommendation beside best trial, never one "best".
std::string best_text(const v1::StudyStatus& status, Format format);

/// When epochs close: "with all 4 agents, or with 3 after 2 x the time it should take".
std::string closing_text(const v1::StudyStatus& status);

/// "12.3 kB"; powers of 1000.
std::string bytes_text(std::uint64_t bytes);

}  // namespace duets::cli
