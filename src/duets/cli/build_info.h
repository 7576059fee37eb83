// Facts about this program and the machine it runs on.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace duets::cli {

std::string version();

/// version, compiler, instruction set, processor, numeric fingerprint, MPI library or "none".
std::vector<std::pair<std::string, std::string>> build_facts();

}  // namespace duets::cli
