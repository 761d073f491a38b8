#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/options.hpp"

#include "arrays.hpp"
#include "bindings.hpp"

namespace cone::python {
namespace {

/// Arms as numbers, checked against the width of the tables.
std::vector<Arm> read_arms(const Array<std::int64_t>& array, std::size_t num_arms) {
  std::vector<Arm> arms;
  for (const std::int64_t arm : span_of(array)) {
    if (arm < 0 || std::cmp_greater_equal(arm, num_arms)) {
      throw Error(ErrorCode::kUsage, {{.item = "treatment"},
                                      fmt::format("{} is not an arm: there are {}", arm, num_arms),
                                      "number the arms from 0, the control arm first"});
    }
    arms.push_back(static_cast<Arm>(arm));
  }
  return arms;
}

/// (value, influence)
py::tuple as_tuple(ValueAndInfluence result) {
  return py::make_tuple(result.value, to_numpy(std::move(result.influence)));
}

Correction correction_of(const std::string& word) {
  Correction correction{};
  if (parse_option(word, correction)) return correction;
  throw Error(ErrorCode::kUsage, {{.item = "correction"},
                                  fmt::format("is \"{}\", must be one of {}", word,
                                              fmt::join(enum_choices<Correction>(), ", ")),
                                  ""});
}

}  // namespace

void bind_estimators(py::module_& parent) {
  py::module_ module = parent.def_submodule("formulas", "The formulas of the estimators.");
  module.def("importance_weights", [](const Array<std::int64_t>& arm, const Doubles& policy,
                                      const Doubles& propensity) {
    const MatrixView<const double> table = view_of(policy);
    return to_numpy(importance_weights(read_arms(arm, table.cols()), table, view_of(propensity)));
  });
  module.def("clipped_weights", [](const Doubles& weights, double bound) {
    return to_numpy(clipped_weights(span_of(weights), bound));
  });
  module.def("switched_weights", [](const Doubles& weights, double threshold) {
    return to_numpy(switched_weights(span_of(weights), threshold));
  });
  module.def("shrunk_weights", [](const Doubles& weights, double lambda) {
    return to_numpy(shrunk_weights(span_of(weights), lambda));
  });
  module.def("effective_sample_size",
             [](const Doubles& weights) { return effective_sample_size(span_of(weights)); });
  module.def("arm_means",
             [](const Array<std::int64_t>& arm, const Doubles& outcome, const Doubles& policy) {
               const MatrixView<const double> table = view_of(policy);
               return as_tuple(arm_means(read_arms(arm, table.cols()), span_of(outcome), table));
             });
  module.def("inverse_propensity", [](const Doubles& weights, const Doubles& outcome) {
    return as_tuple(inverse_propensity(span_of(weights), span_of(outcome)));
  });
  module.def("self_normalised", [](const Doubles& weights, const Doubles& outcome) {
    return as_tuple(self_normalised(span_of(weights), span_of(outcome)));
  });
  module.def("expected_outcome", [](const Doubles& policy, const Doubles& mu) {
    return to_numpy(expected_outcome(view_of(policy), view_of(mu)));
  });
  module.def("residuals",
             [](const Array<std::int64_t>& arm, const Doubles& outcome, const Doubles& mu) {
               const MatrixView<const double> table = view_of(mu);
               return to_numpy(residuals(read_arms(arm, table.cols()), span_of(outcome), table));
             });
  module.def("direct_method",
             [](const Doubles& expected) { return as_tuple(direct_method(span_of(expected))); });
  module.def("doubly_robust", [](const Doubles& expected, const Doubles& weights,
                                 const Doubles& residual, const std::string& correction) {
    return as_tuple(doubly_robust(span_of(expected), span_of(weights), span_of(residual),
                                  correction_of(correction)));
  });
  module.def("correct_cautiously",
             [](const Doubles& expected, const Doubles& weights, const Doubles& residual) {
               CautiousCorrection found =
                   correct_cautiously(span_of(expected), span_of(weights), span_of(residual));
               return py::make_tuple(found.direct.value + found.factor * found.correction,
                                     found.correction, found.correction_error, found.factor);
             });
  module.def("doubly_robust_scores", [](const Array<std::int64_t>& arm, const Doubles& outcome,
                                        const Doubles& mu, const Doubles& propensity) {
    const MatrixView<const double> table = view_of(mu);
    return to_numpy(doubly_robust_scores(read_arms(arm, table.cols()), span_of(outcome), table,
                                         view_of(propensity)));
  });
}

}  // namespace cone::python
