#include "duets/base/field.h"

namespace duets::base {

void assign(const Place& to, const Place& from) {
  std::visit(
      [&from](auto target) {
        const auto source = std::get<decltype(target)>(from);
        if constexpr (std::is_same_v<decltype(target), EnumPlace>) {
          *target.number = *source.number;
        } else {
          *target = *source;
        }
      },
      to);
}

bool equal(const Place& a, const Place& b) {
  return std::visit(
      [&b](auto first) {
        const auto second = std::get<decltype(first)>(b);
        if constexpr (std::is_same_v<decltype(first), EnumPlace>) {
          return *first.number == *second.number;
        } else {
          return *first == *second;
        }
      },
      a);
}

}  // namespace duets::base
