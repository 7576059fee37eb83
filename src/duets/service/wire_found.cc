#include "duets/service/wire_found.h"

#include <type_traits>
#include <variant>

#include "duets/domain/shown_value.h"
#include "duets/v1/duets.pb.h"

namespace duets::service {
namespace {

void write_params(const Coordinates& coordinates, const std::vector<double>& values,
                  google::protobuf::RepeatedPtrField<v1::Param>& params) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    v1::Param& param = *params.Add();
    param.set_name(coordinates.names[i]);
    std::visit(
        [&](const auto& shown) {
          using Shown = std::decay_t<decltype(shown)>;
          if constexpr (std::is_same_v<Shown, double>) param.set_number(shown);
          if constexpr (std::is_same_v<Shown, std::int64_t>) param.set_integer(shown);
          if constexpr (std::is_same_v<Shown, std::string>) param.set_choice(shown);
        },
        domain::shown_value(coordinates.parameters, i, values[i]));
  }
}

}  // namespace

v1::Recommendation recommendation_to_wire(const Coordinates& coordinates,
                                          const protocol::Found& found,
                                          const std::string& interval_meaning) {
  v1::Recommendation wire;
  write_params(coordinates, found.values, *wire.mutable_params());
  wire.set_mean(found.value);
  wire.set_low(found.low);
  wire.set_high(found.high);
  wire.set_interval_meaning(interval_meaning);
  if (found.missed) {
    v1::Missed& missed = *wire.mutable_missed();
    missed.set_better_by(found.missed->better_by);
    missed.set_chance(found.missed->chance);
    missed.set_expected(found.missed->expected);
  }
  return wire;
}

v1::BestTrial best_trial_to_wire(const Coordinates& coordinates, const protocol::Found& found) {
  v1::BestTrial wire;
  write_params(coordinates, found.values, *wire.mutable_params());
  wire.set_value(found.value);
  wire.set_agent(found.agent);
  wire.set_epoch(found.epoch);
  wire.set_slot(found.slot);
  return wire;
}

}  // namespace duets::service
