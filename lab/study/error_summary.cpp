#include <algorithm>
#include <cmath>
#include <limits>

#include "base/numeric.hpp"
#include "study/table2.hpp"

namespace cone {
namespace {

/// The mean of f(error) over the finite errors of each simulation that has any.
template <class F>
std::vector<double> means(const std::vector<std::vector<double>>& errors, const F& f) {
  std::vector<double> result;
  for (const std::vector<double>& runs : errors) {
    double sum = 0;
    std::size_t count = 0;
    for (const double error : runs) {
      if (!std::isfinite(error)) continue;
      sum += f(error);
      ++count;
    }
    if (count > 0) result.push_back(sum / static_cast<double>(count));
  }
  return result;
}

double error_of_mean(const std::vector<double>& values) {
  if (values.size() < 2) return kNaN;
  return std::sqrt(variance(values, 1) / static_cast<double>(values.size()));
}

double median(std::vector<double> values) {
  if (values.empty()) return kNaN;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

}  // namespace

std::vector<double> absolute_errors(const std::vector<std::vector<double>>& errors) {
  return means(errors, [](double error) { return std::abs(error); });
}

ErrorSummary summarise_errors(const std::vector<std::vector<double>>& errors) {
  const std::vector<double> squares = means(errors, [](double error) { return error * error; });
  const std::vector<double> absolutes = absolute_errors(errors);
  ErrorSummary summary;
  std::vector<double> all;
  for (const std::vector<double>& runs : errors) {
    for (const double error : runs) {
      if (std::isfinite(error)) {
        all.push_back(std::abs(error));
      } else {
        ++summary.num_missing;
      }
    }
  }
  if (absolutes.empty()) {
    summary.rmse = summary.rmse_error = summary.mae = summary.mae_error = kNaN;
    summary.bias = summary.median_error = kNaN;
    return summary;
  }
  summary.rmse = std::sqrt(mean(squares));
  // Delta method: d√m = dm / (2√m).
  summary.rmse_error = summary.rmse > 0 ? error_of_mean(squares) / (2 * summary.rmse) : 0;
  summary.mae = mean(absolutes);
  summary.mae_error = error_of_mean(absolutes);
  summary.bias = mean(means(errors, [](double error) { return error; }));
  summary.median_error = median(std::move(all));
  return summary;
}

}  // namespace cone
