#include <algorithm>
#include <cmath>
#include <utility>

#include "cone/error.hpp"
#include "cone/estimate.hpp"
#include "cone/sensitivity.hpp"

#include "base/numeric.hpp"

namespace cone {
namespace {

/// Γ and its noise part, for one node and arm.
struct Score {
  double gamma = 0;
  double noise = 0;
};

Score combine(bool is_logged, double y, double e, double kappa, double excess) {
  if (!is_logged) return {kappa, 0};
  const double noise = (1 - e) / e * excess;
  return {y + noise, noise};
}

/// The upper score of a binary outcome. A linear model may predict outside [0, 1]; the width added
/// to its prediction is that of the probability clipped to [0, 1].
Score score_binary(bool is_logged, double y, double mu, double e, double lambda) {
  const double p = std::clamp(mu, 0.0, 1.0);
  const bool quantile_is_one = p > 1 / (1 + lambda);
  const double widest = quantile_is_one ? 1 - 1 / lambda + p / lambda : lambda * p;
  const double kappa = mu + (widest - p);
  const double h = quantile_is_one ? 1 : (1 + lambda) * y;
  return combine(is_logged, y, e, kappa, y / lambda + (1 - 1 / lambda) * h - kappa);
}

/// Mean and standard error in one pass. Curves take thousands of passes over all nodes, so the sums
/// are not compensated; subtracting the first value keeps the precision.
struct Moments {
  void add(double x) {
    if (std::isnan(origin)) origin = x;
    const double gap = x - origin;
    total += gap;
    squares += gap * gap;
  }
  double mean(double n) const { return origin + total / n; }
  /// Of the mean, n − 1 in the variance.
  double squared_error(double n) const {
    return std::max(squares - total / n * total, 0.0) / (n - 1) / n;
  }

  double origin = kNaN;
  double total = 0;
  double squares = 0;
};

/// The same with survey weights w of mean 1, for x that is multiplied by w: the moments of
/// x − (w − 1)·mean, whose deviation from the mean is w times that of the unweighted x.
struct UnitsMoments : Moments {
  void add(double x, double units) {
    Moments::add(x);
    const double surplus = units - 1;
    product += surplus * (x - origin);
    surplus_squares += surplus * surplus;
  }
  double squared_error(double n) const {
    const double centre = mean(n);
    const double less = 2 * centre * product - centre * centre * surplus_squares;
    return std::max(squares - total / n * total - less, 0.0) / (n - 1) / n;
  }

  double product = 0;
  double surplus_squares = 0;
};

void require_tables(const LoggedTables& tables) {
  const std::size_t n = tables.arm.size();
  const std::size_t num_arms = tables.mu.cols();
  require(n > 0 && tables.outcome.size() == n && tables.mu.rows() == n && tables.e.rows() == n &&
              tables.e.cols() == num_arms,
          "sensitivity: tables of different sizes");
}

}  // namespace

MarginalModel::MarginalModel(const LoggedTables& tables, Matrix<double> scale)
    : tables_(tables), scale_(std::move(scale)) {
  require_tables(tables_);
  const std::size_t num_arms = tables_.mu.cols();
  require(scale_.rows() == tables_.arm.size() && scale_.cols() == num_arms,
          "sensitivity: the scale has the wrong size");
  const auto [low, high] = std::minmax_element(tables_.outcome.begin(), tables_.outcome.end());
  low_ = *low;
  high_ = *high;
  is_binary_ = low_ < high_ && std::all_of(tables_.outcome.begin(), tables_.outcome.end(),
                                           [&](double y) { return y == low_ || y == high_; });
  residuals_.resize(num_arms);
  negated_.resize(num_arms);
  for (std::size_t i = 0; i < tables_.arm.size(); ++i) {
    const Arm t = tables_.arm[i];
    const double s = scale_(i, t);
    const double r = tables_.outcome[i] - tables_.mu(i, t);
    residuals_[t].push_back(s > 0 ? r / s : 0.0);
  }
  for (std::size_t a = 0; a < num_arms; ++a) {
    std::sort(residuals_[a].begin(), residuals_[a].end());
    for (auto r = residuals_[a].rbegin(); r != residuals_[a].rend(); ++r)
      negated_[a].push_back(-*r);
    double squares = 0;
    for (const double r : residuals_[a]) squares += r * r;
    spread_.push_back(residuals_[a].empty() ? 1
                                            : squares / static_cast<double>(residuals_[a].size()));
  }
}

MarginalModel::Tail MarginalModel::tail_of(std::span<const double> sorted, double lambda) const {
  if (sorted.empty()) return {kNaN, kNaN};
  const double t = lambda / (1 + lambda);
  const auto m = static_cast<double>(sorted.size());
  const auto index = static_cast<std::size_t>(std::max(std::ceil(t * m) - 1, 0.0));
  const double quantile = sorted[std::min(index, sorted.size() - 1)];
  double above = 0;
  for (std::size_t k = index; k < sorted.size(); ++k) above += sorted[k] - quantile;
  return {quantile, quantile + above / m / (1 - t)};
}

MarginalScores MarginalModel::score(double lambda) const {
  require(lambda >= 1, "sensitivity: lambda must be at least 1");
  const std::size_t n = tables_.arm.size();
  const std::size_t num_arms = tables_.mu.cols();
  MarginalScores out{.lambda = lambda,
                     .lower = Matrix<double>::unfilled(n, num_arms),
                     .upper = Matrix<double>::unfilled(n, num_arms),
                     .lower_noise = std::vector<double>(n),
                     .upper_noise = std::vector<double>(n)};
  const double share = 1 - 1 / lambda;
  const double beyond = 1 + lambda;  // 1/(1 − t)
  for (std::size_t a = 0; a < num_arms; ++a) {
    const Tail up = is_binary_ ? Tail{} : tail_of(residuals_[a], lambda);
    const Tail down = is_binary_ ? Tail{} : tail_of(negated_[a], lambda);
    for (std::size_t i = 0; i < n; ++i) {
      const bool is_logged = tables_.arm[i] == a;
      const double y = tables_.outcome[i];
      const double mu = tables_.mu(i, a);
      const double e = tables_.e(i, a);
      Score upper;
      Score lower;
      if (is_binary_) {
        const double unit = high_ - low_;
        const double p = (mu - low_) / unit;
        const double one = (y - low_) / unit;
        upper = score_binary(is_logged, one, p, e, lambda);
        lower = score_binary(is_logged, 1 - one, 1 - p, e, lambda);
        upper = {low_ + unit * upper.gamma, unit * upper.noise};
        lower = {high_ - unit * lower.gamma, -unit * lower.noise};
      } else {
        const double s = scale_(i, a);
        const double r = y - mu;
        // h − E[h] of the upper end, and of the lower one with −Y in place of Y.
        const auto excess = [&](const Tail& tail, double residual) {
          const double above = std::max(residual - s * tail.quantile, 0.0);
          return s * (tail.quantile - tail.mean) + above * beyond;
        };
        upper =
            combine(is_logged, y, e, mu + share * s * up.mean, r / lambda + share * excess(up, r));
        lower = combine(is_logged, y, e, mu - share * s * down.mean,
                        r / lambda - share * excess(down, -r));
      }
      out.upper(i, a) = upper.gamma;
      out.lower(i, a) = lower.gamma;
      if (is_logged) {
        out.upper_noise[i] = upper.noise;
        out.lower_noise[i] = lower.noise;
      }
    }
  }
  return out;
}

MarginalBounds MarginalModel::bound(const MarginalScores& scores, const Contrast& contrast) const {
  const std::size_t n = tables_.arm.size();
  const std::size_t num_arms = scores.upper.cols();
  const bool from_logged = contrast.reference == Reference::kLogged;
  UnitsMoments lower, upper;
  Moments lower_noise, upper_noise;
  double unlogged = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Arm t = tables_.arm[i];
    const double units = contrast.units_at(i);
    double low = from_logged ? -units * tables_.outcome[i] : 0.0;
    double high = low;
    for (std::size_t a = 0; a < num_arms; ++a) {
      const double weight = contrast.weight(i, a);
      if (weight == 0) continue;  // an arm without units has no bound, and needs none
      const double with_lower = weight * scores.lower(i, a);
      const double with_upper = weight * scores.upper(i, a);
      low += weight > 0 ? with_lower : with_upper;
      high += weight > 0 ? with_upper : with_lower;
      const double sd = weight * scale_(i, a);
      if (a != t) unlogged += sd * sd * spread_[a];
    }
    lower.add(low, units);
    upper.add(high, units);
    const double weight = contrast.weight(i, t);
    const double with_lower = weight * scores.lower_noise[i];
    const double with_upper = weight * scores.upper_noise[i];
    lower_noise.add(weight > 0 ? with_lower : with_upper);
    upper_noise.add(weight > 0 ? with_upper : with_lower);
  }
  const auto size = static_cast<double>(n);
  const auto end_of = [&](const UnitsMoments& phi, const Moments& noise) {
    return BoundEnd{.value = phi.mean(size),
                    .standard_error = std::sqrt(noise.squared_error(size) + unlogged / size / size),
                    .population_standard_error = std::sqrt(phi.squared_error(size))};
  };
  return {.lambda = scores.lambda,
          .lower = end_of(lower, lower_noise),
          .upper = end_of(upper, upper_noise)};
}

ContrastEstimate MarginalModel::estimate(const Contrast& contrast) const {
  const std::size_t n = tables_.arm.size();
  ContrastEstimate out;
  out.influence.resize(n);
  out.population_influence.resize(n);
  CompensatedSum unlogged;
  for (std::size_t i = 0; i < n; ++i) {
    const Arm t = tables_.arm[i];
    const double r = tables_.outcome[i] - tables_.mu(i, t);
    const double correction = contrast.weight(i, t) * r / tables_.e(i, t);
    double expected =
        contrast.reference == Reference::kLogged ? -contrast.units_at(i) * tables_.outcome[i] : 0.0;
    for (std::size_t a = 0; a < tables_.mu.cols(); ++a) {
      const double weight = contrast.weight(i, a);
      expected += weight * tables_.mu(i, a);
      const double sd = weight * scale_(i, a);
      if (t != a) unlogged.add(sd * sd * spread_[a]);
    }
    out.population_influence[i] = expected + correction;
    out.influence[i] = correction * (1 - tables_.e(i, t));
  }
  const auto size = static_cast<double>(n);
  out.value = mean(out.population_influence);
  for (std::size_t i = 0; i < n; ++i) {
    out.population_influence[i] -= contrast.units_at(i) * out.value;
  }
  const double centre = mean(out.influence);
  for (double& phi : out.influence) phi -= centre;
  out.unlogged_variance = unlogged.value() / (size * size);
  const double error = cone::standard_error(out.influence);
  out.standard_error = std::sqrt(error * error + out.unlogged_variance);
  out.population_standard_error = cone::standard_error(out.population_influence);
  return out;
}

}  // namespace cone
