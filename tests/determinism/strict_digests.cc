// Prints the digests of everything strict but whole runs; small, so that it can be built often.
#include <fmt/format.h>

#include "lines.h"

int main() {
  for (const auto& [name, digest] : duets::determinism::strict_lines()) {
    fmt::print("{} {}\n", name, digest);
  }
}
