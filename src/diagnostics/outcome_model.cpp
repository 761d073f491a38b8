#include "diagnostics/outcome_model.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "diagnostics/phrases.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

constexpr double kNearlyAllNoise = 0.95;  // docs/diagnostics.md explains the threshold

double r_squared(const LoggedSample& sample, const OutcomeTable& table) {
  const Communicator& comm = *sample.comm;
  const double centre = mean(sample.outcome, comm);
  CompensatedSum residual;
  CompensatedSum spread;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    const double error = sample.outcome[i] - table.mu(i, sample.arm[i]);
    residual.add(error * error);
    spread.add((sample.outcome[i] - centre) * (sample.outcome[i] - centre));
  }
  return 1 - comm.allreduce(residual.value()) / comm.allreduce(spread.value());
}

}  // namespace

std::vector<VarianceShares> share_variance(const NetworkRidgeSummary& ridge,
                                           std::span<const std::string> arms) {
  std::vector<VarianceShares> out;
  for (std::size_t a = 0; a < arms.size(); ++a) {
    VarianceShares shares{.arm = arms[a]};
    double num_fits = 0;
    for (const ArmVariances& fit : ridge.arms) {
      if (fit.arm != arms[a]) continue;
      double own = 0;
      double network = 0;
      for (const auto& [name, variance] : fit.groups) {
        (name.starts_with("own_") ? own : network) += variance;
      }
      const double noise = fit.noise + fit.noise_growth;
      const double all = own + network + noise;
      if (!(all > 0)) continue;
      shares.own += own / all;
      shares.network += network / all;
      shares.noise += noise / all;
      ++num_fits;
    }
    if (num_fits == 0) continue;
    for (double* share : {&shares.own, &shares.network, &shares.noise}) *share /= num_fits;
    shares.verdict = {
        shares.noise > kNearlyAllNoise,
        sentence("under {}, own features explain {:.0f} % of the outcome variance, "
                 "the network {:.0f} %; {:.0f} % is noise",
                 arm_phrase(arms, a), 100 * shares.own, 100 * shares.network, 100 * shares.noise)};
    out.push_back(std::move(shares));
  }
  return out;
}

Verdict judge_fit(const OutcomeDiagnostics& model) {
  if (!std::isfinite(model.r_squared)) return {false, model.name + ": outcomes do not vary"};
  if (model.r_squared < 0) {
    return {true, sentence("{} predicts outcomes worse than a constant (R² {:.2g})", model.name,
                           model.r_squared)};
  }
  // Outcomes are hardly ever that predictable, and a feature that is part of the outcome absorbs
  // the treatment effect.
  constexpr double kTooGood = 0.999;
  if (model.r_squared > kTooGood) {
    return {true, sentence("{} explains {:.2f} % of the outcome variance: leave out features that "
                           "were measured after treatment or determine the outcome (they absorb "
                           "the treatment effect)",
                           model.name, std::floor(10000 * model.r_squared) / 100)};
  }
  return {false, sentence("{} explains {:.0f} % of the outcome variance (R² {:.2f})", model.name,
                          100 * model.r_squared, model.r_squared)};
}

Verdict describe_joint_model(std::span<const JointArm> joint, std::span<const std::string> arms) {
  const auto most = std::ranges::max_element(joint, {}, &JointArm::trust);
  const std::string phrase = arm_phrase(arms, static_cast<std::size_t>(most - joint.begin()));
  if (most->trust == 0) {
    return {false, fmt::format("no clear selection on predicted outcomes, so network_joint equals "
                               "network_dm ({}: {})",
                               phrase, most->reason)};
  }
  return {
      false,
      sentence("units with {} predicted outcomes under {} were more likely to receive it (log "
               "odds {:+.2f} ± {:.2f} per standard deviation, trust {:.2f}); slopes of the parts "
               "of the prediction {} (p {:.2g}){}",
               most->slope > 0 ? "higher" : "lower", phrase, most->slope, most->slope_error,
               most->trust, most->has_equal_slopes ? "do not differ" : "differ",
               most->equal_slopes_p,
               most->has_equal_slopes ? "" : ", so network_joint leaves this arm as it is")};
}

OutcomeDiagnostics diagnose_outcomes(const std::string& name, const LoggedSample& sample,
                                     const OutcomeTable& table) {
  OutcomeDiagnostics out{.name = name, .r_squared = r_squared(sample, table)};
  out.verdict = judge_fit(out);
  return out;
}

}  // namespace cone
