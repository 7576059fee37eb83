// The JSON forms of status_text.h, and the words of a point.
#pragma once

#include <string>
#include <vector>

#include "duets/cli/status_text.h"
#include "duets/domain/shown_value.h"

namespace duets::cli {

/// The name of a coordinate; x1, x2, ... when the status has none.
std::string coordinate_name(const StudyView& view, std::size_t coordinate);
/// How the value of a coordinate is written; without a domain it is a number.
domain::ShownValue shown_value(const StudyView& view, std::size_t coordinate, double value);

std::string statuses_json(const std::vector<StudyView>& views);
std::string list_json(const std::vector<service::StudyStatus>& statuses);
std::string best_json(const StudyView& view);

}  // namespace duets::cli
