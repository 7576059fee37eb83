// The JSON forms of status_text.h, and the words of a point.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/status_text.h"

namespace duets::cli {

/// The name of a coordinate; x1, x2, ... when the status has none.
std::string coordinate_name(const StudyView& view, std::size_t coordinate);
/// The choice that a categorical's value stands for; null for a number or without a domain.
const std::string* choice_of(const StudyView& view, std::size_t coordinate, double value);

std::string statuses_json(const std::vector<StudyView>& views);
std::string list_json(const std::vector<service::StudyStatus>& statuses);
std::string best_json(const StudyView& view);

}  // namespace duets::cli
