// Any bytes as a store: opening and reading end with StorageError, or give what the checksums bear
// out; the file stays as it is.
#include <stdlib.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "duets/storage/store.h"

namespace {

// A directory of its own, in memory where there is such a place.
class Directory {
 public:
  Directory() {
    std::string name = std::filesystem::exists("/dev/shm") ? "/dev/shm" : "/tmp";
    name += "/duets_fuzz_store_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~Directory() { std::filesystem::remove_all(path_); }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

std::string read(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace duets;
  const Directory directory;
  const std::filesystem::path file = directory.path() / "duets.db";
  const std::string bytes(data, data + size);
  std::ofstream(file, std::ios::binary) << bytes;
  try {
    const auto store = storage::open_store(file, storage::Access::kRead);
    for (const std::string& name : store->names()) {
      if (store->entries(name).size() != store->size(name)) std::abort();
      store->fact(name, "definition");
    }
  } catch (const storage::StorageError&) {
  }
  if (read(file) != bytes) std::abort();
  return 0;
}
