// What is said to the user's program and what is understood of its answer: text only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duets/service/program.h"

namespace duets::service {

/// The query as one line of JSON, with its line feed. kInvalid when the point does not fit the
/// parameters.
std::string query_line(const ProgramOptions& options, const Query& query);

/// What a line of the program's standard output means, without regard to blanks around it.
///
/// * A JSON object is an answer: with exactly one of "value" (a finite number) and "infeasible" (a
///   text). A "trial" must be the one that was asked; other keys are the program's own business.
/// * A decimal number that is the whole line ("0.93", "+1e-5", ".5") is a value.
/// * What is meant as an answer but is none is a Failure that shows the line: an object without
///   these keys, a number that is not finite ("nan", "-inf", "1e999"), and a line that begins with
///   "{" and names "value" or "infeasible" but is no JSON ({"value": NaN}, {'value': 1}, half an
///   object), or is longer than ProgramLines::kMaxLine.
/// * Nothing for every other line: it is the program's log.
std::optional<Answer> read_answer(std::string_view line, const std::string& trial);

/// True for a line that is one decimal number, finite or not.
bool is_number_line(std::string_view line);

/// The text in valid UTF-8, at most `limit` bytes of it, with "?" for every control character but
/// the line feed and the tab, and for every byte that is not UTF-8.
std::string readable_output(std::string_view text, std::size_t limit);

/// The same on one line, in quotes, with "..." when something was cut off.
std::string quoted_output(std::string_view text);

bool is_blank_output(std::string_view text);

}  // namespace duets::service
