#include "duets/base/error.h"

namespace duets::base {

void refuse(const std::string& field, const std::string& value, const std::string& constraint) {
  throw Error(ErrorKind::kInvalid, field + " = " + value + ": " + constraint);
}

void require(bool ok, const std::string& field, const std::string& value,
             const std::string& constraint) {
  if (!ok) refuse(field, value, constraint);
}

}  // namespace duets::base
