#include "duets/report/svg.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <utility>

#include "duets/base/error.h"
#include "duets/base/utf8.h"

namespace duets::report {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";  // U+FFFD
constexpr std::string_view kEllipsis = "\xE2\x80\xA6";     // U+2026

struct Character {
  std::uint32_t code = 0;  // 0 where the bytes are no character
  std::size_t length = 1;
};

Character decode(std::string_view text) {
  const base::Utf8Character found = base::first_character(text);
  return found.length == 0 ? Character{} : Character{found.code, found.length};
}

bool is_allowed(std::uint32_t code) {
  if (code == '\t' || code == '\n') return true;
  if (code < 0x20 || (code >= 0x7F && code < 0xA0)) return false;
  return code != 0xFFFE && code != 0xFFFF;
}

std::string_view entity(std::uint32_t code) {
  switch (code) {
    case '&':
      return "&amp;";
    case '<':
      return "&lt;";
    case '>':
      return "&gt;";
    case '"':
      return "&quot;";
    case '\'':
      return "&#39;";
    default:
      return {};
  }
}

double character_width(std::uint32_t code) {
  const auto is_in = [code](std::string_view set) {
    return code < 0x80 && set.find(static_cast<char>(code)) != std::string_view::npos;
  };
  if (is_in("ijl.,:;|!'")) return 0.33;
  if (is_in("frt()[]/ -")) return 0.42;
  if (is_in("mwMW@%")) return 0.95;
  if (code >= 'A' && code <= 'Z') return 0.72;
  if (code >= 0x1100) return code >= 0x2E80 ? 1.05 : 0.8;
  return 0.62;
}

std::string attribute(std::string_view name, std::string_view value) {
  std::string out = " ";
  out += name;
  out += "=\"";
  out += value;
  out += '"';
  return out;
}

std::string attribute(std::string_view name, double value) { return attribute(name, fixed(value)); }

std::string box_attributes(const Rect& area) {
  return attribute("x", area.x) + attribute("y", area.y) + attribute("width", area.width) +
         attribute("height", area.height);
}

std::string paint_attributes(const Paint& paint) {
  std::string out = attribute("fill", escape_markup(paint.fill));
  if (paint.stroke != "none") {
    out += attribute("stroke", escape_markup(paint.stroke));
    out += attribute("stroke-width", fixed(paint.width, 2));
    out += attribute("stroke-linejoin", "round");
    if (!paint.dash.empty()) out += attribute("stroke-dasharray", escape_markup(paint.dash));
    if (paint.round_caps) out += attribute("stroke-linecap", "round");
  }
  if (paint.opacity != 1) out += attribute("opacity", fixed(paint.opacity, 2));
  return out;
}

}  // namespace

std::string escape_markup(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const Character c = decode(text);
    if (!is_allowed(c.code)) {
      out += kReplacement;
    } else if (const std::string_view e = entity(c.code); !e.empty()) {
      out += e;
    } else {
      out += text.substr(0, c.length);
    }
    text.remove_prefix(c.length);
  }
  return out;
}

std::string fixed(double value, int decimals) {
  base::require(std::isfinite(value), "number in a picture", "not finite", "must be finite");
  char buffer[400];  // 309 digits before the point, 17 after it, sign and point
  const auto end =
      std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::fixed, decimals);
  std::string out(buffer, end.ptr);
  if (out.find('.') != std::string::npos) {
    out.erase(out.find_last_not_of('0') + 1);
    if (out.back() == '.') out.pop_back();
  }
  return out == "-0" ? "0" : out;
}

double text_width(std::string_view text) {
  double width = 0;
  while (!text.empty()) {
    const Character c = decode(text);
    width += character_width(c.code);
    text.remove_prefix(c.length);
  }
  return width;
}

std::string fit_text(std::string_view text, double font_size, double width) {
  if (text_width(text) * font_size <= width) return std::string(text);
  double used = text_width(kEllipsis) * font_size;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = decode(text.substr(end));
    used += character_width(c.code) * font_size;
    if (used > width) break;
    end += c.length;
  }
  return std::string(text.substr(0, end)) + std::string(kEllipsis);
}

void PathData::move_to(double x, double y) { data_ += "M" + fixed(x) + " " + fixed(y); }

void PathData::line_to(double x, double y) { data_ += "L" + fixed(x) + " " + fixed(y); }

void PathData::dot(double x, double y) {
  move_to(x, y);
  data_ += "h0";
}

void PathData::close() { data_ += "Z"; }

SvgWriter::SvgWriter(std::string id, double width, double height, std::string_view title,
                     std::string_view description)
    : id_(std::move(id)) {
  head_ = "<svg xmlns=\"http://www.w3.org/2000/svg\"" + attribute("id", escape_markup(id_)) +
          attribute("viewBox", "0 0 " + fixed(width) + " " + fixed(height)) +
          attribute("width", width) + attribute("height", height) + attribute("role", "img") +
          attribute("aria-labelledby", escape_markup(id_ + "-title " + id_ + "-desc")) +
          attribute("font-family", "Helvetica, Arial, 'DejaVu Sans', sans-serif") + ">\n";
  head_ += "<title" + attribute("id", escape_markup(id_ + "-title")) + ">" + escape_markup(title) +
           "</title>\n<desc" + attribute("id", escape_markup(id_ + "-desc")) + ">" +
           escape_markup(description) + "</desc>\n";
  rect({0, 0, width, height}, {.fill = palette::kPaper});
}

void SvgWriter::line(double x1, double y1, double x2, double y2, const Paint& paint) {
  body_ += "<line" + attribute("x1", x1) + attribute("y1", y1) + attribute("x2", x2) +
           attribute("y2", y2) + paint_attributes(paint) + "/>\n";
}

void SvgWriter::rect(const Rect& area, const Paint& paint) {
  body_ += "<rect" + box_attributes(area) + paint_attributes(paint) + "/>\n";
}

void SvgWriter::circle(double x, double y, double radius, const Paint& paint) {
  body_ += "<circle" + attribute("cx", x) + attribute("cy", y) + attribute("r", fixed(radius, 2)) +
           paint_attributes(paint) + "/>\n";
}

void SvgWriter::path(const PathData& data, const Paint& paint) {
  if (data.empty()) return;
  body_ += "<path" + attribute("d", data.str()) + paint_attributes(paint) + "/>\n";
}

void SvgWriter::text(double x, double y, const TextStyle& style, std::string_view text,
                     std::string_view superscript) {
  if (text.empty()) return;
  body_ += "<text" + attribute("x", x) + attribute("y", y) + attribute("font-size", style.size) +
           attribute("fill", escape_markup(style.fill));
  if (style.anchor != "start") body_ += attribute("text-anchor", escape_markup(style.anchor));
  if (style.bold) body_ += attribute("font-weight", "bold");
  if (style.rotate != 0) {
    body_ += attribute("transform",
                       "rotate(" + fixed(style.rotate) + " " + fixed(x) + " " + fixed(y) + ")");
  }
  body_ += ">" + escape_markup(text);
  if (!superscript.empty()) {
    body_ += "<tspan" + attribute("dy", -0.4 * style.size) +
             attribute("font-size", 0.75 * style.size) + ">" + escape_markup(superscript) +
             "</tspan>";
  }
  body_ += "</text>\n";
}

void SvgWriter::image(const Rect& area, std::string_view data_uri) {
  body_ += "<image" + box_attributes(area) + attribute("preserveAspectRatio", "none") +
           attribute("href", escape_markup(data_uri)) + "/>\n";
}

void SvgWriter::gradient(const Rect& area, const std::vector<std::string>& colours) {
  const std::string id = new_id();
  body_ +=
      "<defs><linearGradient" + attribute("id", id) + " x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">\n";
  for (std::size_t i = 0; i < colours.size(); ++i) {
    const double offset =
        colours.size() < 2 ? 0 : static_cast<double>(i) / static_cast<double>(colours.size() - 1);
    body_ += "<stop" + attribute("offset", fixed(offset, 4)) +
             attribute("stop-color", escape_markup(colours[i])) + "/>";
  }
  body_ += "</linearGradient></defs>\n";
  rect(area, {.fill = "url(#" + id + ")"});
}

void SvgWriter::begin_clip(const Rect& area, bool ellipse) {
  const std::string id = new_id();
  body_ += "<defs><clipPath" + attribute("id", id) + ">";
  if (ellipse) {
    body_ += "<ellipse" + attribute("cx", area.x + area.width / 2) +
             attribute("cy", area.y + area.height / 2) + attribute("rx", area.width / 2) +
             attribute("ry", area.height / 2) + "/>";
  } else {
    body_ += "<rect" + box_attributes(area) + "/>";
  }
  body_ += "</clipPath></defs>\n<g" + attribute("clip-path", "url(#" + id + ")") + ">\n";
}

void SvgWriter::end_clip() { body_ += "</g>\n"; }

std::string SvgWriter::new_id() { return escape_markup(id_) + "-" + std::to_string(++num_ids_); }

std::string SvgWriter::finish() const { return head_ + body_ + "</svg>\n"; }

}  // namespace duets::report
