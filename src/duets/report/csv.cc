#include "duets/report/csv.h"

#include <fmt/format.h>

#include "duets/base/error.h"

namespace duets::report {
namespace {

class CsvReader {
 public:
  CsvReader(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  std::vector<CsvRow> read() {
    constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
    if (text_.starts_with(kByteOrderMark)) at_ = kByteOrderMark.size();
    std::vector<CsvRow> rows;
    while (at_ < text_.size()) {
      CsvRow row = read_row();
      const bool blank = row.fields.size() == 1 && row.fields.front().empty();
      if (!blank) rows.push_back(std::move(row));
    }
    return rows;
  }

 private:
  [[noreturn]] void fail(std::size_t line, const char* what) const {
    throw base::Error(base::ErrorKind::kInvalid, fmt::format("{}:{}: {}", file_, line, what));
  }

  bool at_end_of_line() const {
    return at_ >= text_.size() || text_[at_] == '\n' || text_[at_] == '\r';
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  CsvRow read_row() {
    CsvRow row{line_, {}};
    while (true) {
      row.fields.push_back(read_field());
      if (at_end_of_line()) break;
      ++at_;  // the comma
    }
    if (at_ < text_.size() && text_[at_] == '\r') ++at_;
    if (at_ < text_.size() && text_[at_] == '\n') ++at_;
    ++line_;
    return row;
  }

  std::string read_field() {
    skip_blanks();
    if (at_ < text_.size() && text_[at_] == '"') return read_quoted();
    const std::size_t begin = at_;
    while (!at_end_of_line() && text_[at_] != ',') {
      if (text_[at_] == '"') fail(line_, "a quote inside a field; quote the whole field");
      ++at_;
    }
    std::string_view field = text_.substr(begin, at_ - begin);
    field = field.substr(0, field.find_last_not_of(" \t") + 1);
    return std::string(field);
  }

  std::string read_quoted() {
    const std::size_t first_line = line_;
    std::string field;
    for (++at_; at_ < text_.size(); ++at_) {
      if (text_[at_] == '"') {
        if (at_ + 1 >= text_.size() || text_[at_ + 1] != '"') break;
        ++at_;
      }
      if (text_[at_] == '\n') ++line_;
      field += text_[at_];
    }
    if (at_ >= text_.size()) fail(first_line, "a quote is opened and not closed");
    ++at_;
    skip_blanks();
    if (!at_end_of_line() && text_[at_] != ',') fail(line_, "text after a closing quote");
    return field;
  }

  std::string_view text_;
  const std::string& file_;
  std::size_t at_ = 0;
  std::size_t line_ = 1;
};

}  // namespace

std::vector<CsvRow> read_csv(std::string_view text, const std::string& file) {
  return CsvReader(text, file).read();
}

std::string csv_field(std::string_view text) {
  constexpr std::string_view kBlanks = " \t";
  const bool blank_ends = !text.empty() && (kBlanks.find(text.front()) != std::string_view::npos ||
                                            kBlanks.find(text.back()) != std::string_view::npos);
  if (!blank_ends && text.find_first_of(",\"\r\n") == std::string_view::npos) {
    return std::string(text);
  }
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"') out += c;
    out += c;
  }
  return out + "\"";
}

}  // namespace duets::report
