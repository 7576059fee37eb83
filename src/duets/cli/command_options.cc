#include "duets/cli/command_options.h"

#include <filesystem>
#include <map>

namespace duets::cli {

void add_format(CLI::App& command, Format& format) {
  static const std::map<std::string, Format> kFormats{
      {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  command
      .add_option_function<std::string>(
          "--format",
          [&format](const std::string& word) {
            const auto found = kFormats.find(word);
            if (found == kFormats.end()) {
              throw CLI::ValidationError("--format",
                                         "\"" + word + "\" must be one of table, json, csv");
            }
            format = found->second;
          },
          "table, json or csv (default table)")
      ->option_text("FORMAT");
}

void add_quiet(CLI::App& command, Verbosity& verbosity) {
  command.add_flag_callback(
      "-q,--quiet", [&verbosity] { verbosity = Verbosity::kQuiet; }, "Only data and errors");
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& text, const std::string& shown) {
  return command.add_option(name, value, text)
      ->check([](const std::string& word) {
        return word.empty() ? std::string("must not be empty") : std::string();
      })
      ->option_text(shown);
}

CLI::Option* add_directory(CLI::App& command, const std::string& name, std::string& value,
                           const std::string& text) {
  return add_text(command, name, value, text, "DIR")->check([](const std::string& word) {
    const auto status = std::filesystem::status(word);
    const bool fits = !std::filesystem::exists(status) || std::filesystem::is_directory(status);
    return fits ? std::string() : word + " is not a directory";
  });
}

}  // namespace duets::cli
