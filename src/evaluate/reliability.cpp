#include "evaluate/reliability.hpp"

#include <fmt/format.h>

#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "evaluate/overlap_diagnostics.hpp"
#include "evaluate/stability_diagnostics.hpp"
#include "exec/statistics.hpp"

namespace cone {
namespace {

constexpr double kMostOffSupport = 0.1;
constexpr double kLeastFit = -0.05;  // R²; a model of pure noise is a little below 0

}  // namespace

std::string find_failure(const LoggedSample& sample, const Estimate& estimate, Method method,
                         const PolicyStability* stability, std::span<const double> residual) {
  if (estimate.off_support_fraction.value_or(0) > kMostOffSupport) {
    return sentence("{:.0f} % of its assignments are off support, where the value extrapolates",
                    100 * *estimate.off_support_fraction);
  }
  if (estimate.is_oversmoothed()) {
    return sentence("the estimated smoothing bias ({:+.3g} ± {:.2g}) exceeds the standard error",
                    estimate.bias(), estimate.smoothing_bias->standard_error);
  }
  if (stability != nullptr && do_folds_disagree(*stability)) {
    return fmt::format("values by fold differ by more than sampling error explains ({})",
                       p_phrase(stability->fold_p));
  }
  const bool rests_on_model = method == Method::kDirect || method == Method::kJointModel ||
                              method == Method::kCautiousCorrection;
  if (!rests_on_model || !sample.comm->any(!residual.empty())) return "";
  double squares = 0;
  for (const double r : residual) squares += r * r;
  const double n = sample.comm->count(sample.size());
  const double r_squared =
      1 - sample.comm->allreduce(squares) / n / variance(sample.outcome, 0, *sample.comm);
  if (!(r_squared <= kLeastFit)) return "";
  return sentence("the outcome model predicts worse than a constant (R² {:.2f})", r_squared);
}

}  // namespace cone
