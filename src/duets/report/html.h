// Pieces of HTML, and their conversion to plain text.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>

#include "duets/report/chart_number.h"

namespace duets::report {

/// Inline markup of a page, made from text by `text` or from other markup.
struct Markup {
  std::string html;
};

/// Plain text, escaped.
Markup text(std::string_view plain);
/// A number, or a dash when it is not finite.
Markup number(double value, int significant = 4);
Markup code(std::string_view plain);
Markup strong(const Markup& content);

/// <tag>...</tag>
Markup element(std::string_view tag, const Markup& content);
Markup join(std::initializer_list<Markup> parts);

/// The markup without tags: entities as characters, exponents as superscripts. Only for markup made
/// by these functions; in any other, an entity may remain.
std::string plain(const Markup& markup);

/// The number of characters, not bytes.
std::size_t width_of(std::string_view text);

}  // namespace duets::report
