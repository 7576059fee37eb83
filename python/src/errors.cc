#include "duets/base/error.h"
#include "duets/service/agent_session.h"
#include "module.h"

namespace duets::python {
namespace {

using base::ErrorKind;

// The class in duets/errors.py.
const char* class_of(const base::Error& error) {
  if (dynamic_cast<const service::CoordinatorSetBack*>(&error) != nullptr) {
    return "CoordinatorSetBack";
  }
  if (dynamic_cast<const service::NothingLeft*>(&error) != nullptr) return "NothingLeft";
  switch (error.kind()) {
    case ErrorKind::kInvalid:
      return "InvalidError";
    case ErrorKind::kDecode:
      return "DecodeError";
    case ErrorKind::kProtocol:
      return "ProtocolError";
    case ErrorKind::kNumeric:
      return "NumericError";
    case ErrorKind::kExhausted:
      return "ExhaustedError";
    case ErrorKind::kDiverged:
      return "DivergedError";
    case ErrorKind::kPlatform:
      return "PlatformError";
    case ErrorKind::kIo:
      return "FileError";
    case ErrorKind::kStorage:
      return "StorageError";
    case ErrorKind::kConnection:
      return "ConnectionError";
    case ErrorKind::kTimeout:
      return "TimeoutError";
    case ErrorKind::kQuorum:
      return "QuorumError";
    case ErrorKind::kObjective:
      return "ObjectiveError";
  }
  return "Error";
}

}  // namespace

void bind_errors(py::module_& /*module*/) {
  py::register_exception_translator([](std::exception_ptr raised) {
    try {
      if (raised) std::rethrow_exception(raised);
    } catch (const base::Error& error) {
      const py::object type = py::module_::import("duets.errors").attr(class_of(error));
      PyErr_SetString(type.ptr(), error.what());
    }
  });
}

}  // namespace duets::python
