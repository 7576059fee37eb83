// The protocol's messages in gRPC's: the bytes of protocol::encode().
//
// Everything that arrives is checked here first: counts against the study's limits before anything
// of that size is allocated, enumerations, lists that must increase, NaN and infinity, the form of
// numbers. Errors are kInvalid and name the agent and the epoch where there are any.
#pragma once

#include <memory>
#include <string>

#include "duets/protocol/messages.h"
#include "duets/protocol/report.h"
#include "duets/service/definition.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The version of proto/duets/v1 that both sides must use.
inline constexpr std::uint32_t kProtocolVersion = 4;
/// The largest message that either side accepts, in bytes.
inline constexpr int kMaxMessageBytes = 64 << 20;

v1::Digest to_wire(const base::Digest& digest);
base::Digest from_wire(const v1::Digest& digest);

v1::Definition to_wire(const Definition& definition);
/// Valid, or kInvalid.
Definition from_wire(const v1::Definition& definition);

v1::Message to_wire(const protocol::Message& message);
/// kInvalid for a message that no correct peer sends in this study.
protocol::Message from_wire(const v1::Message& message, const protocol::Study& study);

/// The digest of a list of broadcasts after one more, starting from 0: agent and coordinator
/// compare their histories by it.
std::uint64_t chain_broadcast(std::uint64_t before, const protocol::Message& broadcast);

}  // namespace duets::service
