#include "command.h"

#include <sstream>
#include <stdexcept>

namespace duets::scenario {

Command::Command(const std::string& line) : line_(line) {
  std::istringstream in(line);
  in >> name_;
  for (std::string word; in >> word;) {
    const std::size_t equals = word.find('=');
    if (equals == std::string::npos) {
      arguments_[word] = "";
    } else {
      arguments_[word.substr(0, equals)] = word.substr(equals + 1);
    }
  }
}

const std::string* Command::find(const std::string& key) const {
  used_.insert(key);
  const auto found = arguments_.find(key);
  return found == arguments_.end() ? nullptr : &found->second;
}

std::string Command::text(const std::string& key, const std::string& fallback) const {
  const std::string* value = find(key);
  return value == nullptr ? fallback : *value;
}

double Command::number(const std::string& key, double fallback) const {
  const std::string* value = find(key);
  return value == nullptr ? fallback : std::stod(*value);
}

std::uint32_t Command::count(const std::string& key, std::uint32_t fallback) const {
  const std::string* value = find(key);
  return value == nullptr ? fallback : static_cast<std::uint32_t>(std::stoul(*value));
}

std::vector<std::uint32_t> Command::list(const std::string& key) const {
  std::vector<std::uint32_t> numbers;
  std::istringstream in(text(key, ""));
  for (std::string word; std::getline(in, word, ',');) {
    numbers.push_back(static_cast<std::uint32_t>(std::stoul(word)));
  }
  return numbers;
}

void Command::expect_all_used() const {
  for (const auto& [key, value] : arguments_) {
    if (!used_.contains(key)) throw std::runtime_error(line_ + ": what is " + key + "?");
  }
}

}  // namespace duets::scenario
