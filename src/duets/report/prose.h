// Prose that is edited as prose: Markdown files of a module that the build compiles in.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "duets/report/report.h"

namespace duets::report {

/// What stands in place of {name}.
using Blanks = std::vector<std::pair<std::string_view, Markup>>;

/// Sections of a text, each "# key" and the lines below it, up to the next or to a line "#": what
/// is outside of sections is for who edits the text. Blank lines separate paragraphs and
/// lists ("- item"). Lines may be broken anywhere. `**strong**`, `` `code` `` and {blank} are all
/// the markup there is; everything else is text.
class Prose {
 public:
  explicit Prose(std::string_view markdown);

  /// The paragraphs and lists of a section. kInvalid when there is no such section, or a blank of
  /// it is not given.
  Blocks blocks(std::string_view key, const Blanks& blanks = {}) const;
  /// A section of one paragraph.
  Markup line(std::string_view key, const Blanks& blanks = {}) const;

 private:
  const std::string& section(std::string_view key) const;
  std::map<std::string, std::string, std::less<>> sections_;
};

/// Adds the blocks at the end.
void append(Blocks& blocks, Blocks more);

}  // namespace duets::report
