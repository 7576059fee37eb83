// make_seeds DIRECTORY: writes the seeds of the byte formats, corpus/fuzz_message and
// corpus/fuzz_record, from runs of the tiny studies. To be run again when a format changes.
#include <fmt/format.h>

#include <filesystem>
#include <fstream>

#include "tiny_study.h"

namespace {

void write(const std::filesystem::path& path, const duets::base::Bytes& bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out.write(reinterpret_cast<const char*>(bytes.data()),
            static_cast<std::streamsize>(bytes.size()));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    fmt::print(stderr, "usage: make_seeds DIRECTORY\n");
    return 2;
  }
  const std::filesystem::path directory = argv[1];
  for (const bool finite : {false, true}) {
    const auto transcript = duets::fuzz::run_tiny(duets::fuzz::tiny_study(finite));
    const char* study = finite ? "finite" : "box";
    int number = 0;
    for (const auto& message : transcript.messages) {
      write(directory / "fuzz_message" / fmt::format("{}-{:02}", study, number++),
            duets::protocol::encode(message));
    }
    number = 0;
    for (const auto& record : transcript.records) {
      write(directory / "fuzz_record" / fmt::format("{}-{:02}", study, number++),
            duets::protocol::encode_record(record));
    }
  }
}
