// Places in the storage where tests make the process die or a write fail.
#pragma once

#include <functional>
#include <string_view>

namespace duets::storage {

/// Called with the name of the place that is passed. It may kill the process, or throw StorageError
/// as a failing disk would. Places:
///
///   append.before  append.after  (around the commit of Store::append)
///
/// A failure at append.after comes when the entries are stored already: kill there, do not throw.
using FailPoint = std::function<void(std::string_view place)>;

/// For tests: the program installs none, and then nothing happens. Call it before a store is open;
/// an empty function takes it away again.
void install_fail_point(FailPoint hook);

void pass_fail_point(std::string_view place);

}  // namespace duets::storage
