#pragma once

#include <vector>

#include <pybind11/pybind11.h>

#include "cone/context.hpp"
#include "cone/policy.hpp"

#include "dataset.hpp"

namespace cone::python {

/// One policy as Python brings it, taken out of the interpreter's hands.
struct PolicyRequest {
  std::string name;           ///< empty: as the specification says
  std::string specification;  ///< a word or a file; empty where one of the two below is there
  std::vector<std::string> labels;
  Matrix<double> probability;
  std::string learnt_from;  ///< of labels: PolicyOnData::learnt_from
};

/// From a list of triples (name or None, word | list of labels | array of probabilities, the log it
/// was learnt from).
std::vector<PolicyRequest> read_requests(const py::list& policies);

/// What they do on the data, in their order. Throws Error listing every fault.
std::vector<PolicyOnData> resolve_requests(const Context& context, const Dataset& data,
                                           const std::vector<PolicyRequest>& requests);

}  // namespace cone::python
