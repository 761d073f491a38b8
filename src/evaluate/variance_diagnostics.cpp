#include "evaluate/variance_diagnostics.hpp"

#include <cmath>

#include "cone/text.hpp"

#include "evaluate/overlap_diagnostics.hpp"

namespace cone {
namespace {

constexpr double kNearlyAllNoise = 0.95;  // docs/diagnostics.md explains the threshold

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

}  // namespace cone
