#include "duets/service/program_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>

#include "duets/base/error.h"
#include "duets/base/utf8.h"
#include "duets/domain/shown_value.h"
#include "duets/service/program_lines.h"

namespace duets::service {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

constexpr std::size_t kMaxQuoted = 200;
constexpr std::size_t kMaxReason = 4096;
constexpr std::string_view kBlank = " \t\r\n";

ordered_json parameter_values(const ProgramOptions& options, const Query& query) {
  const bool named = !options.parameters.empty();
  const std::size_t expected = named ? options.parameters.size() : options.dimension;
  base::require(query.values.size() == expected, "number of parameter values",
                std::to_string(query.values.size()), fmt::format("must be {}", expected));
  ordered_json values = ordered_json::object();
  for (std::size_t i = 0; i < expected; ++i) {
    auto& entry = values[named ? options.parameters[i].name : fmt::format("x{}", i + 1)];
    std::visit([&](const auto& shown) { entry = shown; },
               domain::shown_value(options.parameters, i, query.values[i]));
  }
  return values;
}

Failure bad_answer(const std::string& why, std::string_view line) {
  return Failure{fmt::format("{}: {}", why, quoted_output(line)), {}};
}

std::string on_one_line(std::string_view text, std::size_t limit) {
  std::string line = readable_output(text, limit);
  std::replace(line.begin(), line.end(), '\n', ' ');
  return line;
}

std::string_view trimmed(std::string_view line) {
  const std::size_t begin = line.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return {};
  return line.substr(begin, line.find_last_not_of(kBlank) + 1 - begin);
}

// The number that a trimmed line consists of, also "nan" and "inf"; infinite when it is too large
// or too small for a binary64. Decimal only: from_chars accepts neither "0x" nor a locale.
std::optional<double> whole_number_line(std::string_view line) {
  if (line.starts_with('+') && !line.starts_with("+-")) line.remove_prefix(1);
  double number = 0;
  const auto [end, error] = std::from_chars(line.data(), line.data() + line.size(), number);
  if (line.empty() || end != line.data() + line.size()) return std::nullopt;
  if (error == std::errc::result_out_of_range) return std::numeric_limits<double>::infinity();
  return error == std::errc() ? std::optional(number) : std::nullopt;
}

// Probably meant as an answer, in Python's notation or incomplete.
bool looks_like_answer(std::string_view line) {
  constexpr std::array<std::string_view, 4> kKeys{R"("value")", "'value'", R"("infeasible")",
                                                  "'infeasible'"};
  return line.starts_with('{') &&
         std::any_of(kKeys.begin(), kKeys.end(), [&](std::string_view key) {
           return line.find(key) != std::string_view::npos;
         });
}

Answer read_object(const json& answer, std::string_view line, const std::string& trial) {
  const auto asked = answer.find("trial");
  if (asked != answer.end() && *asked != trial) {
    return bad_answer(fmt::format("the answer is not for trial {}", trial), line);
  }
  const auto value = answer.find("value");
  const auto infeasible = answer.find("infeasible");
  if ((value == answer.end()) == (infeasible == answer.end())) {
    return bad_answer(
        R"(a JSON object on standard output is an answer and must have one of "value" and )"
        R"("infeasible" (write logs to standard error))",
        line);
  }
  if (infeasible != answer.end()) {
    if (!infeasible->is_string()) return bad_answer(R"("infeasible" must be a text)", line);
    return Infeasible{on_one_line(infeasible->get_ref<const std::string&>(), kMaxReason)};
  }
  if (!value->is_number() || !std::isfinite(value->get<double>())) {
    return bad_answer(R"("value" must be a finite number)", line);
  }
  return Value{value->get<double>()};
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < 0x20 && c != '\n' && c != '\t') || byte == 0x7F;
}

}  // namespace

std::string query_line(const ProgramOptions& options, const Query& query) {
  ordered_json line;
  line["trial"] = trial_name(query);
  line["agent"] = query.agent;
  line["epoch"] = query.epoch;
  line["slot"] = query.slot;
  line["params"] = parameter_values(options, query);
  return line.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::optional<Answer> read_answer(std::string_view line, const std::string& trial) {
  line = trimmed(line);
  if (line.size() > ProgramLines::kMaxLine) {
    if (!looks_like_answer(line)) return std::nullopt;
    return bad_answer(fmt::format("the answer is longer than {} bytes", ProgramLines::kMaxLine),
                      line);
  }
  if (const auto number = whole_number_line(line)) {
    if (!std::isfinite(*number))
      return bad_answer("the value must be a finite number that fits in a double", line);
    return Value{*number};
  }
  // This parser refuses NaN, infinity and numbers above the largest binary64.
  const json answer = line.starts_with('{') ? json::parse(line, nullptr, false) : json();
  if (answer.is_object()) return read_object(answer, line, trial);
  if (!looks_like_answer(line)) return std::nullopt;
  return bad_answer(
      R"(the answer is not a JSON object with a finite "value" or an "infeasible" reason)", line);
}

bool is_number_line(std::string_view line) { return whole_number_line(trimmed(line)).has_value(); }

std::string readable_output(std::string_view text, std::size_t limit) {
  std::string result;
  while (!text.empty()) {
    const std::size_t length = base::first_character(text).length;
    const std::size_t used = std::max<std::size_t>(length, 1);
    if (result.size() + used > limit) break;
    if (length == 0 || is_control(text.front())) {
      result += '?';
    } else {
      result += text.substr(0, used);
    }
    text.remove_prefix(used);
  }
  return result;
}

std::string quoted_output(std::string_view text) {
  return fmt::format("\"{}{}\"", on_one_line(text, kMaxQuoted),
                     text.size() > kMaxQuoted ? "..." : "");
}

bool is_blank_output(std::string_view text) {
  return text.find_first_not_of(kBlank) == std::string_view::npos;
}

}  // namespace duets::service
