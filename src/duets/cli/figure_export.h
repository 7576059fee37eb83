// PNG and PDF from the program's own SVG, by rsvg-convert (Debian: librsvg2-bin). The only file
// that knows it; docs/decisions/0015-rsvg-convert.md has the reasons.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "duets/base/executor.h"

namespace duets::cli {

/// Where the search path has rsvg-convert, or nothing.
std::optional<std::filesystem::path> find_converter();

/// What to say when it is not there.
std::string_view converter_advice();

/// Makes "<name>.png" (two pixels for one of the SVG) and "<name>.pdf" beside each "<name>.svg".
/// Same SVG, same fonts, same bytes. Throws kIo, naming the file and passing on what the converter
/// said, when it fails or leaves anything but a PNG or PDF; a file with the final name is whole.
void export_figures(const std::filesystem::path& converter,
                    const std::vector<std::filesystem::path>& svg_files,
                    const base::Executor& executor);

/// Removes the PNG and PDF files beside the SVG files, where there are any.
void remove_exports(const std::vector<std::filesystem::path>& svg_files);

}  // namespace duets::cli
