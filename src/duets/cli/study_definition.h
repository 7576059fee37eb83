// Between study files and what a coordinator keeps of a study.
#pragma once

#include "duets/cli/study_file.h"
#include "duets/service/definition.h"

namespace duets::cli {

/// The study as a coordinator carries it, with the resolved file inside.
service::Definition definition_of(const StudyFile& file);

/// The study file inside a definition. kDiverged when it does not give the definition's study: the
/// two sides would not talk about the same thing. `functions` are known beside the built-in ones.
StudyFile study_file_of(const service::Definition& definition,
                        std::span<const OwnFunction> functions = {});

}  // namespace duets::cli
