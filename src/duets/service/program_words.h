// The facts about its query that a program gets when it is started: in its command and its
// environment.
#pragma once

#include <string>
#include <vector>

#include "duets/service/objective.h"

namespace duets::service {

/// The command with every "{study}", "{agent}", "{epoch}" and "{trial}" replaced. Other braces are
/// kept.
std::vector<std::string> filled_command(const std::vector<std::string>& command,
                                        const std::string& study, const Query& query);

/// True when a word has a placeholder.
bool has_placeholder(const std::string& word);

/// True when the command names the query ("{trial}", "{epoch}"): it is valid for this query only.
bool names_query(const std::vector<std::string>& command);

/// "DUETS_STUDY=...", "DUETS_AGENT=...", "DUETS_EPOCH=...", "DUETS_TRIAL=...".
std::vector<std::string> query_environment(const std::string& study, const Query& query);

}  // namespace duets::service
