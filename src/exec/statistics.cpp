#include "exec/statistics.hpp"

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

SumAndCount sum_values(std::span<const double> values, const Communicator& comm) {
  std::array<double, 2> both = {sum(values), static_cast<double>(values.size())};
  comm.allreduce(both);
  return {both[0], both[1]};
}

struct Spread {
  double squares = 0;  ///< sum of squared deviations from the mean
  double count = 0;
};

Spread measure_spread(std::span<const double> values, const Communicator& comm) {
  const SumAndCount all = sum_values(values, comm);
  const double centre = all.mean();
  CompensatedSum total;
  for (const double v : values) total.add((v - centre) * (v - centre));
  return {comm.allreduce(total.value()), all.count};
}

}  // namespace

double sum(std::span<const double> values, const Communicator& comm) {
  return comm.allreduce(sum(values));
}

double mean(std::span<const double> values, const Communicator& comm) {
  return sum_values(values, comm).mean();
}

double variance(std::span<const double> values, int ddof, const Communicator& comm) {
  const Spread spread = measure_spread(values, comm);
  return spread.squares / (spread.count - ddof);
}

double standard_error(std::span<const double> values, const Communicator& comm) {
  const Spread spread = measure_spread(values, comm);
  if (spread.count < 2) return kNaN;
  return std::sqrt(spread.squares / (spread.count - 1) / spread.count);
}

}  // namespace cone
