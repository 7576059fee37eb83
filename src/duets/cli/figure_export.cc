#include "duets/cli/figure_export.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <string>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"

extern char** environ;  // NOLINT: POSIX declares it nowhere

namespace duets::cli {
namespace {

namespace fs = std::filesystem;

struct Target {
  const char* suffix;
  std::string_view signature;  // the first bytes of every file of this kind
  std::vector<std::string> arguments;
};

const std::array<Target, 2>& targets() {
  static const std::array<Target, 2> kTargets{
      {{".png", "\x89PNG\r\n\x1a\n", {"--format", "png", "--zoom", "2"}},
       {".pdf", "%PDF-", {"--format", "pdf"}}}};
  return kTargets;
}

[[noreturn]] void fail(const fs::path& target, const std::string& why) {
  throw base::Error(base::ErrorKind::kIo,
                    fmt::format("cannot create {}: {}", target.string(), why));
}

// The caller's environment, with a date of 0 for the PDF, which would otherwise have the current
// one.
std::vector<std::string> child_environment() {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (std::strncmp(*entry, "SOURCE_DATE_EPOCH=", 18) != 0) variables.emplace_back(*entry);
  }
  variables.emplace_back("SOURCE_DATE_EPOCH=0");
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> out;
  out.reserve(words.size() + 1);
  for (std::string& word : words) out.push_back(word.data());
  out.push_back(nullptr);
  return out;
}

struct Outcome {
  int status = -1;
  std::string said;  // its standard error
};

std::string read_all(int descriptor) {
  std::string text;
  std::array<char, 4096> buffer{};
  while (true) {
    const ssize_t count = read(descriptor, buffer.data(), buffer.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return text;
    text.append(buffer.data(), static_cast<std::size_t>(count));
  }
}

// Runs a program without a shell; captures its standard error, discards its standard output.
Outcome run_program(std::vector<std::string> words) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) return {-1, std::strerror(errno)};
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  std::vector<std::string> variables = child_environment();
  pid_t child = 0;
  const int error = posix_spawn(&child, words.front().c_str(), &actions, nullptr,
                                pointers(words).data(), pointers(variables).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  Outcome outcome;
  if (error != 0) {
    outcome.said = std::strerror(error);
  } else {
    outcome.said = read_all(ends[0]);
    while (waitpid(child, &outcome.status, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return outcome;
}

bool begins_with(const fs::path& path, std::string_view signature) {
  std::ifstream in(path, std::ios::binary);
  std::string head(signature.size(), '\0');
  in.read(head.data(), static_cast<std::streamsize>(head.size()));
  return in && head == signature;
}

void convert(const fs::path& converter, const fs::path& svg, const Target& target) {
  fs::path output = svg;
  output.replace_extension(target.suffix);
  const fs::path temporary = output.string() + ".tmp";
  std::vector<std::string> words{converter.string()};
  words.insert(words.end(), target.arguments.begin(), target.arguments.end());
  words.insert(words.end(), {"--output", temporary.string(), svg.string()});
  const Outcome outcome = run_program(std::move(words));
  std::error_code ignored;
  if (outcome.status != 0) {
    fs::remove(temporary, ignored);
    fail(output, fmt::format("{} failed: {}", converter.string(), outcome.said));
  }
  if (!begins_with(temporary, target.signature)) {
    fs::remove(temporary, ignored);
    fail(output, fmt::format("{} wrote another kind of file", converter.string()));
  }
  std::error_code error;
  fs::rename(temporary, output, error);
  if (error) fail_io("cannot write", output, error);
}

}  // namespace

std::optional<fs::path> find_converter() {
  const char* search = std::getenv("PATH");
  std::string_view rest = search == nullptr ? std::string_view("/usr/bin") : search;
  while (true) {
    const std::size_t colon = rest.find(':');
    const fs::path candidate = fs::path(rest.substr(0, colon)) / "rsvg-convert";
    std::error_code ignored;
    if (fs::is_regular_file(candidate, ignored) && access(candidate.c_str(), X_OK) == 0) {
      return candidate;
    }
    if (colon == std::string_view::npos) return std::nullopt;
    rest.remove_prefix(colon + 1);
  }
}

std::string_view converter_advice() {
  return "PNG and PDF were not created: rsvg-convert is not installed (Debian: apt-get install "
         "librsvg2-bin fonts-dejavu-core); after installing it, the same command with --resume "
         "adds them";
}

void export_figures(const fs::path& converter, const std::vector<fs::path>& svg_files,
                    const base::Executor& executor) {
  const std::size_t kinds = targets().size();
  executor.parallel_for(svg_files.size() * kinds, [&](std::size_t i) {
    convert(converter, svg_files[i / kinds], targets()[i % kinds]);
  });
}

void remove_exports(const std::vector<fs::path>& svg_files) {
  for (fs::path file : svg_files) {
    for (const Target& target : targets()) {
      std::error_code ignored;
      fs::remove(file.replace_extension(target.suffix), ignored);
    }
  }
}

}  // namespace duets::cli
