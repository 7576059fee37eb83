// Opens a path as a store that was checked.
#pragma once

#include <filesystem>
#include <memory>

#include "duets/storage/sqlite/connection.h"
#include "duets/storage/sqlite/writer_lock.h"
#include "duets/storage/store.h"

namespace duets::storage::sqlite {

struct Opened {
  std::unique_ptr<WriterLock> lock;  ///< none when open for reading; outlives the connection
  std::unique_ptr<Connection> connection;
};

/// Locks the file, creates it if requested, checks all of it on a connection that cannot write, and
/// only then opens it for writing and migrates it.
Opened open_database(const std::filesystem::path& file, Access access);

}  // namespace duets::storage::sqlite
