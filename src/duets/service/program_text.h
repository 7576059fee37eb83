// Formats queries for the user's program and parses its answers: text only.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "duets/service/program.h"

namespace duets::service {

/// The query as one line of JSON, with its line feed. kInvalid when the point does not fit the
/// parameters.
std::string query_line(const ProgramOptions& options, const Query& query);

/// Parses a line of the program's standard output; blanks around it are ignored.
///
/// * A JSON object is an answer: with exactly one of "value" (a finite number) and "infeasible" (a
///   text). A "trial" must be the one that was asked; other keys are ignored.
/// * A decimal number that is the whole line ("0.93", "+1e-5", ".5") is a value.
/// * An invalid answer is a Failure that shows the line: an object without these keys, a number
///   that is not finite ("nan", "-inf", "1e999"), and a line that begins with "{" and names "value"
///   or "infeasible" but is not JSON ({"value": NaN}, {'value': 1}, half an object), or is longer
///   than ProgramLines::kMaxLine.
/// * Nothing for any other line: it is the program's log.
std::optional<Answer> read_answer(std::string_view line, const std::string& trial);

/// True for a line that is one decimal number, finite or not.
bool is_number_line(std::string_view line);

/// The text in valid UTF-8, at most `limit` bytes, with "?" for every control character except line
/// feed and tab, and for every byte that is not UTF-8.
std::string readable_output(std::string_view text, std::size_t limit);

/// The same on one line, in quotes, with "..." if it was cut.
std::string quoted_output(std::string_view text);

bool is_blank_output(std::string_view text);

}  // namespace duets::service
