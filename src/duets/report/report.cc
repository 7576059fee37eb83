#include "duets/report/report.h"

#include <sstream>

#include "duets/report/palette.h"
#include "duets/report/svg.h"

namespace duets::report {
namespace {

constexpr std::size_t kLineWidth = 100;

std::string list_html(const std::vector<Markup>& items) {
  std::string out = "<ul>\n";
  for (const Markup& item : items) out += element("li", item).html + "\n";
  return out + "</ul>\n";
}

/// One block as HTML.
struct HtmlOf {
  std::string operator()(const Paragraph& p) const {
    return (p.small ? "<p class=\"small\">" : "<p>") + p.content.html + "</p>\n";
  }
  std::string operator()(const List& list) const { return list_html(list.items); }
  std::string operator()(const Quote& quote) const {
    return element("blockquote", quote.content).html + "\n";
  }
  std::string operator()(const Table& table) const { return to_html(table).html; }
  std::string operator()(const Drawing& drawing) const {
    return "<figure>\n" + drawing.svg + element("figcaption", drawing.caption).html +
           "\n</figure>\n";
  }
  std::string operator()(const Cards& all) const {
    std::string out = "<div class=\"cards\">\n";
    for (const Card& card : all.cards) {
      out += "<div class=\"card\">\n" + element("h3", text(card.title)).html +
             "\n<p class=\"value\">" + card.value.html + "</p>\n";
      for (const Markup& line : card.lines) out += (*this)(Paragraph{line, true});
      out += "</div>\n";
    }
    return out + "</div>\n";
  }
  std::string operator()(const Details& details) const {
    return "<details>\n" + element("summary", details.summary).html + "\n" +
           (*this)(Paragraph{details.paragraph}) + list_html(details.items) + "</details>\n";
  }
};

// Broken between words; every line begins with the indent, the first with `first` instead.
std::string wrapped(const std::string& words, const std::string& first = "",
                    const std::string& indent = "") {
  std::istringstream in(words);
  std::string out;
  std::string line = first;
  bool fresh = true;
  for (std::string word; in >> word; fresh = false) {
    if (!fresh && width_of(line) + 1 + width_of(word) > kLineWidth) {
      out += line + "\n";
      line = indent;
      fresh = true;
    }
    line += (fresh ? "" : " ") + word;
  }
  return out + line + "\n";
}

std::string list_text(const std::vector<Markup>& items) {
  std::string out;
  for (const Markup& item : items) out += wrapped(plain(item), "- ", "  ");
  return out;
}

/// One block as text.
struct TextOf {
  std::string operator()(const Paragraph& p) const { return wrapped(plain(p.content)); }
  std::string operator()(const List& list) const { return list_text(list.items); }
  std::string operator()(const Quote& quote) const {
    return wrapped(plain(quote.content), "> ", "> ");
  }
  std::string operator()(const Table& table) const { return to_text(table); }
  std::string operator()(const Drawing& drawing) const { return wrapped(plain(drawing.caption)); }
  std::string operator()(const Cards& all) const {
    std::string out;
    for (const Card& card : all.cards) {
      out += card.title + ": " + plain(card.value) + "\n";
      for (const Markup& line : card.lines) out += wrapped(plain(line), "  ", "  ");
    }
    return out;
  }
  std::string operator()(const Details& details) const {
    return wrapped(plain(details.summary)) + wrapped(plain(details.paragraph)) +
           list_text(details.items);
  }
};

}  // namespace

std::string to_html(const Report& report) {
  std::string body =
      element("h1", text(report.heading.empty() ? report.title : report.heading)).html + "\n";
  if (!report.lead.html.empty()) body += "<p class=\"lead\">" + report.lead.html + "</p>\n";
  for (const Section& section : report.sections) {
    body += "<section>\n" + element("h2", text(section.title)).html + "\n";
    for (const Block& block : section.blocks) body += std::visit(HtmlOf{}, block);
    body += "</section>\n";
  }
  return "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
         "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<title>" +
         escape_markup(report.title) + "</title>\n<style>" + page_style() +
         "</style>\n</head>\n<body>\n<main>\n" + body + "</main>\n</body>\n</html>\n";
}

std::string to_text(const std::vector<Section>& sections) {
  std::string out;
  for (const Section& section : sections) {
    if (!out.empty()) out += "\n";
    if (!section.title.empty()) out += section.title + "\n";
    for (const Block& block : section.blocks) out += std::visit(TextOf{}, block);
  }
  return out;
}

}  // namespace duets::report
