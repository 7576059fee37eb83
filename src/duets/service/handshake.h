// Checks that both sides use the same protocol, compute the same bits, and mean the same study.
#pragma once

#include <optional>
#include <string>

#include "duets/base/digest.h"
#include "duets/service/definition.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The self-test that a start of an agent is asked for: another one each time, because `start` is
/// random (its first 8 bytes, little-endian, are the seed; missing ones are 0).
base::Digest fingerprint_of_start(const std::string& start);

/// The coordinator's side: the reason why the two cannot work together, naming both values; nothing
/// when they can. Of the self-test only the agent's, so that nobody copies it. To be answered with
/// FAILED_PRECONDITION.
std::optional<std::string> handshake_objection(const v1::JoinRequest& request,
                                               const base::Digest& study_digest);

/// The epochs of a study, so that an agent need not plan them itself.
v1::Epochs epochs_of(const protocol::Study& study);

/// The agent's side: the valid definition of the reply. Throws kDiverged, naming both digests, when
/// its computed digest differs from the coordinator's, kInvalid for a bad definition, kProtocol for
/// anything else that no coordinator sends (an agent that the study does not have, a coin that is
/// not 32 bytes).
Definition check_join_reply(const v1::JoinReply& reply);

}  // namespace duets::service
