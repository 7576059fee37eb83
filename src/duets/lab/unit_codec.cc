#include "duets/lab/unit_codec.h"

namespace duets::lab {

base::Bytes unit_bytes(const std::optional<Unit>& unit) {
  base::ByteWriter writer;
  if (!unit) return writer.take();
  writer.u64(unit->size());
  for (const Curves& curves : *unit) {
    writer.u32s(curves.t);
    writer.f64s(curves.regret);
    for (const Ledger ledger : kLedgers) writer.f64s(curves.reals(ledger));
    writer.u32(curves.rounds);
    writer.f64(curves.recommendation_regret);
    writer.u32(curves.lost ? 1 : 0);
  }
  return writer.take();
}

std::optional<Unit> unit_of(const base::Bytes& bytes) {
  if (bytes.empty()) return std::nullopt;
  base::ByteReader reader(bytes);
  Unit unit;
  for (std::uint64_t left = reader.u64(); left > 0; --left) {
    Curves curves;
    curves.t = reader.u32s();
    curves.regret = reader.f64s();
    curves.paper = reader.f64s();
    curves.figure = reader.f64s();
    curves.links = reader.f64s();
    curves.indices = reader.f64s();
    curves.literal = reader.f64s();
    curves.rounds = reader.u32();
    curves.recommendation_regret = reader.f64();
    curves.lost = reader.u32() != 0;
    unit.push_back(std::move(curves));
  }
  reader.expect_end();
  return unit;
}

}  // namespace duets::lab
