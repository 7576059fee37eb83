#include "duets/cli/command_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>

namespace duets::cli {
namespace {

constexpr const char* kMustNotBeEmpty = "must not be empty";

}  // namespace

CLI::Validator one_of(const std::vector<std::string>& words) {
  return CLI::Validator(
      [words](std::string& word) {
        if (word.empty()) return std::string(kMustNotBeEmpty);
        if (std::find(words.begin(), words.end(), word) != words.end()) return std::string();
        return fmt::format("\"{}\" must be one of {}", word, fmt::join(words, ", "));
      },
      fmt::format("{{{}}}", fmt::join(words, ",")));
}

void add_format(CLI::App& command, Format& format) {
  add_format(command, format, {"table", "json", "csv"});
}

void add_format(CLI::App& command, Format& format, const std::vector<std::string>& words) {
  static const std::map<std::string, Format> kFormats{
      {"table", Format::kTable}, {"json", Format::kJson}, {"csv", Format::kCsv}};
  command
      .add_option_function<std::string>(
          "--format", [&format](const std::string& word) { format = kFormats.at(word); },
          fmt::format("{} or {} (default {})", fmt::join(words.begin(), words.end() - 1, ", "),
                      words.back(), words.front()))
      ->check(one_of(words))
      ->option_text("FORMAT");
}

void add_quiet(CLI::App& command, Verbosity& verbosity) {
  command.add_flag_callback(
      "-q,--quiet", [&verbosity] { verbosity = Verbosity::kQuiet; }, "Print only data and errors");
}

void add_verbose(CLI::App& command, Verbosity& verbosity) {
  command.add_flag_callback(
      "-v,--verbose", [&verbosity] { verbosity = Verbosity::kVerbose; },
      "Print more about every epoch");
}

CLI::Option* add_text(CLI::App& command, const std::string& name, std::string& value,
                      const std::string& text, const std::string& shown) {
  return command.add_option(name, value, text)
      ->check([](const std::string& word) {
        return word.empty() ? std::string(kMustNotBeEmpty) : std::string();
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
