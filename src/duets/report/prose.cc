#include "duets/report/prose.h"

#include <algorithm>
#include <iterator>
#include <sstream>

#include "duets/base/error.h"

namespace duets::report {
namespace {

// Up to and without the mark, which is taken too.
std::string_view take_until(std::string_view& rest, std::string_view mark) {
  const std::size_t end = rest.find(mark);
  base::require(end != std::string_view::npos, "prose", std::string(rest.substr(0, 40)),
                "has a mark that is not closed");
  const std::string_view taken = rest.substr(0, end);
  rest.remove_prefix(end + mark.size());
  return taken;
}

Markup blank(std::string_view name, const Blanks& blanks) {
  const auto found = std::find_if(blanks.begin(), blanks.end(),
                                  [&](const auto& given) { return given.first == name; });
  base::require(found != blanks.end(), "prose", std::string(name), "is a blank without a value");
  return found->second;
}

Markup inline_markup(std::string_view rest, const Blanks& blanks) {
  Markup out;
  while (!rest.empty()) {
    if (rest.starts_with("**")) {
      rest.remove_prefix(2);
      out.html += strong(inline_markup(take_until(rest, "**"), blanks)).html;
    } else if (rest.starts_with('`')) {
      rest.remove_prefix(1);
      out.html += code(take_until(rest, "`")).html;
    } else if (rest.starts_with('{')) {
      rest.remove_prefix(1);
      out.html += blank(take_until(rest, "}"), blanks).html;
    } else {
      const std::size_t end = std::min(rest.find_first_of("*`{", 1), rest.size());
      out.html += text(rest.substr(0, end)).html;
      rest.remove_prefix(end);
    }
  }
  return out;
}

}  // namespace

Prose::Prose(std::string_view markdown) {
  std::istringstream in{std::string(markdown)};
  std::string* section = nullptr;
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("# ")) {
      section = &sections_[line.substr(2)];
      base::require(section->empty(), "prose", line, "is there twice");
    } else if (line == "#") {
      section = nullptr;
    } else if (section != nullptr) {
      *section += line + "\n";
    }
  }
}

const std::string& Prose::section(std::string_view key) const {
  const auto found = sections_.find(key);
  base::require(found != sections_.end(), "prose", std::string(key), "is no section");
  return found->second;
}

Blocks Prose::blocks(std::string_view key, const Blanks& blanks) const {
  Blocks out;
  std::string pending;
  bool is_item = false;
  bool in_list = false;  // the last block is a list that may go on
  const auto flush = [&] {
    if (pending.empty()) return;
    if (!is_item) {
      out.push_back(Paragraph{inline_markup(pending, blanks)});
    } else {
      if (!in_list) out.push_back(List{});
      std::get<List>(out.back()).items.push_back(inline_markup(pending, blanks));
    }
    in_list = is_item;
    pending.clear();
  };
  std::istringstream in(section(key));
  for (std::string line; std::getline(in, line);) {
    const bool item = line.starts_with("- ");
    if (line.empty() || item) flush();
    if (line.empty()) in_list = false;
    if (pending.empty()) is_item = item;
    const std::size_t first = item ? 2 : std::min(line.find_first_not_of(' '), line.size());
    if (!line.empty()) pending += (pending.empty() ? "" : " ") + line.substr(first);
  }
  flush();
  return out;
}

Markup Prose::line(std::string_view key, const Blanks& blanks) const {
  const Blocks all = blocks(key, blanks);
  base::require(all.size() == 1 && std::holds_alternative<Paragraph>(all.front()), "prose",
                std::string(key), "is not one paragraph");
  return std::get<Paragraph>(all.front()).content;
}

void append(Blocks& blocks, Blocks more) {
  std::move(more.begin(), more.end(), std::back_inserter(blocks));
}

}  // namespace duets::report
