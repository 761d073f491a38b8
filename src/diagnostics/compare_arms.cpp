#include "diagnostics/compare_arms.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "base/numeric.hpp"

namespace cone {
namespace {

constexpr double kConstant = 1e-12;

/// Mean and scale of a column.
struct ColumnScale {
  double centre = 0;  ///< weighted mean
  double mean = 0;    ///< over nodes
  double size = 0;
  double sd = 0;

  bool is_constant() const { return size < 2 || !(sd > kConstant); }
};

/// The values of a column in one arm.
class ArmView {
 public:
  ArmView(const SampleColumn& column, const LoggedSample& sample, MatrixView<const double> e,
          std::size_t arm)
      : column_(column), sample_(sample), e_(e), arm_(arm) {}

  /// body(k) for the entries of the arm's nodes.
  template <class Body>
  void for_each_member(const Body& body) const {
    for (std::size_t k = 0; k < column_.values.size(); ++k) {
      if (sample_.arm[column_.rows[k]] == arm_) body(k);
    }
  }
  double units(std::size_t k) const { return sample_.weight_of(column_.rows[k]); }
  double propensity(std::size_t k) const { return e_(column_.rows[k], arm_); }
  double weight(std::size_t k) const { return propensity(k) > 0 ? units(k) / propensity(k) : 0.0; }

 private:
  const SampleColumn& column_;
  const LoggedSample& sample_;
  MatrixView<const double> e_;
  std::size_t arm_;
};

/// Sums of every column in parallel, then over all ranks: fill(column, its `width` sums).
template <class Fill>
std::vector<double> sum_columns(const Context& context, const Communicator& comm, std::size_t count,
                                std::size_t width, const Fill& fill) {
  std::vector<double> sums(count * width, 0.0);
  context.for_each_range(count, 1, [&](std::size_t c, std::size_t) {
    fill(c, std::span(sums).subspan(c * width, width));
  });
  comm.allreduce(sums);
  return sums;
}

std::vector<ColumnScale> measure_scales(const Context& context,
                                        const std::vector<SampleColumn>& columns,
                                        const LoggedSample& sample) {
  const Communicator& comm = *sample.comm;
  const std::vector<double> sums = sum_columns(
      context, comm, columns.size(), 4, [&](std::size_t c, std::span<double> of_column) {
        const SampleColumn& column = columns[c];
        CompensatedSum total;
        CompensatedSum num_units;
        for (std::size_t k = 0; k < column.values.size(); ++k) {
          const double units = sample.weight_of(column.rows[k]);
          total.add(units * column.values[k]);
          num_units.add(units);
        }
        of_column[0] = total.value();
        of_column[1] = num_units.value();
        of_column[2] = sum(column.values);
        of_column[3] = static_cast<double>(column.values.size());
      });
  std::vector<ColumnScale> scales;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const double* const found = sums.data() + 4 * c;
    scales.push_back(
        {.centre = found[0] / found[1], .mean = found[2] / found[3], .size = found[3]});
  }
  const std::vector<double> squares = sum_columns(
      context, comm, columns.size(), 1, [&](std::size_t c, std::span<double> of_column) {
        CompensatedSum total;
        for (const double v : columns[c].values) {
          total.add((v - scales[c].mean) * (v - scales[c].mean));
        }
        of_column[0] = total.value();
      });
  for (std::size_t c = 0; c < columns.size(); ++c) {
    scales[c].sd = std::sqrt(squares[c] / scales[c].size);
  }
  return scales;
}

}  // namespace

std::vector<BalanceByArm> compare_arms(const Context& context,
                                       const std::vector<SampleColumn>& columns,
                                       const LoggedSample& sample, MatrixView<const double> e) {
  const Communicator& comm = *sample.comm;
  const std::size_t num_arms = sample.num_arms();
  const std::vector<ColumnScale> scales = measure_scales(context, columns, sample);
  const auto scaled = [&](std::size_t c, std::size_t k) {
    return (columns[c].values[k] - scales[c].centre) / scales[c].sd;
  };
  constexpr std::size_t kWidth = 4;  // Σ units·x, Σ w·x, Σ w, Σ units
  const std::vector<double> sums = sum_columns(context, comm, columns.size(), num_arms * kWidth,
                                               [&](std::size_t c, std::span<double> of_column) {
                                                 if (scales[c].is_constant()) return;
                                                 for (std::size_t a = 0; a < num_arms; ++a) {
                                                   const ArmView view(columns[c], sample, e, a);
                                                   CompensatedSum plain;
                                                   CompensatedSum weighted;
                                                   CompensatedSum total_weight;
                                                   double num_units = 0;
                                                   view.for_each_member([&](std::size_t k) {
                                                     const double x = scaled(c, k);
                                                     plain.add(view.units(k) * x);
                                                     weighted.add(view.weight(k) * x);
                                                     total_weight.add(view.weight(k));
                                                     num_units += view.units(k);
                                                   });
                                                   double* const of_arm =
                                                       of_column.data() + a * kWidth;
                                                   of_arm[0] = plain.value();
                                                   of_arm[1] = weighted.value();
                                                   of_arm[2] = total_weight.value();
                                                   of_arm[3] = num_units;
                                                 }
                                               });
  std::vector<BalanceByArm> out(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (scales[c].is_constant()) continue;
    for (std::size_t a = 0; a < num_arms; ++a) {
      const double* const found = sums.data() + (c * num_arms + a) * kWidth;
      out[c].push_back({.name = columns[c].name,
                        .of = columns[c].of,
                        .before = found[3] > 0 ? found[0] / found[3] : kNaN,
                        .after = found[2] > 0 ? found[1] / found[2] : kNaN});
    }
  }
  // Variance of a weighted mean under random assignment with propensity e.
  const std::vector<double> squares = sum_columns(
      context, comm, columns.size(), num_arms, [&](std::size_t c, std::span<double> of_column) {
        for (std::size_t a = 0; a < out[c].size(); ++a) {
          const ArmView view(columns[c], sample, e, a);
          CompensatedSum total;
          view.for_each_member([&](std::size_t k) {
            const double x = scaled(c, k) - out[c][a].after;
            total.add(view.weight(k) * view.weight(k) * (1 - view.propensity(k)) * x * x);
          });
          of_column[a] = total.value();
        }
      });
  for (std::size_t c = 0; c < columns.size(); ++c) {
    for (std::size_t a = 0; a < out[c].size(); ++a) {
      const double total_weight = sums[(c * num_arms + a) * kWidth + 2];
      out[c][a].error = std::sqrt(std::max(0.0, squares[c * num_arms + a])) / total_weight;
    }
  }
  return out;
}

}  // namespace cone
