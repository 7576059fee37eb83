#include "duets/storage/store.h"

#include "duets/storage/sqlite/sqlite_store.h"
#include "duets/storage/sqlite/writer_lock.h"

namespace duets::storage {

std::unique_ptr<Store> open_store(const std::filesystem::path& file, Access access) {
  return sqlite::open(file, access);
}

bool has_writer(const std::filesystem::path& file) { return sqlite::has_writer(file); }

}  // namespace duets::storage
