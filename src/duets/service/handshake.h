// Do both sides speak the same protocol, compute the same bits, and mean the same study?
#pragma once

#include <optional>
#include <string>

#include "duets/base/digest.h"
#include "duets/service/definition.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The coordinator's side: why the two cannot work together, naming both values; nothing when they
/// can. `own_fingerprint` is region::numeric_fingerprint() here. To be answered with
/// FAILED_PRECONDITION.
std::optional<std::string> handshake_objection(const v1::JoinRequest& request,
                                               const base::Digest& own_fingerprint,
                                               const base::Digest& study_digest);

/// The agent's side: the definition of the reply, valid. Throws kDiverged, naming both digests,
/// when the digest computed from it is not the one the coordinator says, kInvalid for a bad
/// definition, kProtocol for anything else that no coordinator sends (an agent that the study does
/// not have, a coin that is not 32 bytes).
Definition check_join_reply(const v1::JoinReply& reply);

}  // namespace duets::service
