#include "duets/base/error.h"

namespace duets::base {

void require(bool ok, const std::string& field, const std::string& value,
             const std::string& constraint) {
  if (!ok) throw Error(ErrorKind::kInvalid, field + " = " + value + ": " + constraint);
}

}  // namespace duets::base
