#include "duets/cli/figure_export.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <string>

#include "duets/base/error.h"
#include "duets/cli/file_io.h"
#include "duets/service/program_process.h"

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

struct Outcome {
  int status = -1;
  std::string said;  // its standard output and error
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

// Runs a program without a shell and without input, to its end.
Outcome run_program(const service::ProgramCall& call) {
  service::Pipe input = service::make_pipe();
  service::Pipe output = service::make_pipe();
  input.write.close();
  const service::ProgramStart started =
      service::start_program(call, {input.read.get(), output.write.get(), output.write.get()});
  if (started.error != 0) return {-1, std::strerror(started.error)};
  output.write.close();
  Outcome outcome{-1, read_all(output.read.get())};
  while (waitpid(started.pid, &outcome.status, 0) < 0 && errno == EINTR) {
  }
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
  service::ProgramCall call;
  call.file = converter.string();
  call.arguments = {call.file};
  call.arguments.insert(call.arguments.end(), target.arguments.begin(), target.arguments.end());
  call.arguments.insert(call.arguments.end(), {"--output", temporary.string(), svg.string()});
  call.environment = {"SOURCE_DATE_EPOCH=0"};  // or the PDF would have the current date
  const Outcome outcome = run_program(call);
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

std::optional<fs::path> find_converter() { return service::find_executable("rsvg-convert"); }

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
