#include "duets/service/lease_table.h"

#include <fmt/format.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <vector>

#include "duets/base/error.h"

namespace duets::service {
namespace {

/// Version 1 has no retired agents: its flags are 0 or kLeft.
constexpr std::uint8_t kVersion = 2;
constexpr std::uint8_t kLeft = 1;
constexpr std::uint8_t kRetired = 2;

std::span<const std::uint8_t> as_bytes(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string as_text(const base::Bytes& bytes) { return {bytes.begin(), bytes.end()}; }

// Every field of a beat that a status has under the same name.
v1::AgentStatus as_status(const v1::Progress& progress) {
  using google::protobuf::FieldDescriptor;
  v1::AgentStatus status;
  const google::protobuf::Reflection& from = *progress.GetReflection();
  const google::protobuf::Reflection& to = *status.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  from.ListFields(progress, &fields);
  for (const FieldDescriptor* field : fields) {
    const FieldDescriptor* same = status.GetDescriptor()->FindFieldByName(field->name());
    if (same == nullptr || same->cpp_type() != field->cpp_type()) continue;
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_UINT32:
        to.SetUInt32(&status, same, from.GetUInt32(progress, field));
        break;
      case FieldDescriptor::CPPTYPE_UINT64:
        to.SetUInt64(&status, same, from.GetUInt64(progress, field));
        break;
      case FieldDescriptor::CPPTYPE_DOUBLE:
        to.SetDouble(&status, same, from.GetDouble(progress, field));
        break;
      case FieldDescriptor::CPPTYPE_BOOL:
        to.SetBool(&status, same, from.GetBool(progress, field));
        break;
      case FieldDescriptor::CPPTYPE_STRING:
        to.SetString(&status, same, from.GetString(progress, field));
        break;
      default:
        throw base::Error(
            base::ErrorKind::kProtocol,
            fmt::format("a beat's {} has a type that no status shows", field->name()));
    }
  }
  return status;
}

std::string retired_text(std::uint32_t agent) {
  return fmt::format("agent {} was retired by an operator: the study continues without it", agent);
}

}  // namespace

LeaseTable::LeaseTable(std::uint32_t num_agents, double lease_seconds)
    : lease_seconds_(lease_seconds), leases_(num_agents) {}

bool LeaseTable::is_free(const Lease& lease, double now) const {
  if (lease.retired) return false;
  return lease.token == 0 || lease.left || !lease.heard || now - *lease.heard > lease_seconds_;
}

std::optional<std::uint32_t> LeaseTable::choose(const std::string& instance, double now) const {
  const auto index = [&](auto found) {
    return static_cast<std::uint32_t>(std::distance(leases_.begin(), found));
  };
  const auto own = std::find_if(leases_.begin(), leases_.end(), [&](const Lease& lease) {
    return lease.token > 0 && lease.holder.instance == instance;
  });
  if (own != leases_.end()) return index(own);
  const auto fresh = std::find_if(leases_.begin(), leases_.end(), [](const Lease& lease) {
    return lease.token == 0 && !lease.retired;
  });
  if (fresh != leases_.end()) return index(fresh);
  const auto free = std::find_if(leases_.begin(), leases_.end(),
                                 [&](const Lease& lease) { return is_free(lease, now); });
  if (free != leases_.end()) return index(free);
  return std::nullopt;
}

Grant LeaseTable::join(std::optional<std::uint32_t> agent, const Holder& holder, bool take_over,
                       double now) {
  Grant grant;
  if (!agent) agent = choose(holder.instance, now);
  if (!agent) {
    grant.objection = leases_.size() == 1
                          ? "the study has one agent, and it is taken"
                          : fmt::format("all {} agents of the study are taken", leases_.size());
    return grant;
  }
  if (*agent >= leases_.size()) {
    grant.objection =
        fmt::format("agent {}: the study has agents 0 to {}", *agent, leases_.size() - 1);
    return grant;
  }
  Lease& lease = leases_[*agent];
  if (lease.retired) {
    grant.objection = retired_text(*agent);
    return grant;
  }
  const bool own = lease.token > 0 && lease.holder.instance == holder.instance;
  const bool same = own && lease.holder.start == holder.start;
  if (!own && !take_over && !is_free(lease, now)) {
    grant.objection = fmt::format(
        "agent {} is held by {}, last seen {:.0f} s ago; it becomes free when that machine leaves "
        "or has "
        "been silent for {:.0f} s, or use --take-over",
        *agent, lease.holder.host, now - *lease.heard, lease_seconds_);
    return grant;
  }
  grant.granted = true;
  grant.agent = *agent;
  grant.changed = !same || lease.left;
  if (!same) {
    ++lease.token;
    lease.last = {};
  }
  lease.holder = holder;
  lease.left = false;
  lease.silent = false;
  lease.heard = now;
  grant.token = lease.token;
  return grant;
}

bool LeaseTable::renew(std::uint32_t agent, std::uint64_t token, double now) {
  if (agent >= leases_.size() || leases_[agent].token != token || token == 0) return false;
  if (leases_[agent].retired) return false;
  leases_[agent].heard = now;
  leases_[agent].silent = false;
  return true;
}

bool LeaseTable::beat(const v1::Progress& progress, double now) {
  if (!renew(progress.agent(), progress.token(), now)) return false;
  leases_[progress.agent()].last = progress;
  return true;
}

void LeaseTable::leave(std::uint32_t agent, std::uint64_t token) {
  if (agent < leases_.size() && leases_[agent].token == token) leases_[agent].left = true;
}

void LeaseTable::retire(std::uint32_t agent) { leases_.at(agent).retired = true; }

bool LeaseTable::is_retired(std::uint32_t agent) const {
  return agent < leases_.size() && leases_[agent].retired;
}

std::vector<std::uint32_t> LeaseTable::retired() const {
  std::vector<std::uint32_t> agents;
  for (std::uint32_t agent = 0; agent < leases_.size(); ++agent) {
    if (leases_[agent].retired) agents.push_back(agent);
  }
  return agents;
}

bool LeaseTable::is_from_later(std::uint32_t agent, std::uint64_t token) const {
  return agent < leases_.size() && !leases_[agent].retired && token > leases_[agent].token;
}

std::string LeaseTable::fenced_text(std::uint32_t agent) const {
  if (agent >= leases_.size()) return fmt::format("there is no agent {}", agent);
  if (leases_[agent].retired) return retired_text(agent);
  if (leases_[agent].token == 0) return fmt::format("agent {} has not joined", agent);
  return fmt::format("another machine, {}, has taken over agent {}", leases_[agent].holder.host,
                     agent);
}

v1::Presence LeaseTable::presence(std::uint32_t agent, double now) const {
  const Lease& lease = leases_.at(agent);
  if (lease.token == 0) return v1::PRESENCE_NEVER_SEEN;
  if (lease.left) return v1::PRESENCE_LEFT;
  if (lease.retired) return v1::PRESENCE_LEFT;
  return lease.silent || is_free(lease, now) ? v1::PRESENCE_LOST : v1::PRESENCE_LIVE;
}

v1::AgentStatus LeaseTable::status(std::uint32_t agent, std::uint32_t epoch, double now) const {
  const Lease& lease = leases_.at(agent);
  v1::AgentStatus status = as_status(lease.last);
  if (lease.last.epoch() != epoch) {
    status.clear_answered();
    status.clear_holes();
    status.clear_query_seconds();
  }
  status.set_agent(agent);
  status.set_presence(presence(agent, now));
  status.set_retired(lease.retired);
  status.set_host(lease.holder.host);
  status.set_heard_seconds_ago(lease.heard ? now - *lease.heard : 0);
  status.set_token(lease.token);
  return status;
}

std::optional<double> LeaseTable::median_seconds_per_query() const {
  std::vector<double> measured;
  for (const Lease& lease : leases_) {
    if (lease.last.seconds_per_query() > 0 && !lease.retired)
      measured.push_back(lease.last.seconds_per_query());
  }
  if (measured.empty()) return std::nullopt;
  const auto middle = measured.begin() + static_cast<std::ptrdiff_t>(measured.size() / 2);
  std::nth_element(measured.begin(), middle, measured.end());
  return *middle;
}

base::Bytes LeaseTable::save() const {
  base::ByteWriter out;
  out.u8(kVersion);
  out.u32(static_cast<std::uint32_t>(leases_.size()));
  for (const Lease& lease : leases_) {
    out.u64(lease.token);
    out.blob(as_bytes(lease.holder.instance));
    out.blob(as_bytes(lease.holder.start));
    out.text(lease.holder.host);
    out.u8(static_cast<std::uint8_t>((lease.left ? kLeft : 0) | (lease.retired ? kRetired : 0)));
  }
  return out.take();
}

void LeaseTable::load(std::span<const std::uint8_t> bytes, double now) {
  base::ByteReader in(bytes);
  const std::uint8_t version = in.u8();
  if (version < 1 || version > kVersion || in.u32() != leases_.size()) {
    throw base::Error(base::ErrorKind::kDecode, "leases are of another version or study");
  }
  for (Lease& lease : leases_) {
    lease.token = in.u64();
    lease.holder.instance = as_text(in.blob());
    lease.holder.start = as_text(in.blob());
    lease.holder.host = in.text();
    const std::uint8_t flags = in.u8();
    if (flags > (version == 1 ? kLeft : kLeft | kRetired)) {
      throw base::Error(base::ErrorKind::kDecode,
                        fmt::format("unknown flags {} of a lease", flags));
    }
    lease.left = (flags & kLeft) != 0;
    lease.retired = (flags & kRetired) != 0;
    lease.silent = lease.token > 0;
    if (lease.silent) lease.heard = now;
  }
  in.expect_end();
}

}  // namespace duets::service
