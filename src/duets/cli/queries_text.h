// The size of a study, for people.
#pragma once

#include <cstdint>
#include <string>

namespace duets::cli {

/// "10 agents x 50 = 500" beside the word "queries"; in a sentence "10 agents x 50 queries = 500".
std::string queries_text(std::uint32_t agents, std::uint32_t horizon, bool in_sentence = false);

}  // namespace duets::cli
