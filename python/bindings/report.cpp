#include "cone/report.hpp"

#include <string>
#include <vector>

#include <pybind11/stl.h>

#include "bindings.hpp"

namespace cone::python {
namespace {

/// One page of the records, each as the JSON text that the package and the program write.
std::string report_records(const std::vector<std::string>& records) {
  const py::gil_scoped_release release;
  std::vector<ReportRecord> all;
  for (const std::string& text : records) {
    for (ReportRecord& record : read_report_records(text, "the record")) {
      all.push_back(std::move(record));
    }
  }
  return report_html(all);
}

}  // namespace

void bind_report(py::module_& module) {
  module.def("report_html", &report_records, py::arg("records"));
}

}  // namespace cone::python
