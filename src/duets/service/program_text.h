// What is said to the user's program and what is understood of its answer: text only.
#pragma once

#include <string>
#include <string_view>

#include "duets/service/program.h"

namespace duets::service {

/// The query as one line of JSON, with its line feed. kInvalid when the point does not fit the
/// parameters.
std::string query_line(const ProgramOptions& options, const Query& query);

/// An answer line: an object with exactly one of "value" (a finite number) and "infeasible" (a
/// text). A "trial" must be the one that was asked; other keys are the program's own business.
/// Anything else is a Failure that shows the line.
Answer read_answer(std::string_view line, const std::string& trial);

/// The text in valid UTF-8, at most `limit` bytes of it, with "?" for every control character but
/// the line feed and the tab, and for every byte that is not UTF-8.
std::string readable_output(std::string_view text, std::size_t limit);

/// The same on one line, in quotes, with "..." when something was cut off.
std::string quoted_output(std::string_view text);

bool is_blank_output(std::string_view text);

}  // namespace duets::service
