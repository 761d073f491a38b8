#include "policies.hpp"

#include <string>
#include <utility>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "cone/error.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "arrays.hpp"

namespace cone::python {
namespace {

/// Policies by a specification, under the name that the user gave.
std::vector<PolicyOnData> resolve_specification(const Context& context, const Dataset& data,
                                                const PolicyRequest& request) {
  std::vector<PolicyOnData> found =
      resolve_policies(context, data, std::vector{request.specification});
  if (request.name.empty()) return found;
  if (found.size() != 1) {
    throw Error(
        ErrorCode::kUsage,
        {{.item = printable(request.name)},
         fmt::format("{} holds {} policies", printable(request.specification), found.size()),
         "give the file in a list, without a name: its columns have names"});
  }
  if (request.name != request.specification) {
    found.front().name = request.name;
    refuse_builtin_name(context, data, found.front());
  }
  return found;
}

}  // namespace

std::vector<PolicyRequest> read_requests(const py::list& policies) {
  std::vector<PolicyRequest> requests;
  for (const py::handle entry : policies) {
    const auto pair = py::cast<py::tuple>(entry);
    PolicyRequest& request = requests.emplace_back();
    if (!pair[0].is_none()) request.name = pair[0].cast<std::string>();
    request.learnt_from = pair[2].cast<std::string>();
    if (py::isinstance<py::str>(pair[1])) {
      request.specification = pair[1].cast<std::string>();
    } else if (py::isinstance<py::list>(pair[1])) {
      request.labels = pair[1].cast<std::vector<std::string>>();
    } else {
      const auto array = pair[1].cast<Doubles>();
      const MatrixView<const double> view = view_of(array);
      request.probability = Matrix<double>(view.rows(), view.cols());
      for (std::size_t i = 0; i < view.rows(); ++i) {
        std::ranges::copy(view.row(i), request.probability.row(i).begin());
      }
    }
  }
  return requests;
}

std::vector<PolicyOnData> resolve_requests(const Context& context, const Dataset& data,
                                           const std::vector<PolicyRequest>& requests) {
  std::vector<PolicyOnData> policies;
  std::vector<Fault> faults;
  std::uint64_t num_unlisted = 0;
  ErrorCode code = ErrorCode::kUsage;
  for (const PolicyRequest& request : requests) {
    try {
      if (!request.specification.empty()) {
        for (PolicyOnData& policy : resolve_specification(context, data, request)) {
          policies.push_back(std::move(policy));
        }
      } else if (!request.labels.empty()) {
        policies.push_back(make_policy(data, request.name, request.labels));
        policies.back().learnt_from = request.learnt_from;
        refuse_builtin_name(context, data, policies.back());
      } else {
        policies.push_back(
            make_policy(data, request.name, std::as_const(request.probability).view()));
        refuse_builtin_name(context, data, policies.back());
      }
    } catch (const Error& error) {
      faults.insert(faults.end(), error.faults().begin(), error.faults().end());
      num_unlisted += error.num_unlisted();
      code = error.code();
    }
  }
  for (Fault& fault : list_name_faults(policies)) faults.push_back(std::move(fault));
  if (!faults.empty()) throw Error(code, std::move(faults), num_unlisted);
  return policies;
}

}  // namespace cone::python
