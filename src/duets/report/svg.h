// Writes SVG: elements, escaping, and numbers with a fixed number of decimals, so that the same
// picture is always the same bytes.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "duets/report/palette.h"

namespace duets::report {

/// Text made safe for XML and HTML, in element content and in quoted attributes: & < > " ' become
/// entities; control characters and bytes that are not UTF-8 become U+FFFD. O(n).
std::string escape_markup(std::string_view text);

/// `value` in plain decimal notation, rounded to `decimals` (0 .. 17), without trailing zeros and
/// without "-0". Throws kInvalid when the value is not finite.
std::string fixed(double value, int decimals = 1);

/// Width of `text` in multiples of the font size: an estimate on the wide side for the common
/// sans-serif faces, since the program measures no fonts.
double text_width(std::string_view text);

/// `text`, or its beginning and an ellipsis, so that text_width times `font_size` is at most
/// `width`. Cuts between characters, never inside one.
std::string fit_text(std::string_view text, double font_size, double width);

/// A rectangle in pixels, y downwards.
struct Rect {
  double x = 0, y = 0, width = 0, height = 0;
  double right() const { return x + width; }
  double bottom() const { return y + height; }
};

/// How a shape is painted. Colours are CSS colours or "none".
struct Paint {
  std::string fill = "none";
  std::string stroke = "none";
  double width = 1;    ///< of the stroke, pixels
  std::string dash{};  ///< SVG dash array, empty for a solid line
  double opacity = 1;  ///< of the whole shape
  bool round_caps = false;
};

struct TextStyle {
  double size = 12;
  std::string anchor = "start";  ///< "start", "middle" or "end"
  bool bold = false;
  std::string fill = palette::kInk;
  double rotate = 0;  ///< degrees around the anchor point
};

/// The data of a path, in pixels with one decimal.
class PathData {
 public:
  void move_to(double x, double y);
  void line_to(double x, double y);
  /// A line of length zero: a dot when painted with round caps.
  void dot(double x, double y);
  void close();
  bool empty() const { return data_.empty(); }
  const std::string& str() const { return data_; }

 private:
  std::string data_;
};

/// Collects the elements of one drawing. Identifiers start with `id`, so that one HTML page can
/// hold several drawings; `id` must be a word of letters, digits and hyphens.
class SvgWriter {
 public:
  SvgWriter(std::string id, double width, double height, std::string_view title,
            std::string_view description);

  void line(double x1, double y1, double x2, double y2, const Paint& paint);
  void rect(const Rect& area, const Paint& paint);
  void circle(double x, double y, double radius, const Paint& paint);
  void path(const PathData& data, const Paint& paint);
  /// Nothing for an empty text. `superscript` follows it raised and smaller: powers of ten.
  void text(double x, double y, const TextStyle& style, std::string_view text,
            std::string_view superscript = {});
  /// A picture given as a data URI, stretched to the area.
  void image(const Rect& area, std::string_view data_uri);
  /// A rectangle filled with colours from bottom to top.
  void gradient(const Rect& area, const std::vector<std::string>& colours);

  /// Everything until end_clip shows only inside the area (its inscribed ellipse if `ellipse`).
  void begin_clip(const Rect& area, bool ellipse = false);
  void end_clip();

  /// The whole document: one svg element, no XML declaration, so that it can be put into HTML.
  std::string finish() const;

 private:
  std::string new_id();

  std::string id_;
  std::string body_;
  std::string head_;
  std::size_t num_ids_ = 0;
};

}  // namespace duets::report
