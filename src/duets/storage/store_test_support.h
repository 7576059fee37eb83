// Support that the tests of this module share.
#pragma once

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "duets/storage/store.h"

namespace duets::storage {

using Path = std::filesystem::path;
using Entries = std::vector<base::Bytes>;

/// A directory that is removed after the test.
class TemporaryDirectory {
 public:
  TemporaryDirectory() {
    std::string name = testing::TempDir() + "duets_storage_XXXXXX";
    if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary directory");
    path_ = name;
  }
  ~TemporaryDirectory() { std::filesystem::remove_all(path_); }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  Path operator/(const char* name) const { return path_ / name; }

 private:
  Path path_;
};

inline base::Bytes bytes_of(std::string_view text) { return {text.begin(), text.end()}; }

inline std::string read_file(const Path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_file(const Path& path, std::string_view text) {
  std::ofstream(path, std::ios::binary).write(text.data(), static_cast<long>(text.size()));
}

struct Failure {
  StorageError::Cause cause;
  std::string text;
};

/// The StorageError that the action throws, if any.
inline std::optional<Failure> failure_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const StorageError& error) {
    EXPECT_EQ(error.kind(), base::ErrorKind::kStorage);
    return Failure{error.cause(), error.what()};
  }
  return std::nullopt;
}

inline std::optional<Failure> failure_of_opening(const Path& file, Access access) {
  return failure_of([&] { const auto store = open_store(file, access); });
}

/// The kind of the base::Error that the action throws, if any.
inline std::optional<base::ErrorKind> kind_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.kind();
  }
  return std::nullopt;
}

/// A journal with everything in it.
struct Content {
  std::string name;
  std::vector<base::Bytes> entries;
  std::vector<std::optional<base::Bytes>> facts;
  friend bool operator==(const Content&, const Content&) = default;
};

inline std::vector<Content> content_of(const Store& store, const std::vector<std::string>& keys) {
  std::vector<Content> all;
  for (const std::string& name : store.names()) {
    Content content{name, store.entries(name), {}};
    for (const std::string& key : keys) content.facts.push_back(store.fact(name, key));
    all.push_back(content);
  }
  return all;
}

}  // namespace duets::storage
