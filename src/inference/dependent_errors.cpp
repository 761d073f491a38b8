#include "inference/dependent_errors.hpp"

#include <algorithm>
#include <cmath>

#include "cone/error.hpp"

#include "base/numeric.hpp"
#include "estimate/degrees_of_freedom.hpp"
#include "estimate/significance.hpp"
#include "nuisance/residual_variance.hpp"

namespace cone {
namespace {

/// Σ_i Σ_{a≠T} π_a(i)·π'_a(i)·σ_a(i)² / n², for every two policies.
Matrix<double> unlogged_covariance(const Context& context, const DependenceKernels& kernels,
                                   const LoggedSample& sample,
                                   std::span<const Matrix<double>* const> policies,
                                   const Matrix<double>& variance) {
  const std::size_t k = policies.size();
  Matrix<double> out(k, k);
  const double n = kernels.num_nodes();
  context.for_each_range(k, 1, [&](std::size_t p, std::size_t) {
    for (std::size_t q = p; q < k; ++q) {
      context.poll();  // the number of pairs is quadratic
      CompensatedSum total;
      for (std::size_t i = 0; i < sample.size(); ++i) {
        for (std::size_t a = 0; a < sample.num_arms(); ++a) {
          const double product = (*policies[p])(i, a) * (*policies[q])(i, a);
          if (a != sample.arm[i] && product != 0) total.add(product * variance(i, a));
        }
      }
      out(p, q) = out(q, p) = total.value() / (n * n);
    }
  });
  kernels.comm().allreduce(out.values());
  return out;
}

/// Of arms that units did not receive, scaled to each policy's own variance under the arm noise.
Matrix<double> covariance_of_unlogged(const Context& context, const DependenceKernels& kernels,
                                      const LoggedSample& sample,
                                      std::span<const double> unlogged_variance,
                                      std::span<const Matrix<double>* const> policies,
                                      const ModelNoise* noise) {
  const std::size_t count = unlogged_variance.size();
  Matrix<double> out(count, count, 0.0);
  if (noise != nullptr && count > 1) {
    out = unlogged_covariance(context, kernels, sample, policies, noise->variance);
    std::vector<double> scale(count, 0.0);
    for (std::size_t k = 0; k < count; ++k) {
      if (out(k, k) > 0) scale[k] = std::sqrt(unlogged_variance[k] / out(k, k));
    }
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t l = 0; l < count; ++l) out(k, l) *= scale[k] * scale[l];
    }
  } else {
    for (std::size_t k = 0; k < count; ++k) out(k, k) = unlogged_variance[k];
  }
  return out;
}

/// Variance beyond the nodes' contributions: arms that units did not receive, and imbalance.
Matrix<double> variance_beside_parts(const Context& context, const DependenceKernels& kernels,
                                     const LoggedSample& sample,
                                     std::span<const ErrorParts* const> parts,
                                     std::span<const Matrix<double>* const> policies,
                                     const ModelNoise* noise) {
  const std::size_t count = parts.size();
  std::vector<double> unlogged;
  for (const ErrorParts* p : parts) unlogged.push_back(p->unlogged_variance);
  Matrix<double> out = covariance_of_unlogged(context, kernels, sample, unlogged, policies, noise);
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = 0; l < count; ++l) {
      if (parts[k]->imbalance.empty() || parts[l]->imbalance.empty()) continue;
      out(k, l) += parts[k]->imbalance[parts[l]->policy_index];
    }
  }
  return out;
}

/// Columns with mean zero.
template <class Column>
Matrix<double> centre_columns(const DependenceKernels& kernels,
                              std::span<const ErrorParts* const> parts, const Column& column) {
  Matrix<double> out(column(*parts[0]).size(), parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    const std::vector<double>& values = column(*parts[k]);
    const double centre = kernels.comm().allreduce(sum(values)) / kernels.num_nodes();
    for (std::size_t i = 0; i < values.size(); ++i) out(i, k) = values[i] - centre;
  }
  return out;
}

/// Variance relative to independent nodes, on average over the values.
double mean_ratio(const DependentCovariance& way, const Matrix<double>& independent) {
  double total = 0;
  for (std::size_t k = 0; k < independent.rows(); ++k) {
    total += independent(k, k) > 0 ? way.covariance(k, k) / independent(k, k) : 1;
  }
  return total / static_cast<double>(independent.rows());
}

/// For the sample, by given clusters. Noise shared in a cluster is assumed not to be one of the
/// model's effects: the full residual counts, without imbalance.
DependentCovariance covariance_of_groups(const Context& context, const DependenceKernels& kernels,
                                         const LoggedSample& sample,
                                         std::span<const ErrorParts* const> parts,
                                         std::span<const Matrix<double>* const> policies,
                                         const ModelNoise* noise) {
  using Column = const std::vector<double>&;
  const Matrix<double> own = centre_columns(kernels, parts, [](const ErrorParts& p) -> Column {
    return p.unscaled.empty() ? p.sample : p.unscaled;
  });
  const Matrix<double> grouped =
      centre_columns(kernels, parts, [](const ErrorParts& p) -> Column { return p.grouped; });
  DependentCovariance out = kernels.cluster_covariance(own.view(), grouped.view());
  std::vector<double> unlogged;
  for (const ErrorParts* p : parts) {
    unlogged.push_back(p->unscaled.empty() ? p->unlogged_variance : p->unscaled_unlogged_variance);
  }
  const Matrix<double> beside =
      covariance_of_unlogged(context, kernels, sample, unlogged, policies, noise);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    for (std::size_t l = 0; l < parts.size(); ++l) out.covariance(k, l) += beside(k, l);
  }
  return out;
}

/// Whether the variance of some difference of two values vanishes that is positive with independent
/// nodes. Kernels that are not positive semi-definite do that.
bool has_degenerate_difference(const Matrix<double>& covariance,
                               const Matrix<double>& independent) {
  constexpr double kRounding = 1e-9;
  const auto share = [](const Matrix<double>& c, std::size_t k, std::size_t l) {
    const double size = c(k, k) + c(l, l);
    return size > 0 ? (size - 2 * c(k, l)) / size : 0;
  };
  for (std::size_t k = 0; k < covariance.rows(); ++k) {
    for (std::size_t l = 0; l < k; ++l) {
      if (share(independent, k, l) > kRounding && share(covariance, k, l) <= kRounding) return true;
    }
  }
  return false;
}

/// Criterion of Dependence::kLargest. Few given clusters make wide intervals by their t quantile,
/// which a variance alone does not show.
double rank_ratio(const DependentCovariance& way, const Matrix<double>& independent,
                  bool has_given_clusters) {
  constexpr double kLevel = 0.95;
  const double ratio = mean_ratio(way, independent);
  if (!has_given_clusters) return ratio;
  const double quantiles =
      two_sided_t_quantile(kLevel, way.degrees_of_freedom) / two_sided_normal_quantile(kLevel);
  return ratio * quantiles * quantiles;
}

/// See JointErrors::degrees_of_freedom. `columns`: the contributions of the values.
std::vector<double> count_degrees(const LoggedSample& sample,
                                  std::span<const ErrorParts* const> parts,
                                  MatrixView<const double> columns, Target target) {
  std::vector<double> out;
  out.reserve(parts.size());
  std::vector<double> contributions(columns.rows());
  const auto degrees_of = [&](std::size_t k) -> const std::vector<double>& {
    return target == Target::kSample ? parts[k]->sample_degrees : parts[k]->population_degrees;
  };
  const std::vector<double>& of_first = degrees_of(0);
  for (std::size_t k = 0; k < parts.size(); ++k) {
    std::vector<double> by_arm = degrees_of(k);
    for (std::size_t i = 0; i < columns.rows(); ++i) contributions[i] = columns(i, k);
    double least = satterthwaite_degrees(sample, contributions, by_arm);
    if (k > 0) {
      for (std::size_t a = 0; a < by_arm.size() && a < of_first.size(); ++a) {
        by_arm[a] = std::min(by_arm[a], of_first[a]);
      }
      for (std::size_t i = 0; i < columns.rows(); ++i) contributions[i] -= columns(i, 0);
      least = std::min(least, satterthwaite_degrees(sample, contributions, by_arm));
    }
    out.push_back(least);
  }
  return out;
}

}  // namespace

ModelNoise describe_noise(const Context& context, std::span<const double> relative_degree,
                          const LoggedSample& sample, MatrixView<const double> mu,
                          const DependenceKernels* kernels) {
  ModelNoise out;
  out.variance = estimate_noise(relative_degree, sample, mu);
  out.residual = residuals(sample.arm, sample.outcome, mu);
  std::vector<double> standardised;
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.sd.push_back(std::sqrt(out.variance(i, sample.arm[i])));
    standardised.push_back(out.sd[i] > 0 ? out.residual[i] / out.sd[i] : 0.0);
  }
  if (kernels != nullptr) out.shared = kernels->measure_shared_noise(context, standardised);
  const std::vector<double> factor = raise_arm_noise(sample, out.residual);
  for (std::size_t i = 0; i < sample.size(); ++i) {
    out.sd[i] *= factor[sample.arm[i]];
    for (std::size_t a = 0; a < factor.size(); ++a) out.variance(i, a) *= factor[a] * factor[a];
  }
  return out;
}

double JointErrors::degrees_of(std::size_t value) const {
  return std::min(best().degrees_of_freedom, degrees_of_freedom[value]);
}

double JointErrors::design_effect() const { return mean_ratio(best(), ways[0].covariance); }

std::optional<JointErrors> join_errors(const Context& context, const DependenceKernels& kernels,
                                       const LoggedSample& sample, Target target,
                                       std::span<const ErrorParts* const> parts,
                                       std::span<const Matrix<double>* const> policies,
                                       const ModelNoise* noise, Dependence wanted) {
  const bool is_sample = target == Target::kSample;
  for (const ErrorParts* p : parts) {
    const bool has_parts = !(is_sample ? p->sample : p->population).empty();
    if (!kernels.comm().any(has_parts)) return std::nullopt;
  }
  const Matrix<double> columns =
      centre_columns(kernels, parts, [&](const ErrorParts& p) -> const std::vector<double>& {
        return is_sample ? p.sample : p.population;
      });
  JointErrors out;
  out.ways = kernels.covariances(context, columns.view());
  out.degrees_of_freedom = count_degrees(sample, parts, columns.view(), target);
  if (is_sample && noise != nullptr && kernels.has_edges()) {
    Matrix<double> scaled(columns.rows(), columns.cols());
    for (std::size_t i = 0; i < scaled.rows(); ++i) {
      for (std::size_t k = 0; k < scaled.cols(); ++k) {
        scaled(i, k) = parts[k]->coefficient[i] * noise->sd[i];
      }
    }
    out.ways.push_back(
        kernels.shared_covariance(context, noise->shared, scaled.view(), out.ways[0].covariance));
  }
  if (is_sample) {
    const Matrix<double> beside =
        variance_beside_parts(context, kernels, sample, parts, policies, noise);
    for (DependentCovariance& way : out.ways) {
      for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t q = 0; q < parts.size(); ++q) way.covariance(p, q) += beside(p, q);
      }
      if (kernels.clusters().given && way.dependence == Dependence::kClusters) {
        way = covariance_of_groups(context, kernels, sample, parts, policies, noise);
      }
    }
  }
  for (DependentCovariance& way : out.ways) {
    if (way.is_usable() && has_degenerate_difference(way.covariance, out.ways[0].covariance)) {
      way.unusable = "zero variance for a difference of two values";
    }
  }
  // Where two are equal up to rounding, the first: on any number of ranks the same.
  constexpr double kRounding = 1e-9;
  double largest = 0;
  for (std::size_t w = 0; w < out.ways.size(); ++w) {
    const DependentCovariance& way = out.ways[w];
    if (wanted != Dependence::kLargest && way.dependence != wanted) continue;
    if (!way.is_usable()) continue;
    const double ratio = rank_ratio(way, out.ways[0].covariance, kernels.clusters().given);
    if (ratio > (1 + kRounding) * largest) {
      largest = ratio;
      out.chosen = w;
    }
  }
  return out;
}

void apply_dependence(const Context& context, const DependenceKernels& kernels,
                      const LoggedSample& sample, const Matrix<double>& policy,
                      const ModelNoise* noise, Dependence wanted, Estimate& out) {
  if (std::isnan(out.standard_error)) return;
  const ErrorParts* parts = &out.parts;
  const Matrix<double>* table = &policy;
  const auto join_for = [&](Target target) {
    return join_errors(context, kernels, sample, target, {&parts, 1}, {&table, 1}, noise, wanted);
  };
  const auto set_error = [&](const JointErrors& joint, double& standard_error,
                             std::pair<double, double>& interval) {
    if (joint.best().dependence == Dependence::kIndependent) return;  // unchanged
    standard_error = std::sqrt(joint.best().covariance(0, 0));
    const double half_width = two_sided_t_quantile(out.level, joint.degrees_of(0)) * standard_error;
    interval = {out.value - half_width, out.value + half_width};
  };
  const std::optional<JointErrors> errors = join_for(out.target);
  if (!errors) return;
  for (const DependentCovariance& way : errors->ways) {
    out.errors_by_dependence.push_back(
        {.dependence = way.dependence,
         .standard_error = way.covariance(0, 0) >= 0 ? std::sqrt(way.covariance(0, 0)) : kNaN,
         .noise = way.noise[0],
         .unusable = way.unusable});
  }
  out.dependence = errors->best().dependence;
  set_error(*errors, out.standard_error, out.sampling_interval);
  if (out.dependence != Dependence::kIndependent) out.degrees_of_freedom = errors->degrees_of(0);
  const bool is_sample = out.target == Target::kSample;
  const std::optional<JointErrors> other =
      join_for(is_sample ? Target::kPopulation : Target::kSample);
  if (is_sample) {
    out.sample_standard_error = out.standard_error;
    out.sample_sampling_interval = out.sampling_interval;
  } else {
    out.population_standard_error = out.standard_error;
    out.population_sampling_interval = out.sampling_interval;
  }
  if (!other) return;
  if (is_sample) {
    set_error(*other, out.population_standard_error, out.population_sampling_interval);
  } else {
    set_error(*other, out.sample_standard_error, out.sample_sampling_interval);
  }
}

}  // namespace cone
