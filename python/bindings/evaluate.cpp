#include "cone/evaluate.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "cone/context.hpp"
#include "cone/json.hpp"
#include "cone/load.hpp"
#include "cone/record.hpp"

#include "bindings.hpp"
#include "dataset.hpp"
#include "options.hpp"
#include "policies.hpp"

namespace cone::python {

namespace {

/// The record of an evaluation as the command line writes it, and its text.
py::tuple evaluate_policies(const DatasetHandle& given, const py::list& policies,
                            const std::string& keywords, const RunSettings& run) {
  const Keywords options_given(keywords);
  const auto options = options_given.take<EvaluateOptions>();
  const IsGiven is_given = [&](std::string_view name) { return options_given.has(name); };
  refuse_idle_plan(is_given, options.plan.protocol);
  refuse_idle_budget(is_given, !options.budget.rank.empty());
  const Stopwatch watch;
  std::vector<KeptColumn> wanted = cost_columns(options.cost);
  for (KeptColumn& column : ranking_columns(options.budget.rank))
    wanted.push_back(std::move(column));
  const KeptData kept(run, given, std::move(wanted));
  const DatasetHandle& handle = kept.handle();
  const std::vector<PolicyRequest> requests = read_requests(policies);
  const auto evaluate_all = [&](const Context& context) {
    const auto resolved = resolve_requests(context, handle.observed(), requests);
    return evaluate(context, handle.data, resolved, options);
  };
  EvaluationRecord record = run_watched(run, evaluate_all);
  std::vector<std::optional<std::string>> arguments;
  for (const PolicyRequest& request : requests) {
    // A specification under another name is not an argument that would give that name.
    const bool is_argument = !request.specification.empty() &&
                             (request.name.empty() || request.name == request.specification);
    arguments.push_back(is_argument ? std::optional(request.specification) : std::nullopt);
  }
  add_provenance({.data = handle.name,
                  .data_in_memory = !handle.can_reload,
                  .table = handle.table,
                  .policy_arguments = std::move(arguments),
                  .load_seconds = handle.load_seconds,
                  .total_seconds = watch.seconds()},
                 handle.data, record);
  return py::make_tuple(dump_json(to_json(record)),
                        evaluation_text(record, !options.estimators.empty()));
}

}  // namespace

void bind_evaluate(py::module_& module) {
  module.def(
      "evaluate",
      [](const DatasetHandle& dataset, const py::list& policies, const std::string& options,
         std::uint64_t seed, int threads, py::object progress) {
        return evaluate_policies(dataset, policies, options, {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("policies"), py::arg("options"), py::arg("seed"),
      py::arg("threads"), py::arg("progress"));
}

}  // namespace cone::python
