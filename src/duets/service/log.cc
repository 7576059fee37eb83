#include "duets/service/log.h"

#include <fmt/format.h>

namespace duets::service {

std::string log_text(const LogLine& line) {
  std::string text;
  if (!line.study.empty()) text += line.study + ": ";
  if (line.agent) text += fmt::format("agent {}: ", *line.agent);
  text += line.message;
  if (!line.peer.empty()) text += fmt::format(" (from {})", line.peer);
  return text;
}

}  // namespace duets::service
