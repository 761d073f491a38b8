#include "diagnostics/verdicts.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "cone/error.hpp"

#include "diagnostics/balance.hpp"
#include "diagnostics/calibration.hpp"
#include "diagnostics/outcome_model.hpp"
#include "diagnostics/overlap.hpp"
#include "diagnostics/residuals.hpp"
#include "diagnostics/stability.hpp"
#include "inference/neighbourhood.hpp"

namespace cone {
namespace {

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

void add_propensity_verdicts(const Context& context, const Neighbourhood& network,
                             const Judged& judged, Diagnostics& out) {
  const LoggedSample& sample = judged.sample;
  const MatrixView<const double> e = judged.propensity->e.view();
  std::vector<SamplePolicy> policies;
  for (std::size_t p = 0; p < judged.results.size(); ++p) {
    policies.push_back({judged.results[p].name, judged.policies[p].view()});
  }
  out.propensity_model = judged.propensity_model;
  out.overlap = measure_arm_overlap(sample, e);
  out.weights = measure_weight_tails(sample, e, policies);
  out.support = measure_support(sample, *judged.propensity, policies);
  out.calibration = measure_calibration(sample, e);
  try {
    out.balance = measure_balance(context, judged.data.features, network, sample, e);
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

void add_outcome_verdicts(const Neighbourhood& network, const Judged& judged, Diagnostics& out) {
  const LoggedSample& sample = judged.sample;
  const std::string name(judged.estimator.outcome.name());
  for (const OutcomeDiagnostics& model : out.outcome_models) {
    if (model.name == name) out.verdicts.push_back({"outcome model", model.verdict, false});
  }
  if (network.num_edge_ends() == 0) return;
  const std::vector<double> residual =
      residuals(sample.arm, sample.outcome, judged.outcome->mu.view());
  out.residuals_by_degree = {measure_degree_residuals(network, sample, residual, name)};
  Summary(*sample.comm, out)
      .add("residuals by degree", out.residuals_by_degree, true,
           [](const DegreeResiduals& r) { return std::abs(r.correlation); });
}

}  // namespace

void add_verdicts(const Context& context, const Judged& judged, Diagnostics& out) {
  const LoggedSample& sample = judged.sample;
  const std::unique_ptr<Neighbourhood> network = make_neighbourhood(judged.data);
  const Summary summary(*sample.comm, out);
  if (judged.propensity != nullptr) add_propensity_verdicts(context, *network, judged, out);
  if (judged.outcome != nullptr) add_outcome_verdicts(*network, judged, out);
  if (out.network_ridge) {
    out.variance_shares = share_variance(*out.network_ridge, sample.arms);
    summary.add("variance shares", out.variance_shares, false, &VarianceShares::noise);
  }
  if (!out.joint_model.empty()) {
    out.verdicts.push_back(
        {"joint model", describe_joint_model(out.joint_model, sample.arms), false});
  }
  out.stability = measure_stability(judged.results, judged.estimator.name, judged.folds,
                                    judged.data.cluster, *sample.comm);
  summary.add("stability", out.stability, true, [](const PolicyStability& s) { return -s.fold_p; });
}

}  // namespace cone
