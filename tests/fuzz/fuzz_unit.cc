// Any text: read_unit never throws; rows behind a checksum that fits are read as they stand, or the
// file is called damaged.
#include <cstdlib>
#include <string>

#include "duets/cli/unit_text.h"

namespace {

using namespace duets;

lab::Task two_contenders() {
  return {.preset = "paper",
          .function = "h1",
          .make = {},
          .contenders = {{"DUETS", 0.2, "", {}}, {"DisKernelUCB", 5, "D = 2, \"quoted\"", {}}}};
}

std::string hex(std::string_view text) {
  return base::to_hex(
      base::digest_of({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}));
}

// Every curve whole, and what was read written and read again is the same.
void check(const cli::UnitReading& reading, const base::Digest& settings, const lab::Task& task) {
  if (reading.state != cli::UnitState::kGood) {
    if (reading.why.empty()) std::abort();
    return;
  }
  if (reading.unit.size() != task.contenders.size()) std::abort();
  for (const lab::Curves& curves : reading.unit) {
    const std::size_t size = curves.t.size();
    if (size == 0 || curves.regret.size() != size) std::abort();
    for (const lab::Ledger ledger : lab::kLedgers) {
      if (curves.reals(ledger).size() != size) std::abort();
    }
  }
  const std::string text = cli::unit_text(settings, task, 1, reading.unit);
  const cli::UnitReading again = cli::read_unit(text, settings, task);
  if (again.state != cli::UnitState::kGood) std::abort();
  if (cli::unit_text(settings, task, 1, again.unit) != text) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const lab::Task task = two_contenders();
  static const base::Digest settings = cli::unit_settings("fuzz", task, 1);
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  check(cli::read_unit(text, settings, task), settings, task);
  // The same as rows of a file whose head and checksum fit, which chance would never find.
  const std::string empty = cli::unit_text(settings, task, 1, {});
  const std::string body = empty.substr(0, empty.rfind("# checksum")) + std::string(text);
  check(cli::read_unit(body + "# checksum " + hex(body) + "\n", settings, task), settings, task);
  return 0;
}
