// Creates PNG and PDF from the program's own SVG with rsvg-convert (Debian: librsvg2-bin). Only
// this file uses it; docs/decisions/0015-rsvg-convert.md has the reasons.
#pragma once

#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "duets/base/executor.h"

namespace duets::cli {

/// The path of rsvg-convert in the search path, or nothing.
std::optional<std::filesystem::path> find_converter();

/// The message when it is not installed.
std::string_view converter_advice();

/// Creates "<name>.png" (two pixels for one of the SVG) and "<name>.pdf" next to each "<name>.svg".
/// Same SVG, same fonts, same bytes. Throws kIo, with the file and the converter's error, when it
/// fails or writes anything but a PNG or PDF; a file with the final name is complete.
void export_figures(const std::filesystem::path& converter,
                    const std::vector<std::filesystem::path>& svg_files,
                    const base::Executor& executor);

/// Removes the PNG and PDF files next to the SVG files, if there are any.
void remove_exports(const std::vector<std::filesystem::path>& svg_files);

}  // namespace duets::cli
