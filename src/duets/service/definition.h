// A study as the service stores and sends it: the resolved study file, parsed.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>

#include "duets/base/bytes.h"
#include "duets/study/study_file.h"

namespace duets::service {

/// When an epoch may end without all agents. By default never.
struct ClosePolicy {
  std::uint32_t quorum = 0;  ///< minimum number of uploads; 0: all agents
  double deadline = 0;  ///< an epoch's time limit in multiples of T_j x the measured seconds per
                        ///< query (median over agents); 0: none
};

/// Throws kInvalid naming the field of the study file.
void validate(const ClosePolicy& policy, std::uint32_t agents);

/// Everything public about a study on a server. Created by definition_of() and read_definition().
struct Definition {
  std::string toml;  ///< the resolved study file: all that is stored and sent
  std::shared_ptr<const study::StudyFile> file;
  std::shared_ptr<const protocol::Study> study;  ///< the file's

  const study::Objective& objective() const { return file->objective; }
  ClosePolicy policy() const {
    return {file->coordinator.quorum.value_or(0), file->coordinator.deadline.value_or(0)};
  }
};

/// Throws kInvalid, naming the field of the study file, for a study that is too large for a server.
Definition definition_of(const study::StudyFile& file);

/// The same with another protocol::Study: what the file says beside it stays.
Definition with_study(const Definition& definition, const protocol::Study& study);

/// `given` with the horizons and early ends of `stored`: another form of one study, unless they
/// differ in something else too.
Definition with_stages_of(const Definition& stored, const Definition& given);

/// Parses a definition: kInvalid when it is not a study, or too large for a server.
Definition read_definition(std::string toml);

/// The stored bytes: the text. `decode_definition` throws kDecode or kInvalid.
base::Bytes encode_definition(const Definition& definition);
Definition decode_definition(std::span<const std::uint8_t> bytes);

}  // namespace duets::service
