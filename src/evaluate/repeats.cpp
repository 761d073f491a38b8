#include "evaluate/repeats.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "estimate/significance.hpp"
#include "evaluate/estimate_policies.hpp"
#include "evaluate/sensitivity_intervals.hpp"

namespace cone {
namespace {

double median_of(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

/// The median of something that every run has; NaN where one does not have it.
template <class Get>
double median_over(std::span<const Estimate* const> runs, const Get& get) {
  std::vector<double> values;
  for (const Estimate* run : runs) values.push_back(get(*run));
  const auto is_nan = [](double value) { return std::isnan(value); };
  return std::any_of(values.begin(), values.end(), is_nan) ? kNaN : median_of(std::move(values));
}

/// √median(s² + (v − m)²) for standard errors s.
template <class Get>
double join_error(std::span<const Estimate* const> runs, double median, const Get& get) {
  return std::sqrt(median_over(runs, [&](const Estimate& e) {
    const double error = get(e);
    return error * error + (e.value - median) * (e.value - median);
  }));
}

/// None where a run has none.
std::optional<BiasBound> median_bound(std::span<const Estimate* const> runs,
                                      std::optional<BiasBound> Estimate::*bound) {
  const auto lacks = [&](const Estimate* e) { return !(e->*bound).has_value(); };
  if (std::ranges::any_of(runs, lacks)) return std::nullopt;
  return BiasBound{median_over(runs, [&](const Estimate& e) { return (e.*bound)->too_high; }),
                   median_over(runs, [&](const Estimate& e) { return (e.*bound)->too_low; })};
}

double half_width(std::pair<double, double> interval) {
  return (interval.second - interval.first) / 2;
}

/// With the critical value of the first run, which need not be the normal quantile.
std::pair<double, double> rescale_interval(const Estimate& first, double first_error,
                                           std::pair<double, double> interval, double value,
                                           double error) {
  const double factor =
      first_error > 0 ? half_width(interval) / first_error : two_sided_normal_quantile(first.level);
  return {value - factor * error, value + factor * error};
}

/// The run whose warnings are kept: the first one without a value or standard error, else the
/// first.
const Estimate& find_doubtful(std::span<const Estimate* const> runs) {
  for (const Estimate* run : runs) {
    if (!std::isfinite(run->value)) return *run;
  }
  for (const Estimate* run : runs) {
    if (std::isnan(run->standard_error)) return *run;
  }
  return *runs.front();
}

void join_errors_by_dependence(std::span<const Estimate* const> runs, Estimate& out) {
  for (std::size_t k = 0; k < out.errors_by_dependence.size(); ++k) {
    const auto error_of = [&](const Estimate& e) {
      return k < e.errors_by_dependence.size() ? e.errors_by_dependence[k].standard_error : kNaN;
    };
    out.errors_by_dependence[k].standard_error = join_error(runs, out.value, error_of);
  }
}

}  // namespace

Estimate take_median(const LoggedSample& sample, std::span<const Estimate* const> runs) {
  const Estimate& first = *runs.front();
  const Estimate& doubtful = find_doubtful(runs);
  Estimate out = first;
  out.status = doubtful.status;
  out.warnings = doubtful.warnings;
  std::vector<double> values;
  for (const Estimate* run : runs) values.push_back(run->value);
  out.value = median_over(runs, [](const Estimate& e) { return e.value; });
  out.seed_sd = std::sqrt(variance(values, 1));
  out.standard_error =
      join_error(runs, out.value, [](const Estimate& e) { return e.standard_error; });
  out.population_standard_error =
      join_error(runs, out.value, [](const Estimate& e) { return e.population_standard_error; });
  out.sampling_interval = rescale_interval(first, first.standard_error, first.sampling_interval,
                                           out.value, out.standard_error);
  out.population_sampling_interval =
      rescale_interval(first, first.population_standard_error, first.population_sampling_interval,
                       out.value, out.population_standard_error);
  out.sample_standard_error =
      join_error(runs, out.value, [](const Estimate& e) { return e.sample_standard_error; });
  out.sample_sampling_interval =
      rescale_interval(first, first.sample_standard_error, first.sample_sampling_interval,
                       out.value, out.sample_standard_error);
  join_errors_by_dependence(runs, out);
  out.confounding_bias_bound = median_bound(runs, &Estimate::confounding_bias_bound);
  if (first.smoothing_bias) {
    out.smoothing_bias = {.bias = median_over(runs, [](const Estimate& e) { return e.bias(); }),
                          .standard_error = median_over(runs, [](const Estimate& e) {
                            return e.smoothing_bias ? e.smoothing_bias->standard_error : 0;
                          })};
  }
  for (std::size_t k = 0; k < out.joint.size(); ++k) {
    out.joint[k].shift = median_over(runs, [&](const Estimate& e) { return e.joint[k].shift; });
    for (std::size_t d = 0; d < out.joint[k].deviations.size(); ++d) {
      out.joint[k].deviations[d] =
          median_over(runs, [&](const Estimate& e) { return e.joint[k].deviations[d]; });
    }
  }
  out.sensitivity_widening = median_bound(runs, &Estimate::sensitivity_widening);
  set_sensitivity_interval(sample, out);
  if (first.standard_error > 0) out.parts.inflation = out.standard_error / first.standard_error;
  return out;
}

int repeat_and_take_medians(const Context& context, const LoadedData& data,
                            std::span<const PolicyOnData> policies, const EvaluateOptions& options,
                            const LoggedSample& sample, std::vector<PolicyResult>& results) {
  std::vector<std::vector<PolicyResult>> all = {results};
  for (int k = 1; k < options.repeats; ++k) {
    const StageScope stage(context, fmt::format("repeat {} of {}", k + 1, options.repeats),
                           static_cast<double>(k) / options.repeats,
                           static_cast<double>(k + 1) / options.repeats);
    const Context seeded = context.with_seed(context.seed() + static_cast<std::uint64_t>(k));
    try {
      const EvaluationPlan plan =
          plan_evaluation(seeded, data.observed, policies, options, /*model=*/nullptr);
      Learnt learnt = learn(seeded, data.observed, plan, options, nullptr, nullptr);
      if (!learnt.is_complete) break;
      std::vector<PolicyResult> estimated =
          estimate_policies(seeded, data, policies, plan, learnt, options);
      if (!learnt.is_complete) break;
      all.push_back(std::move(estimated));
    } catch (const Cancelled&) {
      if (data.observed.comm().has_others()) throw;
      break;  // finished repeats are kept
    }
    for (PolicyResult& policy : all.back()) {
      for (Estimate& e : policy.estimates) e.parts = {};  // of the first repeat only
    }
  }
  for (std::size_t p = 0; all.size() > 1 && p < results.size(); ++p) {
    for (std::size_t e = 0; e < results[p].estimates.size(); ++e) {
      std::vector<const Estimate*> runs;
      runs.reserve(all.size());
      for (const std::vector<PolicyResult>& repeat : all) {
        runs.push_back(&repeat[p].estimates[e]);  // all repeats have the estimators in one order
      }
      results[p].estimates[e] = take_median(sample, runs);
    }
  }
  return static_cast<int>(all.size());
}

}  // namespace cone
