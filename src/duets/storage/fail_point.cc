#include "duets/storage/fail_point.h"

#include <utility>

namespace duets::storage {
namespace {

FailPoint installed_fail_point;

}  // namespace

void install_fail_point(FailPoint hook) { installed_fail_point = std::move(hook); }

void pass_fail_point(std::string_view place) {
  if (installed_fail_point) installed_fail_point(place);
}

}  // namespace duets::storage
