// Why nobody can listen on an address, in words: gRPC only says that it cannot.
#pragma once

#include <string>

namespace duets::cli {

/// Binds a socket to "HOST:PORT" and lets it go again. kInvalid when it is no address at all,
/// kConnection with the reason when this machine cannot listen there. Somebody may still take the
/// port before the server does.
void require_listenable(const std::string& listen);

}  // namespace duets::cli
