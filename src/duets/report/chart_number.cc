#include "duets/report/chart_number.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "duets/report/svg.h"

namespace duets::report {
namespace {

constexpr const char* kTimesTen =
    "\xE2\x80\x89\xC3\x97\xE2\x80\x89"
    "10";  // thin spaces around
constexpr double kSmallestInFull = 1e-4;
constexpr double kLargestInFull = 1e7;

// The exponent the value has once it is rounded to the digits that are shown.
int rounded_exponent(double value, int significant) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::scientific, significant - 1);
  const std::string text(buffer, end.ptr);
  return std::stoi(text.substr(text.find('e') + 1));
}

// Mantissa of the scientific notation, digits as shown.
std::string mantissa(double value, int significant) {
  char buffer[64];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, value,
                                 std::chars_format::scientific, significant - 1);
  std::string text(buffer, end.ptr);
  text.resize(text.find('e'));
  if (text.find('.') != std::string::npos) {
    text.erase(text.find_last_not_of('0') + 1);
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace

std::string group_digits(const std::string& decimal) {
  const std::size_t first = decimal.starts_with('-') ? 1 : 0;
  const std::size_t point = std::min(decimal.find('.'), decimal.size());
  std::string out;
  for (std::size_t i = 0; i < decimal.size(); ++i) {
    if (i > first && i < point && (point - i) % 3 == 0) out += ',';
    out += decimal[i];
  }
  return out;
}

std::string grouped(std::uint64_t value) { return group_digits(std::to_string(value)); }

NumberText number_text(double value, int significant) {
  if (!std::isfinite(value)) return {kDash, ""};
  if (value == 0) return {"0", ""};
  const double size = std::abs(value);
  const int exponent = rounded_exponent(value, significant);
  if (size < kSmallestInFull || size >= kLargestInFull) {
    return {mantissa(value, significant) + kTimesTen, std::to_string(exponent)};
  }
  return {group_digits(fixed(value, std::max(0, significant - 1 - exponent))), ""};
}

std::string superscript(const std::string& exponent) {
  constexpr const char* kDigits[] = {"\xE2\x81\xB0", "\xC2\xB9",     "\xC2\xB2",     "\xC2\xB3",
                                     "\xE2\x81\xB4", "\xE2\x81\xB5", "\xE2\x81\xB6", "\xE2\x81\xB7",
                                     "\xE2\x81\xB8", "\xE2\x81\xB9"};
  std::string out;
  for (const char c : exponent) {
    if (c == '-') out += "\xE2\x81\xBB";
    if (c >= '0' && c <= '9') out += kDigits[c - '0'];
  }
  return out;
}

std::string plain_number(double value, int significant) {
  const NumberText number = number_text(value, significant);
  return number.text + superscript(number.exponent);
}

std::string html_number(double value, int significant) {
  const NumberText number = number_text(value, significant);
  if (number.exponent.empty()) return number.text;
  return number.text + "<sup>" + number.exponent + "</sup>";
}

}  // namespace duets::report
