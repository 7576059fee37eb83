// What a program is told about its query when it is started: words of its command and its
// environment.
#pragma once

#include <string>
#include <vector>

#include "duets/service/objective.h"

namespace duets::service {

/// The command with "{study}", "{agent}", "{epoch}" and "{trial}" replaced wherever they stand.
/// Other braces stay as they are.
std::vector<std::string> filled_command(const std::vector<std::string>& command,
                                        const std::string& study, const Query& query);

/// True when a word has something to be replaced.
bool has_placeholder(const std::string& word);

/// True when the command names the query ("{trial}", "{epoch}"): it is right for this query only.
bool names_query(const std::vector<std::string>& command);

/// "DUETS_STUDY=...", "DUETS_AGENT=...", "DUETS_EPOCH=...", "DUETS_TRIAL=...".
std::vector<std::string> query_environment(const std::string& study, const Query& query);

}  // namespace duets::service
