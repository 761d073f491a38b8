#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Σ_a (1{T=a} − e_a)² of every node.
std::vector<double> treatment_errors(std::span<const Arm> arm, MatrixView<const double> e) {
  std::vector<double> out(arm.size(), 0.0);
  for (std::size_t i = 0; i < arm.size(); ++i) {
    for (std::size_t a = 0; a < e.cols(); ++a) {
      const double gap = (arm[i] == a ? 1.0 : 0.0) - e(i, a);
      out[i] += gap * gap;
    }
  }
  return out;
}

bool is_clearly_smaller(std::span<const double> errors, std::span<const double> others) {
  std::vector<double> gain(errors.size());
  for (std::size_t i = 0; i < errors.size(); ++i) gain[i] = others[i] - errors[i];
  return mean(gain) > 2 * cone::standard_error(gain);
}

double doubly_robust_value(const LoggedTables& tables, const Contrast& contrast) {
  CompensatedSum total;
  for (std::size_t i = 0; i < tables.arm.size(); ++i) {
    const Arm t = tables.arm[i];
    for (std::size_t a = 0; a < tables.mu.cols(); ++a) {
      total.add(contrast.weight(i, a) * tables.mu(i, a));
    }
    total.add(contrast.weight(i, t) / tables.e(i, t) * (tables.outcome[i] - tables.mu(i, t)));
  }
  return total.value() / static_cast<double>(tables.arm.size());
}

/// Converts a partial R² cf_T with the treatment to the relative gain in the variance of the
/// contrast's weights.
double convert_gain(const LoggedTables& tables, const Contrast& contrast, double cf_t) {
  CompensatedSum spread;
  CompensatedSum weights;
  for (std::size_t i = 0; i < tables.arm.size(); ++i) {
    for (std::size_t a = 0; a < tables.e.cols(); ++a) {
      const double weight = contrast.weight(i, a);
      if (weight == 0) continue;
      const double e = tables.e(i, a);
      spread.add(weight * weight * (1 - e) / (e * e));
      weights.add(weight * weight / e);
    }
  }
  return weights.value() > 0 ? cf_t * spread.value() / weights.value() : 0.0;
}

}  // namespace

double treatment_r2(std::span<const Arm> arm, MatrixView<const double> e) {
  std::vector<double> share(e.cols(), 0.0);
  for (const Arm t : arm) share[t] += 1 / static_cast<double>(arm.size());
  double total = 0;
  for (const double m : share) total += m * (1 - m);
  return 1 - mean(treatment_errors(arm, e)) / total;
}

double outcome_r2(const LoggedTables& tables) {
  std::vector<double> squares(tables.arm.size());
  for (std::size_t i = 0; i < squares.size(); ++i) {
    const double r = tables.outcome[i] - tables.mu(i, tables.arm[i]);
    squares[i] = r * r;
  }
  return 1 - mean(squares) / variance(tables.outcome, 0);
}

Benchmark measure_benchmark(std::string name, const LoggedTables& with, const LoggedTables& without,
                            const Contrast& contrast) {
  Benchmark out;
  out.name = std::move(name);
  out.outcome_r2_long = outcome_r2(with);
  out.outcome_r2_short = outcome_r2(without);
  out.cf_y = std::clamp((out.outcome_r2_long - out.outcome_r2_short) / (1 - out.outcome_r2_long),
                        0.0, 1.0);
  out.treatment_r2_long = treatment_r2(with.arm, with.e);
  out.treatment_r2_short = treatment_r2(without.arm, without.e);
  out.treatment_gain_is_clear = is_clearly_smaller(treatment_errors(with.arm, with.e),
                                                   treatment_errors(without.arm, without.e));
  const ConfoundingScale scale = confounding_scale(with, contrast);
  const ConfoundingScale scale_without = confounding_scale(without, contrast);
  if (scale_without.nu2 > 0) out.nu2_gain = std::max(scale.nu2 / scale_without.nu2 - 1, 0.0);
  const double cf_t = std::clamp(
      (out.treatment_r2_long - out.treatment_r2_short) / (1 - out.treatment_r2_short), 0.0, 1.0);
  out.converted_gain = convert_gain(without, contrast, cf_t);
  out.gain_d = std::max(out.nu2_gain, out.converted_gain);
  out.cf_d = out.gain_d / (1 + out.gain_d);
  out.bias = std::sqrt(out.cf_y * out.gain_d) * scale.by_arm;
  out.shift = doubly_robust_value(with, contrast) - doubly_robust_value(without, contrast);
  return out;
}

}  // namespace cone
