#include "duets/cli/extensions.h"

#include <algorithm>
#include <set>

#include "duets/base/error.h"

namespace duets::cli {
namespace {

// Names become parts of file names and of comma-separated lists on the command line.
bool is_fit_extension_name(const std::string& name) {
  return !name.empty() && name.size() <= 60 && name.front() != '-' &&
         std::all_of(name.begin(), name.end(), [](char c) {
           return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-';
         });
}

void take_name(std::set<std::string>& taken, const std::string& field, const std::string& name) {
  base::require(is_fit_extension_name(name), field, name,
                "must be 1 to 60 lower-case letters, digits and hyphens");
  base::require(taken.insert(name).second, field, name, "is already used");
}

}  // namespace

void validate(const Extensions& extensions) {
  std::set<std::string> keys, names;
  for (const lab::Algorithm& known : lab::builtin_algorithms()) keys.insert(known.key);
  for (const problems::ProblemInfo& known : problems::problem_list()) names.emplace(known.name);
  for (const lab::Algorithm& own : extensions.algorithms) {
    take_name(keys, "algorithm.key", own.key);
    base::require(!own.name.empty(), "algorithm.name", "\"\"", "must be a name for people");
    base::require(static_cast<bool>(own.make), "algorithm.make", "(empty)",
                  "must create a policy for " + own.key);
  }
  for (const OwnFunction& own : extensions.functions) {
    take_name(names, "function.name", own.name);
    base::require(static_cast<bool>(own.make), "function.make", "(empty)",
                  "must create the function " + own.name);
  }
}

std::vector<lab::Algorithm> all_algorithms(const Extensions& extensions) {
  std::vector<lab::Algorithm> all = lab::builtin_algorithms();
  all.insert(all.end(), extensions.algorithms.begin(), extensions.algorithms.end());
  return all;
}

}  // namespace duets::cli
