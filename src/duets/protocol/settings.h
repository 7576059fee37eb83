// The settings of a study, one row each: the one list that study files, their printed form, the
// digest, the checks and the reference page follow.
#pragma once

#include <span>

#include "duets/base/bytes.h"
#include "duets/base/field.h"
#include "duets/protocol/study.h"

namespace duets::protocol {

/// How the digest of a study covers a setting. Digests never change, so a setting keeps its rule.
enum class InDigest : std::uint8_t {
  kWhenChanged,  ///< its name and value, unless it has its default: for every new setting
  kAlways,       ///< its value
  kBare,         ///< its value, unless it has its default
  kTuning,       ///< with the others of this rule, when one of them switches something on
};

struct Setting {
  base::Field<Study> field;
  InDigest digest = InDigest::kWhenChanged;
};

/// In the order of the study file.
std::span<const Setting> settings();

/// Throws kInvalid for a setting that applies and is out of its range.
void validate_settings(const Study& study);

/// What the digest of the study covers of the settings in `list`.
void write_settings_digest(std::span<const Setting> list, const Study& study,
                           base::ByteWriter& out);

}  // namespace duets::protocol
