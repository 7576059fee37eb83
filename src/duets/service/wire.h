// Between the protocol's structs and the bytes on the wire: the one place that knows both.
//
// Everything that arrives is checked here before it goes further: counts against what the study
// allows before anything of that size is allocated, enumerations, lists that must increase, NaN and
// infinity. Errors are kInvalid and name the agent and the epoch where there are any.
#pragma once

#include <memory>
#include <string>

#include "duets/protocol/messages.h"
#include "duets/protocol/report.h"
#include "duets/service/definition.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {

/// The version of proto/duets/v1 that both sides must speak.
inline constexpr std::uint32_t kProtocolVersion = 3;
/// The largest message either side takes, in bytes.
inline constexpr int kMaxMessageBytes = 64 << 20;

v1::Digest to_wire(const base::Digest& digest);
base::Digest from_wire(const v1::Digest& digest);

v1::Definition to_wire(const Definition& definition);
/// Valid, or kInvalid.
Definition from_wire(const v1::Definition& definition);

/// The kernel of an inducing set travels only when it is not the study's.
v1::Message to_wire(const protocol::Message& message);
/// kInvalid for what no correct peer sends in this study.
protocol::Message from_wire(const v1::Message& message, const protocol::Study& study);

/// The digest of a list of broadcasts after one more: how agent and coordinator compare their
/// pasts. Starts from 0.
std::uint64_t chain_broadcast(std::uint64_t before, const protocol::Message& broadcast);

}  // namespace duets::service
