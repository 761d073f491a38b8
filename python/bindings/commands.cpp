#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <pybind11/stl.h>

#include "cone/effects.hpp"
#include "cone/evaluate.hpp"
#include "cone/json.hpp"
#include "cone/learn_policy.hpp"
#include "cone/load.hpp"
#include "cone/output.hpp"
#include "cone/sensitivity.hpp"
#include "cone/simulate.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "dataset.hpp"
#include "options.hpp"
#include "policies.hpp"
#include "study/reproduce.hpp"

namespace cone::python {
namespace {

IsGiven given_in(const Keywords& keywords) {
  return [&](std::string_view name) { return keywords.has(name); };
}

/// A rule with its record and text, and the arms that it assigns.
py::dict learn_rule(const DatasetHandle& given, const std::string& json, const RunSettings& run) {
  const Keywords keywords(json);
  const auto options = keywords.take<LearnPolicyOptions>();
  refuse_idle_models(given_in(keywords), options);
  const KeptData kept(run, given, cost_columns(options.cost));
  const LoadedData& data = kept.handle().data;
  LearntPolicy policy = run_watched(
      run, [&](const Context& context) { return learn_policy(context, data.observed, options); });
  add_loader_notes(data, options, policy);
  py::dict out;
  out["json"] = dump_json(learnt_policy_json(data.observed, policy, options, run.seed));
  out["text"] = learnt_policy_text(policy, options);
  out["rule"] = rule_text(policy);
  out["svg"] = rule_svg(policy);
  out["arm"] = to_numpy(policy.arm);
  out["learnt_from"] = data.observed.log_checksum();
  out["out_of_fold_arm"] = to_numpy(policy.out_of_fold_arm);
  return out;
}

/// Compared with the logged policy ("logged"), with nothing ("none"), or with a policy.
py::tuple analyse(const DatasetHandle& handle, const py::list& policies, const py::tuple& against,
                  const std::string& json, const RunSettings& run) {
  SensitivityRequest request;
  request.options = Keywords(json).take<SensitivityOptions>();
  request.seed = run.seed;
  request.data = handle.name;
  request.table = handle.table;
  const std::vector<PolicyRequest> asked = read_requests(policies);
  for (const PolicyRequest& one : asked) {
    request.policies.push_back(one.name.empty() ? one.specification : one.name);
  }
  py::list alone;
  alone.append(against);
  const std::vector<PolicyRequest> other = read_requests(alone);
  const std::string& word = other.front().specification;
  const Reference reference = word == "logged" ? Reference::kLogged
                              : word == "none" ? Reference::kNothing
                                               : Reference::kPolicy;
  request.against = word.empty() ? other.front().name : word;
  const auto work = [&](const Context& context) {
    const auto resolved = resolve_requests(context, handle.observed(), asked);
    std::vector<PolicyOnData> compared;
    if (reference == Reference::kPolicy) {
      compared = resolve_requests(context, handle.observed(), other);
      if (compared.size() != 1) {
        throw Error(ErrorCode::kUsage, {{.item = "against"},
                                        fmt::format("the file holds {} policies", compared.size()),
                                        "name one policy, or a file with one column"});
      }
    }
    return analyse_sensitivity(context, handle.data, resolved, reference,
                               compared.empty() ? nullptr : &compared.front(), request.options);
  };
  const SensitivityReport report = run_watched(run, work);
  return py::make_tuple(dump_json(to_json(report, to_json(request), handle.observed().checksum())),
                        sensitivity_text(report));
}

/// Writes a folder; returns its manifest.
std::string simulate(const std::string& folder, const std::string& json, const RunSettings& run) {
  const Keywords keywords(json);
  const auto options = keywords.take<SimulationOptions>();
  refuse_idle_simulation(given_in(keywords), options);
  return dump_json(run_watched(
      run, [&](const Context& context) { return write_simulation(context, options, folder); }));
}

/// A study of the paper or beyond; files are in `out`.
py::dict reproduce(const std::string& what, const std::string& data, const std::string& out,
                   const std::string& json, const RunSettings& run) {
  const Keywords keywords(json);
  auto options = keywords.take<ReproduceOptions>();
  prepare_study(what, given_in(keywords), options);
  const StudyOutcome study = run_watched(run, [&](const Context& context) {
    return reproduce_study(context, what, data, out, options);
  });
  py::dict found;
  found["text"] = study.text;
  found["json"] = study.json;
  found["num_units"] = study.run.num_units;
  found["num_reused"] = study.run.num_reused;
  found["failures"] = study.run.failures;
  std::vector<std::string> remarks = study.run.remarks;
  for (const Fault& fault : study.unwritten) remarks.push_back(fault.to_string());
  found["remarks"] = remarks;
  return found;
}

}  // namespace

void bind_commands(py::module_& module) {
  module.def(
      "learn",
      [](const DatasetHandle& dataset, const std::string& options, std::uint64_t seed, int threads,
         py::object progress) {
        return learn_rule(dataset, options, {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("options"), py::arg("seed"), py::arg("threads"),
      py::arg("progress"));
  module.def(
      "sensitivity",
      [](const DatasetHandle& dataset, const py::list& policies, const py::tuple& against,
         const std::string& options, std::uint64_t seed, int threads, py::object progress) {
        return analyse(dataset, policies, against, options, {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("policies"), py::arg("against"), py::arg("options"),
      py::arg("seed"), py::arg("threads"), py::arg("progress"));
  module.def(
      "simulate",
      [](const std::string& folder, const std::string& options, std::uint64_t seed, int threads,
         py::object progress) {
        return simulate(folder, options, {seed, threads, std::move(progress)});
      },
      py::arg("folder"), py::arg("options"), py::arg("seed"), py::arg("threads"),
      py::arg("progress"));
  module.def(
      "reproduce",
      [](const std::string& what, const std::string& data, const std::string& out,
         const std::string& options, std::uint64_t seed, int threads, py::object progress) {
        return reproduce(what, data, out, options, {seed, threads, std::move(progress)});
      },
      py::arg("what"), py::arg("data"), py::arg("out"), py::arg("options"), py::arg("seed"),
      py::arg("threads"), py::arg("progress"));
}

}  // namespace cone::python
