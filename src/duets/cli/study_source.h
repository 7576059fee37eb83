// Opens the source of studies: a running coordinator, or its storage directory.
#pragma once

#include <memory>
#include <string>

#include "duets/cli/peer.h"
#include "duets/service/operators.h"

namespace duets::cli {

using StudyExport = service::ExportedStudy;

struct SourceFlags {
  PeerFlags peer;
  std::string storage;
};

/// At peer.server or in `storage`; kInvalid unless exactly one is given.
std::unique_ptr<service::Operators> open_source(const SourceFlags& flags, service::Log log);

}  // namespace duets::cli
