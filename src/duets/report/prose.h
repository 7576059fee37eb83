// Prose that is kept in Markdown files, which the build compiles into their module.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/report/report.h"

namespace duets::report {

/// The markup that replaces each {name}.
using Blanks = std::vector<std::pair<std::string_view, Markup>>;

/// Sections of a text, each "# key" and the lines below it, up to the next key or a line "#". Text
/// outside sections is for the editors of the file. Blank lines separate paragraphs and lists
/// ("- item"). Lines may be broken anywhere. The only markup is `**strong**`, `` `code` `` and
/// {blank}; everything else is text.
class Prose {
 public:
  explicit Prose(std::string_view markdown);

  /// The paragraphs and lists of a section. kInvalid when there is no such section, or it has a
  /// blank that is not given.
  Blocks blocks(std::string_view key, const Blanks& blanks = {}) const;
  /// A section of one paragraph.
  Markup line(std::string_view key, const Blanks& blanks = {}) const;

 private:
  const std::string& section(std::string_view key) const;
  std::map<std::string, std::string, std::less<>> sections_;
};

/// Appends `more` to `blocks`.
void append(Blocks& blocks, Blocks more);

}  // namespace duets::report
