// Support for tests of user programs: small scripts in a separate directory.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "duets/service/program.h"

namespace duets::service {

inline std::string contents(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// False when the condition does not become true within a minute.
inline bool comes_true(const std::function<bool()>& condition) {
  for (int i = 0; i < 6000; ++i) {
    if (condition()) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

/// Dead, even if its exit code was not read yet.
inline bool is_gone(pid_t pid) {
  if (::kill(pid, 0) != 0) return true;
  const std::string stat = contents("/proc/" + std::to_string(pid) + "/stat");
  const std::size_t name_end = stat.rfind(')');
  return name_end == std::string::npos || stat.substr(name_end).starts_with(") Z");
}

class ProgramTest : public ::testing::Test {
 protected:
  ProgramTest() {
    std::string name = (std::filesystem::temp_directory_path() / "duets-program-XXXXXX").string();
    directory_ = ::mkdtemp(name.data());
  }
  ~ProgramTest() override { std::filesystem::remove_all(directory_); }

  std::filesystem::path file(const std::string& name) const { return directory_ / name; }
  bool has_text(const std::string& name) const { return contents(file(name)).ends_with("\n"); }
  pid_t number_in(const std::string& name) const { return std::stoi(contents(file(name))); }

  /// A shell script that runs in the test's directory: relative file names are there.
  std::string script(const std::string& body) { return write("#!/bin/sh", body); }

  std::string write(const std::string& first_line, const std::string& body) {
    const std::filesystem::path path = file("script" + std::to_string(++num_scripts_));
    std::ofstream(path) << first_line << "\n" << body << "\n";
    ::chmod(path.c_str(), 0755);
    return path.string();
  }

  ProgramOptions options(const std::string& program) const {
    ProgramOptions result;
    result.command = {program, directory_.string()};
    result.timeout_seconds = 60;
    result.dimension = 2;
    return result;
  }
  /// The directory is the script's first argument: it changes there first.
  ProgramOptions shell(const std::string& body) {
    return options(script("cd \"$1\" || exit 99\n" + body));
  }

  static Query query(std::uint32_t slot = 0) {
    Query result;
    result.agent = 3;
    result.epoch = 2;
    result.slot = slot;
    result.values = {0.25, static_cast<double>(slot)};
    return result;
  }
  static Answer ask(Program& program, std::uint32_t slot = 0) {
    const std::atomic<bool> abandon{false};
    return program.ask(query(slot), abandon);
  }
  static Answer ask_once(const ProgramOptions& options) {
    Program program(options);
    return ask(program);
  }
  /// Abandons the query as soon as the script has written the file.
  Answer ask_until(const std::string& name, const ProgramOptions& options) const {
    Program program(options);
    std::atomic<bool> abandon{false};
    std::thread impatient([&] {
      comes_true([&] { return has_text(name); });
      abandon = true;
    });
    const Answer answer = program.ask(query(), abandon);
    impatient.join();
    return answer;
  }

 private:
  std::filesystem::path directory_;
  int num_scripts_ = 0;
};

inline double value_of(const Answer& answer) {
  if (const auto* failure = std::get_if<Failure>(&answer)) {
    ADD_FAILURE() << failure->why << "\n" << failure->log_tail;
  }
  const auto* value = std::get_if<Value>(&answer);
  return value == nullptr ? -1e300 : value->value;
}

/// The reason of a failure, or a text that says that there was none.
inline std::string why(const Answer& answer) {
  const auto* failure = std::get_if<Failure>(&answer);
  return failure == nullptr ? "(no failure)" : failure->why;
}

}  // namespace duets::service
