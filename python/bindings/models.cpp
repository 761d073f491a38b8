#include <memory>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include <pybind11/stl.h>

#include "cone/effects.hpp"
#include "cone/evaluate.hpp"
#include "cone/learn.hpp"
#include "cone/output.hpp"

#include "arrays.hpp"
#include "bindings.hpp"
#include "dataset.hpp"
#include "keyword_text.hpp"
#include "options.hpp"

namespace cone::python {
namespace {

py::dict describe_arm(const ArmVariances& arm) {
  py::dict shares;
  for (const auto& [group, variance] : arm.groups) shares[py::str(group)] = variance;
  py::dict out;
  out["arm"] = arm.arm;
  out["variances"] = shares;
  out["noise"] = arm.noise;
  out["noise_growth"] = arm.noise_growth;
  out["converged"] = arm.converged;
  return out;
}

/// Per arm but the control arm; NaN where a slope is not identified, empty without shrinkage.
void add_calibration(const std::vector<EffectCalibration>& calibration, py::dict& out) {
  std::vector<double> slope, error, shrinkage;
  for (const EffectCalibration& arm : calibration) {
    slope.push_back(arm.slope);
    error.push_back(arm.standard_error);
    shrinkage.push_back(arm.shrinkage);
  }
  out["calibration_slope"] = to_numpy(std::move(slope));
  out["calibration_slope_se"] = to_numpy(std::move(error));
  out["shrinkage"] = to_numpy(std::move(shrinkage));
}

/// Potential outcomes and effects by the network ridge, with their decomposition.
py::dict fit_ridge(const DatasetHandle& handle, const std::string& json, const RunSettings& run) {
  const auto options = Keywords(json).take<EffectOptions>();
  const Dataset& data = handle.observed();
  NodeEffects effects = run_watched(
      run, [&](const Context& context) { return predict_effects(context, data, options); });
  std::vector<NodeIndex> nodes(data.num_nodes());
  std::iota(nodes.begin(), nodes.end(), NodeIndex{0});
  py::dict out;
  out["text"] = effects_text(data.arms, effects, take_sample(data, nodes).weight);
  py::list arms;
  for (const ArmVariances& arm : effects.ridge.arms) arms.append(describe_arm(arm));
  out["arms"] = arms;
  out["solver"] = effects.ridge.solver;
  out["draws"] = effects.draws;
  out["warnings"] = spell_as_keywords(effects.warnings);
  out["part_names"] = effects.part_names;
  add_calibration(effects.calibration, out);
  out["mu"] = to_numpy(std::move(effects.mu));
  out["mu_sd"] = to_numpy(std::move(effects.mu_sd));
  out["effect"] = to_numpy(std::move(effects.effect));
  out["effect_sd"] = to_numpy(std::move(effects.effect_sd));
  out["parts"] = to_numpy(std::move(effects.parts));
  return out;
}

/// Propensities by a network ridge of the treatment, out of fold.
py::array predict_propensities(const DatasetHandle& handle, const std::string& json,
                               const RunSettings& run) {
  const auto options = Keywords(json).take<EffectOptions>();
  const Dataset& data = handle.observed();
  return to_numpy(run_watched(run, [&](const Context& context) {
    const FitPlan plan = make_plan(context, data, {.folds = options.folds}, context.seed());
    return predict_treatment(context, data, plan, options.network_ridge, /*sees_network=*/true);
  }));
}

/// Predictions of CONE's networks for the nodes that the plan scores: the rows of all tables.
py::dict fit_networks(const DatasetHandle& handle, const std::string& plan_json,
                      const std::string& json, const std::string& nuisance_json,
                      const RunSettings& run) {
  const auto plan_options = Keywords(plan_json).take<PlanOptions>();
  const auto options = Keywords(json).take<ConeOptions>();
  const AutoNumber propensity_bound =
      Keywords(nuisance_json).take<NuisanceOptions>().propensity_bound;
  const Dataset& data = handle.observed();
  struct Fitted {
    FitPlan plan;
    Nuisances nuisances;
    Matrix<float> z;
  };
  Fitted fitted = run_watched(run, [&](const Context& context) {
    const Model model =
        fit_model(context, data, {.parts = {"networks"}, .plan = plan_options, .cone = options});
    return Fitted{make_plan(context, data, plan_options, context.seed()),
                  predict_by_model(context, data, *model, propensity_bound),
                  represent_by_model(context, data, *model)};
  });
  py::dict out;
  std::vector<std::int64_t> nodes(fitted.plan.scored.begin(), fitted.plan.scored.end());
  out["nodes"] = to_numpy(std::move(nodes));
  out["mu"] = to_numpy(std::move(fitted.nuisances.outcome->mu));
  out["propensity"] = to_numpy(std::move(fitted.nuisances.propensity->e));
  out["z"] = to_numpy(std::move(fitted.z));
  out["warnings"] = spell_as_keywords(fitted.nuisances.outcome->warnings);
  return out;
}

}  // namespace

void bind_models(py::module_& module) {
  module.def(
      "fit_ridge",
      [](const DatasetHandle& dataset, const std::string& options, std::uint64_t seed, int threads,
         py::object progress) {
        return fit_ridge(dataset, options, {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("options"), py::arg("seed"), py::arg("threads"),
      py::arg("progress"));
  module.def(
      "predict_propensities",
      [](const DatasetHandle& dataset, const std::string& options, std::uint64_t seed, int threads,
         py::object progress) {
        return predict_propensities(dataset, options, {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("options"), py::arg("seed"), py::arg("threads"),
      py::arg("progress"));
  module.def(
      "fit_networks",
      [](const DatasetHandle& dataset, const std::string& plan, const std::string& options,
         const std::string& nuisances, std::uint64_t seed, int threads, py::object progress) {
        return fit_networks(dataset, plan, options, nuisances,
                            {seed, threads, std::move(progress)});
      },
      py::arg("dataset"), py::arg("plan"), py::arg("options"), py::arg("nuisances"),
      py::arg("seed"), py::arg("threads"), py::arg("progress"));
}

}  // namespace cone::python
