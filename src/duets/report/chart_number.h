// Formats numbers for readers: grouped thousands, powers of ten, no "nan".
#pragma once

#include <cstdint>
#include <string>

namespace duets::report {

/// Shown in place of a missing number: U+2013.
inline constexpr const char* kDash = "\xE2\x80\x93";

/// A number as text, its power of ten separate: {"2.5 x 10" (times sign), "-7"}; the exponent is
/// empty for numbers written in full.
struct NumberText {
  std::string text;
  std::string exponent;

  friend bool operator==(const NumberText&, const NumberText&) = default;
};

/// `value` rounded to `significant` digits (1 .. 17), but never before the decimal point. In full
/// with grouped thousands from 1e-4 to below 1e7, otherwise as a power of ten; a dash when the
/// value is not finite.
NumberText number_text(double value, int significant = 4);

/// The same as one string: in plain text with Unicode superscripts, in HTML with a sup element.
std::string plain_number(double value, int significant = 4);
std::string html_number(double value, int significant = 4);

/// "12,345,678".
std::string grouped(std::uint64_t value);

/// Puts commas between groups of three digits before the decimal point of a decimal number.
std::string group_digits(const std::string& decimal);

/// A minus sign and digits as Unicode superscripts.
std::string superscript(const std::string& exponent);

}  // namespace duets::report
