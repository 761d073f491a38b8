#pragma once

#include <vector>

#include <pybind11/pybind11.h>

#include "cone/context.hpp"
#include "cone/policy.hpp"

#include "dataset.hpp"

namespace cone::python {

/// One policy as passed from Python, copied so that the interpreter's lock is not needed.
struct PolicyRequest {
  std::string name;  ///< empty: as the specification says
  std::string
      specification;  ///< a built-in name or a file; empty where one of the two below is given
  std::vector<std::string> labels;
  Matrix<double> probability;
  std::string learnt_from;  ///< of labels: PolicyOnData::learnt_from
};

/// From a list of triples (name or None, specification | list of labels | array of probabilities,
/// checksum of the data it was learnt from).
std::vector<PolicyRequest> read_requests(const py::list& policies);

/// The policies on the data, in their order. Throws Error listing every fault.
std::vector<PolicyOnData> resolve_requests(const Context& context, const Dataset& data,
                                           const std::vector<PolicyRequest>& requests);

}  // namespace cone::python
