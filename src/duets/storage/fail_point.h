// Places where tests break the service on purpose.
#pragma once

#include <string_view>

namespace duets::storage {

/// In builds with DUETS_FAIL_POINTS, obeys the environment variable DUETS_FAIL_POINT, read once:
///
///   NAME:COUNT:kill        the COUNT-th time (from 1) NAME is passed, the process kills itself
///   NAME:COUNT:fail        from the COUNT-th time on, NAME throws StorageError(kUnwritable)
///   NAME:COUNT-LAST:fail   likewise, until the LAST-th time
///
/// Anything else is kInvalid. In other builds it does nothing at all, and a set variable is not
/// read. Points:
///
///   append.before  append.after  (around the commit of Store::append)
///
/// A failure at append.after comes when the entries are stored already: kill there, do not fail.
void fail_point(std::string_view name);

}  // namespace duets::storage
