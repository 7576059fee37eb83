// A report as data: sections of paragraphs, lists, tables and figures, rendered as an HTML page and
// as text.
#pragma once

#include <string>
#include <variant>
#include <vector>

#include "duets/report/html.h"
#include "duets/report/table.h"

namespace duets::report {

struct Paragraph {
  Markup content{};
  bool small = false;
};
struct List {
  std::vector<Markup> items{};
};
struct Quote {
  Markup content{};
};
/// A figure: the text of an SVG, embedded unchanged.
struct Drawing {
  std::string svg{};
  Markup caption{};
};
/// A result that stands out: a title, a value in large letters, and lines below it.
struct Card {
  std::string title{};
  Markup value{};
  std::vector<Markup> lines{};
};
/// Cards side by side.
struct Cards {
  std::vector<Card> cards{};
};
/// Content that stays hidden until the reader opens it.
struct Details {
  Markup summary{};
  Markup paragraph{};
  std::vector<Markup> items{};
};
using Block = std::variant<Paragraph, List, Quote, Table, Drawing, Cards, Details>;
using Blocks = std::vector<Block>;

struct Section {
  std::string title{};  ///< plain text
  Blocks blocks{};
};

struct Report {
  std::string title{};    ///< plain text, of the browser window
  std::string heading{};  ///< plain text, at the top of the page; empty: the title
  Markup lead{};          ///< one line below it; may be empty
  std::vector<Section> sections{};
};

/// A self-contained page (no scripts, nothing loaded from elsewhere). Same report, same bytes.
std::string to_html(const Report& report);

/// Sections for a terminal: paragraphs in lines of at most 100 characters, tables aligned, captions
/// of figures. Ends with a newline.
std::string to_text(const std::vector<Section>& sections);

}  // namespace duets::report
