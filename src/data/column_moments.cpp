#include "data/column_moments.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "cone/context.hpp"

#include "data/number.hpp"

namespace cone::load {
namespace {

/// Per-column sums, added piece by piece in a fixed order, so that the result does not depend on
/// the number of threads.
template <class Add>
std::vector<double> sum_by_column(const Context& context, const FeatureTable& features,
                                  std::size_t stride, std::size_t width, const Add& add) {
  const std::size_t num_rows = (features.matrix.rows() + stride - 1) / stride;
  constexpr std::size_t kMostPieces = 16;
  const std::size_t grain = std::max<std::size_t>(4096, (num_rows + kMostPieces - 1) / kMostPieces);
  const std::size_t size = features.num_dense * width;
  auto pieces = context.map_ranges<std::vector<double>>(
      num_rows, grain, [&](std::size_t begin, std::size_t end) {
        std::vector<double> sums(size, 0.0);
        for (std::size_t i = begin * stride; i < end * stride; i += stride) {
          if (i >= features.matrix.rows()) break;
          features.matrix.row(i).for_each([&](std::uint32_t j, double value) {
            if (j < features.num_dense) add(i, j, value, sums.data() + j * width);
          });
        }
        return sums;
      });
  std::vector<double> total(size, 0.0);
  for (const std::vector<double>& piece : pieces) {
    for (std::size_t j = 0; j < size; ++j) total[j] += piece[j];
  }
  return total;
}

/// What a feature that is the treatment equals: the indicator of an arm, or the number that its
/// label spells. Two arms need one indicator.
class TreatmentTargets {
 public:
  explicit TreatmentTargets(const Dataset& data) : data_(data) {
    if (data.num_arms() == 2) return;
    for (const std::string& label : data.arms) {
      const ParsedNumber number = parse_number(label);
      if (number.kind == NumberKind::kFinite) doses_.push_back(number.value);
    }
    num_indicators_ = data.num_arms();
  }

  std::size_t size() const { return num_indicators_ + (has_doses() ? 1 : 0); }
  double at(std::size_t target, std::size_t node) const {
    const Arm arm = data_.treatment[node];
    if (target == num_indicators_) return doses_[arm];
    return num_indicators_ == 1 ? arm : static_cast<double>(arm == target);
  }

 private:
  bool has_doses() const { return doses_.size() == data_.num_arms(); }

  const Dataset& data_;
  std::size_t num_indicators_ = 1;
  std::vector<double> doses_;
};

}  // namespace

/// Centred sums over every `stride`-th node. A zero that is not stored adds (0 − mean)² to the
/// squares and −mean (y − ȳ) to the products; the latter sum to mean · Σ(y − ȳ) over the stored
/// entries, as Σ(y − ȳ) over all these nodes is zero.
ColumnMoments moments_of(const Context& context, const Dataset& data, std::size_t stride) {
  const TreatmentTargets targets(data);
  double n = 0;
  double outcome_mean = 0;
  std::vector<double> target_mean(targets.size(), 0.0);
  for (std::size_t i = 0; i < data.num_nodes(); i += stride) {
    n += 1;
    outcome_mean += data.outcome[i];
    for (std::size_t t = 0; t < targets.size(); ++t) target_mean[t] += targets.at(t, i);
  }
  const Communicator& comm = context.comm();
  n = comm.allreduce(n);
  outcome_mean = comm.allreduce(outcome_mean) / n;
  comm.allreduce(target_mean);
  for (double& total : target_mean) total /= n;
  ColumnMoments m;
  m.num_nodes = n;
  std::vector<double> target_spread(targets.size(), 0.0);
  for (std::size_t i = 0; i < data.num_nodes(); i += stride) {
    m.outcome_spread += (data.outcome[i] - outcome_mean) * (data.outcome[i] - outcome_mean);
    for (std::size_t t = 0; t < targets.size(); ++t) {
      const double centred = targets.at(t, i) - target_mean[t];
      target_spread[t] += centred * centred;
    }
  }
  m.outcome_spread = comm.allreduce(m.outcome_spread);
  comm.allreduce(target_spread);
  for (const double spread : target_spread) m.has_all_arms = m.has_all_arms && spread > 0;
  m.mean = sum_by_column(context, data.features, stride, 1,
                         [](std::size_t, std::size_t, double x, double* sum) { *sum += x; });
  comm.allreduce(m.mean);
  for (double& sum : m.mean) sum /= n;
  const std::size_t num_sums = 4 + 2 * targets.size();
  std::vector<double> sums =
      sum_by_column(context, data.features, stride, num_sums,
                    [&](std::size_t i, std::size_t j, double x, double* sum) {
                      const double y = data.outcome[i] - outcome_mean;
                      const double centred = x - m.mean[j];
                      sum[0] += 1;
                      sum[1] += centred * centred;
                      sum[2] += centred * y;
                      sum[3] += y;
                      for (std::size_t t = 0; t < targets.size(); ++t) {
                        const double difference = targets.at(t, i) - target_mean[t];
                        sum[4 + 2 * t] += centred * difference;
                        sum[5 + 2 * t] += difference;
                      }
                    });
  comm.allreduce(sums);
  for (std::size_t j = 0; j < data.features.num_dense; ++j) {
    const double* sum = sums.data() + num_sums * j;
    m.spread.push_back(sum[1] + (n - sum[0]) * m.mean[j] * m.mean[j]);
    const auto correlation = [&](double product, double spread) {
      const double scale = std::sqrt(m.spread[j] * spread);
      return scale > 0 ? std::abs(product) / scale : 0.0;
    };
    m.with_outcome.push_back(correlation(sum[2] + m.mean[j] * sum[3], m.outcome_spread));
    double largest = 0;
    for (std::size_t t = 0; t < targets.size(); ++t) {
      largest = std::max(
          largest, correlation(sum[4 + 2 * t] + m.mean[j] * sum[5 + 2 * t], target_spread[t]));
    }
    m.with_treatment.push_back(largest);
  }
  return m;
}

}  // namespace cone::load
