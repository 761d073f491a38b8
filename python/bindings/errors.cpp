#include <string>
#include <vector>

#include <pybind11/stl.h>

#include "cone/error.hpp"

#include "bindings.hpp"
#include "keyword_text.hpp"

namespace cone::python {
namespace {

PyObject* error_type = nullptr;

const char* kind_of(ErrorCode code) {
  switch (code) {
    case ErrorCode::kUsage:
      return "usage";
    case ErrorCode::kData:
      return "data";
    case ErrorCode::kIo:
      return "io";
    case ErrorCode::kInternal:
      break;
  }
  return "internal";
}

/// The exception with all faults, each with place, fault and advice.
py::object describe(const Error& in_flags) {
  const Error error = spell_as_keywords(in_flags);
  py::object out = py::reinterpret_borrow<py::object>(error_type)(error.what());
  py::list faults;
  for (const Fault& fault : error.faults()) {
    py::dict entry;
    entry["place"] = fault.place.to_string();
    entry["what"] = fault.what;
    entry["advice"] = fault.advice;
    faults.append(entry);
  }
  out.attr("kind") = kind_of(error.code());
  out.attr("faults") = faults;
  return out;
}

}  // namespace

void bind_errors(py::module_& module) {
  error_type = PyErr_NewExceptionWithDoc(
      "cone.Error",
      "Invalid options or data: every fault that was found, as the program reports it, "
      "with keywords in place of flags.\n\n"
      "kind is 'usage', 'data', 'io' or 'internal'; faults is a list of dictionaries with "
      "'place',\n"
      "'what' and 'advice'.",
      PyExc_ValueError, nullptr);
  module.add_object("Error", error_type);
  module.def("spell_as_keywords",
             [](const std::vector<std::string>& text) { return spell_as_keywords(text); });
  py::register_exception_translator([](std::exception_ptr pointer) {
    try {
      if (pointer) std::rethrow_exception(pointer);
    } catch (const Error& error) {
      PyErr_SetObject(error_type, describe(error).ptr());
    } catch (const Cancelled&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    }
  });
}

}  // namespace cone::python
