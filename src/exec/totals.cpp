#include "exec/totals.hpp"

#include <array>
#include <cmath>

#include "base/numeric.hpp"

namespace cone {
namespace {

struct SumAndCount {
  double sum = 0;
  double count = 0;
  double mean() const { return sum / count; }
};

SumAndCount sum_values(std::span<const double> values, const Totals& totals) {
  std::array<double, 2> both = {sum(values), static_cast<double>(values.size())};
  totals.allreduce(both);
  return {both[0], both[1]};
}

struct Spread {
  double squares = 0;  ///< sum of squared deviations from the mean
  double count = 0;
};

Spread measure_spread(std::span<const double> values, const Totals& totals) {
  const SumAndCount all = sum_values(values, totals);
  const double centre = all.mean();
  CompensatedSum total;
  for (const double v : values) total.add((v - centre) * (v - centre));
  return {totals.allreduce(total.value()), all.count};
}

}  // namespace

const Totals& Totals::alone() {
  static const Totals totals;
  return totals;
}

double sum(std::span<const double> values, const Totals& totals) {
  return totals.allreduce(sum(values));
}

double mean(std::span<const double> values, const Totals& totals) {
  return sum_values(values, totals).mean();
}

double variance(std::span<const double> values, int ddof, const Totals& totals) {
  const Spread spread = measure_spread(values, totals);
  return spread.squares / (spread.count - ddof);
}

double standard_error(std::span<const double> values, const Totals& totals) {
  const Spread spread = measure_spread(values, totals);
  if (spread.count < 2) return kNaN;
  return std::sqrt(spread.squares / (spread.count - 1) / spread.count);
}

}  // namespace cone
