// Places in the storage code where tests can kill the process or make a write fail.
#pragma once

#include <functional>
#include <string_view>

namespace duets::storage {

/// Called with the name of the place. It may kill the process, or throw StorageError like a failing
/// disk. Places:
///
///   append.before  append.after  (around the commit of Store::append)
///
/// At append.after the entries are stored already: kill there, do not throw.
using FailPoint = std::function<void(std::string_view place)>;

/// For tests: the program installs none, and then nothing happens. Call it before a store is
/// opened; an empty function removes the hook.
void install_fail_point(FailPoint hook);

void pass_fail_point(std::string_view place);

}  // namespace duets::storage
