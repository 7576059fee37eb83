// The tables of a store, their version, and migrations between versions.
#pragma once

#include <span>

#include "duets/storage/sqlite/connection.h"

namespace duets::storage::sqlite {

/// Step i (SQL) turns version i into version i + 1; version 0 is an empty database. A new store
/// runs all of them, so that old and new files end with the same tables. Published steps never
/// change: a new version is a new step.
using Steps = std::span<const char* const>;
Steps schema_steps();

/// The version of the file, between 1 and the number of steps. Throws kDamaged when the file is not
/// a store or its tables are not those of its version, and kVersion when it is newer than `steps`.
int schema_version(Connection& connection, Steps steps);

/// Runs the steps that the file lacks; none if it is up to date. Call inside a transaction.
void migrate(Connection& connection, Steps steps);

}  // namespace duets::storage::sqlite
