#include <string>

#include <pybind11/stl.h>

#include "cone/context.hpp"
#include "cone/error.hpp"
#include "cone/text.hpp"

#include "bindings.hpp"

PYBIND11_MODULE(_core, module) {
  using namespace cone::python;
  module.doc() = "The compiled part of cone.";
  module.attr("__version__") = std::string(cone::kVersion);
  module.attr("revision") = std::string(cone::source_revision());
  module.def("blas_kernels", [] {
    using namespace cone;
    return py::make_tuple(std::string(loaded_blas_kernels()),
                          name_better_kernels(loaded_blas_kernels(), find_vector_units()));
  });
  module.def("choose_kernels", &cone::choose_blas_kernels, py::arg("name"));
  module.def("printable", &cone::printable_lines);
  bind_errors(module);
  bind_table_text(module);
  bind_arrow(module);
  bind_dataset(module);
  bind_evaluate(module);
  bind_commands(module);
  bind_models(module);
  bind_report(module);
  bind_estimators(module);
  bind_option_list(module);
}
