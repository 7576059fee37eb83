// One line of a script: a name and key=value arguments.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace duets::scenario {

class Command {
 public:
  explicit Command(const std::string& line);

  const std::string& name() const { return name_; }
  bool has(const std::string& key) const { return arguments_.contains(key); }

  /// The argument, or the fallback when it was not given.
  std::string text(const std::string& key, const std::string& fallback) const;
  double number(const std::string& key, double fallback) const;
  std::uint32_t count(const std::string& key, std::uint32_t fallback) const;
  /// "1,2,3"; empty when not given.
  std::vector<std::uint32_t> list(const std::string& key) const;

  /// Throws std::runtime_error, naming it, when an argument was given that nobody asked for.
  void expect_all_used() const;

 private:
  const std::string* find(const std::string& key) const;

  std::string line_;
  std::string name_;
  std::map<std::string, std::string> arguments_;
  mutable std::set<std::string> used_;
};

}  // namespace duets::scenario
