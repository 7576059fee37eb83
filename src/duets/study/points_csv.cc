#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <fstream>
#include <system_error>

#include "duets/study/section.h"
#include "duets/study/study_file.h"

namespace duets::study {
namespace {

std::string_view trim(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Cuts the part before the separator off the text; `more` tells whether a separator was there.
std::string_view take(std::string_view& text, char separator, bool& more) {
  const std::size_t end = text.find(separator);
  more = end != std::string_view::npos;
  const std::string_view part = text.substr(0, end);
  text.remove_prefix(more ? end + 1 : text.size());
  return part;
}

std::optional<double> parse_number(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

class PointsReader {
 public:
  PointsReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  numeric::Points read() {
    if (text_.starts_with("\xEF\xBB\xBF")) text_.remove_prefix(3);
    while (!text_.empty()) {
      bool more = false;
      const std::string_view line = trim(take(text_, '\n', more));
      ++position_.line;
      if (!line.empty() && !line.starts_with('#')) read_row(line);
    }
    if (columns_ == 0) {
      throw LocatedError(file_, {}, "points = (none): a finite set needs at least one point");
    }
    return Eigen::Map<const numeric::Points>(numbers_.data(),
                                             static_cast<Eigen::Index>(numbers_.size() / columns_),
                                             static_cast<Eigen::Index>(columns_));
  }

 private:
  void read_row(std::string_view line) {
    if (columns_ == 0 && !names_seen_ && is_names(line)) {
      names_seen_ = true;
      return;
    }
    std::size_t column = 0;
    for (bool more = true; more;) {
      const std::string_view cell = trim(take(line, ',', more));
      add(cell, ++column);
    }
    if (columns_ == 0) columns_ = column;
    if (column != columns_) {
      fail(1, "columns", fmt::format("{}", column),
           fmt::format("must be {}, as in the rows before", columns_));
    }
  }

  // A first line without any number is a line of names.
  static bool is_names(std::string_view line) {
    for (bool more = true; more;) {
      if (parse_number(trim(take(line, ',', more)))) return false;
    }
    return true;
  }

  void add(std::string_view cell, std::size_t column) {
    const std::optional<double> value = parse_number(cell);
    if (!value || !std::isfinite(*value) || std::abs(*value) > kLargest) {
      fail(column, fmt::format("column {}", column), '"' + show_name(cell) + '"',
           "must be a finite number (at most 1e100 in size)");
    }
    if (column > domain::kMaxDimension) {
      fail(column, "columns", fmt::format("{}", column),
           fmt::format("must be at most {}", domain::kMaxDimension));
    }
    if (numbers_.size() >= kMaxGivenNumbers) {
      fail(column, "numbers", fmt::format("{}", numbers_.size() + 1),
           fmt::format("must be at most {}", kMaxGivenNumbers));
    }
    numbers_.push_back(*value);
  }

  [[noreturn]] void fail(std::size_t column, const std::string& field, const std::string& value,
                         const std::string& constraint) const {
    throw LocatedError(file_, {position_.line, static_cast<std::uint32_t>(column)},
                       field + " = " + value + ": " + constraint);
  }

  std::string_view text_;
  const std::string& file_;
  Position position_{0, 0};
  bool names_seen_ = false;
  std::size_t columns_ = 0;
  std::vector<double> numbers_;
};

}  // namespace

numeric::Points parse_csv(std::string_view text, const std::string& file) {
  return PointsReader(text, file).read();
}

std::string read_file(const std::filesystem::path& path, std::size_t max_bytes,
                      const std::string& field) {
  const std::string shown = '"' + show_name(path.string()) + '"';
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  base::require(std::filesystem::exists(status), field, shown, "no such file");
  base::require(std::filesystem::is_regular_file(status), field, shown, "is not a regular file");
  std::ifstream in(path, std::ios::binary);
  base::require(in.is_open(), field, shown, "cannot be opened for reading");
  std::string text;
  std::array<char, 1 << 16> chunk{};
  while (in && text.size() <= max_bytes) {
    in.read(chunk.data(), chunk.size());
    text.append(chunk.data(), static_cast<std::size_t>(in.gcount()));
  }
  base::require(!in.bad(), field, shown, "cannot be read");
  base::require(text.size() <= max_bytes, field, shown,
                fmt::format("must be at most {} bytes long", max_bytes));
  return text;
}

}  // namespace duets::study
