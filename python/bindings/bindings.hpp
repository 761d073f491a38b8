#pragma once

#include <pybind11/pybind11.h>

/// The parts of cone._core, one file each. python/cone is the public layer.
namespace cone::python {

namespace py = pybind11;

void bind_errors(py::module_& module);
void bind_table_text(py::module_& module);
void bind_arrow(py::module_& module);
void bind_dataset(py::module_& module);
void bind_evaluate(py::module_& module);
void bind_commands(py::module_& module);
void bind_models(py::module_& module);
void bind_report(py::module_& module);
void bind_estimators(py::module_& module);
void bind_option_list(py::module_& module);

}  // namespace cone::python
