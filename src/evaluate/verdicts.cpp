#include "evaluate/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include "cone/error.hpp"
#include "cone/estimate.hpp"

#include "evaluate/balance_diagnostics.hpp"
#include "evaluate/calibration_diagnostics.hpp"
#include "evaluate/decide.hpp"
#include "evaluate/degree_diagnostics.hpp"
#include "evaluate/joint_diagnostics.hpp"
#include "evaluate/overlap_diagnostics.hpp"
#include "evaluate/stability_diagnostics.hpp"
#include "evaluate/variance_diagnostics.hpp"
#include "inference/neighbourhood.hpp"

namespace cone {
namespace {

std::string find_name(const LearntNuisances& learnt, const PropensityTable& table) {
  for (const auto& [learner, nuisances] : learnt.parts()) {
    if (nuisances.propensity && &*nuisances.propensity == &table) {
      return std::string(learner.name());
    }
  }
  return "";
}

/// Keeps the worst entry of each diagnostic: cautions first, then the largest badness.
class Summary {
 public:
  Summary(const Communicator& comm, Diagnostics& out)
      : slack_(comm.has_others() ? kRounding : 0), out_(out) {}

  template <class Entry, class Badness>
  void add(const char* name, const std::vector<Entry>& entries, bool is_news,
           const Badness& badness) const {
    const Entry* worst = nullptr;
    for (const Entry& entry : entries) {
      if (worst == nullptr ||
          std::pair(worst->verdict.is_caution, std::invoke(badness, *worst) + slack_) <
              std::pair(entry.verdict.is_caution, std::invoke(badness, entry))) {
        worst = &entry;
      }
    }
    if (worst != nullptr) out_.verdicts.push_back({name, worst->verdict, is_news});
  }

 private:
  /// Two arms are often equally unbalanced: rounding of distributed sums must not decide.
  static constexpr double kRounding = 1e-10;
  double slack_;
  Diagnostics& out_;
};

void add_propensity_verdicts(const Context& context, const FeatureTable& features,
                             const Neighbourhood& network, const EvaluationPlan& plan,
                             const PropensityTable& propensity,
                             std::span<const PolicyResult> results, Diagnostics& out) {
  const LoggedSample& sample = plan.sample;
  const MatrixView<const double> e = propensity.e.view();
  std::vector<SamplePolicy> policies;
  for (std::size_t p = 0; p < results.size(); ++p) {
    policies.push_back({results[p].name, plan.policies.sample[p].view()});
  }
  out.overlap = measure_arm_overlap(sample, e);
  out.weights = measure_weight_tails(sample, e, policies);
  out.support = measure_support(sample, propensity, policies);
  out.calibration = measure_calibration(sample, e);
  try {
    out.balance = measure_balance(context, features, network, sample, e);
  } catch (const Cancelled&) {
    if (sample.comm->has_others()) throw;
    // All estimates are done by now, or were interrupted before.
    out.warnings.emplace_back("covariate balance was not assessed: interrupted");
  }
  const Summary summary(*sample.comm, out);
  summary.add("overlap", out.overlap, false, &ArmOverlap::rare_fraction);
  summary.add("weights", out.weights, false,
              [](const WeightTail& w) { return -w.effective_sample_size; });
  summary.add("positivity", out.support, false, &PolicySupport::off_support_fraction);
  summary.add("calibration", out.calibration, true, &ArmCalibration::mean_gap);
  summary.add("balance", out.balance, true, &ArmBalance::largest_after);
}

}  // namespace

void add_verdicts(const Context& context, const Dataset& data, const EvaluationPlan& plan,
                  const Learnt& learnt, std::span<const PolicyResult> results, Diagnostics& out) {
  const LoggedSample& sample = plan.sample;
  const std::unique_ptr<Neighbourhood> network = make_neighbourhood(data);
  const Summary summary(*sample.comm, out);
  const EstimatorInfo* headline = choose_headline(learnt.ready);
  for (OutcomeDiagnostics& model : out.outcome_models) model.verdict = judge_fit(model);
  if (headline == nullptr) return;
  if (const PropensityTable* propensity = learnt.nuisances.propensity_of(*headline)) {
    out.propensity_model = find_name(learnt.nuisances, *propensity);
    add_propensity_verdicts(context, data.features, *network, plan, *propensity, results, out);
  }
  if (const OutcomeTable* outcome = learnt.nuisances.outcome_of(*headline)) {
    const std::string name(headline->outcome.name());
    for (const OutcomeDiagnostics& model : out.outcome_models) {
      if (model.name == name) out.verdicts.push_back({"outcome model", model.verdict, false});
    }
    if (network->num_edge_ends() > 0) {
      const std::vector<double> residual =
          residuals(sample.arm, sample.outcome, outcome->mu.view());
      out.residuals_by_degree = {measure_degree_residuals(*network, sample, residual, name)};
      summary.add("residuals by degree", out.residuals_by_degree, true,
                  [](const DegreeResiduals& r) { return std::abs(r.correlation); });
    }
  }
  if (out.network_ridge) {
    out.variance_shares = share_variance(*out.network_ridge, sample.arms);
    summary.add("variance shares", out.variance_shares, false, &VarianceShares::noise);
  }
  if (!out.joint_model.empty()) {
    out.verdicts.push_back(
        {"joint model", describe_joint_model(out.joint_model, sample.arms), false});
  }
  out.stability = measure_stability(results, headline->name, plan.folds, data.cluster, *sample.comm);
  summary.add("stability", out.stability, true, [](const PolicyStability& s) { return -s.fold_p; });
}

}  // namespace cone
