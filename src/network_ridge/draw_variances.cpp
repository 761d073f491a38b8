#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

#include "base/random.hpp"
#include "network_ridge/kernel_products.hpp"
#include "network_ridge/position_range.hpp"
#include "network_ridge/posterior_variance.hpp"
#include "ops/inverse.hpp"
#include "ops/sparse.hpp"

namespace cone {
namespace {

/// Columns per pass over features and network (as in the iterative solver).
constexpr std::size_t kDrawnColumns = 32;

/// Random stream of the noise. Groups added after it have the streams behind it, so that the draws
/// of data without them are unchanged.
constexpr std::size_t kNoiseDraws = 9;

/// Some of the draws of one arm.
struct DrawRange {
  std::size_t arm;
  std::size_t first;
  std::size_t count;
};

/// Standard normals, one column per draw: some rows of a table. `purpose` separates the random
/// streams of an arm.
Matrix<double> draw_normals(const Context& context, const DrawRange& draws, std::size_t purpose,
                            std::span<const std::uint64_t> rows) {
  auto out = Matrix<double>::unfilled(rows.size(), draws.count);
  context.for_each_range(draws.count, 1, [&](std::size_t k, std::size_t) {
    constexpr std::uint64_t kPurposes = 16;
    const std::uint64_t item = ((draws.first + k) * kMaxArms + draws.arm) * kPurposes + purpose;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i % 4096 == 0) context.poll();
      Rng rng(context.seed(), Stream::kPosterior, item);
      rng.skip(4 * rows[i]);  // of 32 bits, which a normal takes
      out(i, k) = rng.normal();
    }
  });
  return out;
}

/// The same, for all rows of a table.
Matrix<double> draw_all_normals(const Context& context, const DrawRange& draws, std::size_t purpose,
                                std::size_t rows) {
  std::vector<std::uint64_t> all(rows);
  std::iota(all.begin(), all.end(), std::uint64_t{0});
  return draw_normals(context, draws, purpose, all);
}

/// The positions of this rank's nodes were all nodes in one process: by arm, then in the order of
/// the data. So draws do not depend on which rank owns a node.
std::vector<std::uint64_t> find_global_positions(const RidgeInputs& inputs) {
  std::vector<std::uint64_t> out;
  std::uint64_t first = 0;
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    std::vector<std::uint64_t> numbers;
    for (std::size_t p = inputs.arm_begin[a]; p < inputs.arm_begin[a + 1]; ++p) {
      numbers.push_back(inputs.number_of(p));
    }
    std::vector<std::uint64_t> all = inputs.comm->allgatherv(numbers);
    std::ranges::sort(all);
    for (const std::uint64_t number : numbers) {
      const auto found = std::ranges::lower_bound(all, number);
      out.push_back(first + static_cast<std::uint64_t>(found - all.begin()));
    }
    first += all.size();
  }
  return out;
}

/// to += factor_of(row)·from
template <class Factor>
void add_rows(const Context& context, const Matrix<double>& from, const Factor& factor_of,
              Matrix<double>& to) {
  constexpr std::size_t kRows = 4096;
  context.for_each_range(from.rows(), kRows, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double factor = factor_of(i);
      for (std::size_t k = 0; k < from.cols(); ++k) to(i, k) += factor * from(i, k);
    }
  });
}

/// Random effects of all groups of an arm at every index, positions × draws.
class GroupDraws {
 public:
  /// `positions`: of find_global_positions().
  GroupDraws(const Context& context, const RidgeSystem& system, const DrawRange& draws,
             std::span<const std::uint64_t> positions)
      : context_(context),
        system_(system),
        inputs_(*system.inputs),
        draws_(draws),
        positions_(positions) {}

  Matrix<double> draw() const {
    Matrix<double> out(inputs_.num_nodes(), draws_.count);
    add_counts(GroupKind::kOwnCounts, out);
    add_dense(GroupKind::kOwnNumeric, inputs_.numeric, out);
    add_dense(GroupKind::kOwnSmooth, inputs_.smooth, out);
    add_dense(GroupKind::kOwnCurves, inputs_.curves, out);
    for (const GroupKind kind : kCommunityKinds) add_communities(kind, out);
    add_neighbours(
        GroupKind::kNeighbourSumsCounts, GroupKind::kNeighbourSumsNumeric,
        GroupKind::kNeighbourEffects, [](std::size_t) { return 1.0; }, out);
    add_neighbours(
        GroupKind::kNeighbourMeansCounts, GroupKind::kNeighbourMeansNumeric,
        GroupKind::kMeanNeighbourEffects, [&](std::size_t i) { return inputs_.inverse_degree[i]; },
        out);
    return out;
  }

 private:
  /// The standard deviation of one effect of the group; 0 without the group.
  double effect_sd(GroupKind kind) const {
    for (std::size_t g = 0; g < system_.groups.size(); ++g) {
      if (system_.groups[g].kind != kind) continue;
      return std::sqrt(system_.arms[draws_.arm].group_variances[g] / system_.groups[g].scale);
    }
    return 0;
  }
  static std::size_t purpose_of(GroupKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    return index < kNoiseDraws ? index : index + 1;
  }
  Matrix<double> draw_effects(GroupKind kind, std::size_t rows) const {
    return draw_all_normals(context_, draws_, purpose_of(kind), rows);
  }
  bool add_counts(GroupKind kind, Matrix<double>& out) const {
    const double sd = effect_sd(kind);
    if (sd == 0) return false;
    const SparseMatrix& counts = inputs_.counts;
    const Matrix<double> effects = draw_effects(kind, counts.cols());
    auto product = Matrix<double>::unfilled(counts.rows(), draws_.count);
    ops::sparse_times_dense<double>(
        context_, {counts.cols(), counts.offsets(), counts.columns(), counts.values()},
        effects.view(), product.view());
    add_rows(
        context_, product, [&](std::size_t) { return sd; }, out);
    return true;
  }
  bool add_dense(GroupKind kind, const Matrix<double>& table, Matrix<double>& out) const {
    const double sd = effect_sd(kind);
    if (sd == 0) return false;
    const Matrix<double> effects = draw_effects(kind, table.cols());
    add_rows(
        context_, ops::multiply(context_, table.view(), effects.view()),
        [&](std::size_t) { return sd; }, out);
    return true;
  }
  void add_communities(GroupKind kind, Matrix<double>& out) const {
    const double sd = effect_sd(kind);
    if (sd == 0) return;
    const Matrix<double> effects = draw_effects(kind, inputs_.communities.num_columns());
    for (std::size_t i = 0; i < out.rows(); ++i) {
      const std::optional<std::uint32_t> column = inputs_.communities.of(kind, i);
      if (!column) continue;
      for (std::size_t k = 0; k < out.cols(); ++k) out(i, k) += sd * effects(*column, k);
    }
  }
  /// Adds the effects of the neighbours and of their features, summed over the neighbours and times
  /// factor_of(position).
  template <class Factor>
  void add_neighbours(GroupKind counts, GroupKind columns, GroupKind neighbours,
                      const Factor& factor_of, Matrix<double>& out) const {
    Matrix<double> own(inputs_.num_nodes(), draws_.count);
    bool any = add_counts(counts, own);
    any = add_dense(columns, inputs_.numeric, own) || any;
    const double sd = effect_sd(neighbours);
    if (sd > 0) {
      add_rows(
          context_, draw_normals(context_, draws_, purpose_of(neighbours), positions_),
          [&](std::size_t) { return sd; }, own);
    }
    if (!any && sd == 0) return;
    const PositionRange all(inputs_);
    add_rows(context_, all.sum_over_neighbours(context_, own, /*averages=*/false), factor_of, out);
  }

  const Context& context_;
  const RidgeSystem& system_;
  const RidgeInputs& inputs_;
  DrawRange draws_;
  std::span<const std::uint64_t> positions_;
};

}  // namespace

void draw_variances(const Context& context, const NetworkRidge& model, const RidgePart& part,
                    std::uint32_t draws, Matrix<double>& variance) {
  const RidgeSystem& system = part.system;
  const RidgeInputs& inputs = *system.inputs;
  const std::size_t num_arms = system.arms.size();
  const std::size_t num_tasks = part.tasks.size();
  const std::size_t at_once = std::max<std::size_t>(1, kDrawnColumns / num_tasks);
  const std::vector<std::uint64_t> positions = find_global_positions(inputs);
  Matrix<double> squares(inputs.num_nodes(), num_arms);
  for (std::size_t first = 0; first < draws; first += at_once) {
    const std::size_t count = std::min<std::size_t>(at_once, draws - first);
    const StageScope stage(context, fmt::format("draw {} of {}", first + 1, draws),
                           static_cast<double>(first) / draws,
                           static_cast<double>(first + count) / draws);
    context.report("drawing", 0, 1);
    const std::size_t width = count * num_tasks;  // column of draw d and task t: d·tasks + t
    Matrix<double> f(inputs.num_nodes(), width);
    const Matrix<double> g(num_arms * RidgeSystem::kNumFixed, width);
    std::vector<std::size_t> tasks;
    for (std::size_t k = 0; k < width; ++k) tasks.push_back(k % num_tasks);
    std::vector<Matrix<double>> drawn;
    std::uint64_t first_of_arm = 0;
    for (std::size_t a = 0; a < num_arms; ++a) {
      const DrawRange range{a, first, count};
      const Matrix<double>& effects =
          drawn.emplace_back(GroupDraws(context, system, range, positions).draw());
      const std::size_t begin = inputs.arm_begin[a];
      const std::size_t end = inputs.arm_begin[a + 1];
      // Noise is numbered within the arm.
      std::vector<std::uint64_t> rows(positions.begin() + static_cast<std::ptrdiff_t>(begin),
                                      positions.begin() + static_cast<std::ptrdiff_t>(end));
      for (std::uint64_t& row : rows) row -= first_of_arm;
      first_of_arm += inputs.arm_size_of_all(a);
      const Matrix<double> noise = draw_normals(context, range, kNoiseDraws, rows);
      for (std::size_t p = begin; p < end; ++p) {
        const double sd = std::sqrt(learnt_noise(system, p));
        for (std::size_t k = 0; k < width; ++k) {
          const std::size_t d = k / num_tasks;
          f(p, k) = effects(p, d) + sd * noise(p - begin, d);
        }
      }
    }
    const RidgeSolution solution = part.solver->solve(context, f, g, tasks);
    for (std::size_t a = 0; a < num_arms; ++a) {
      const Matrix<double> predicted = predict_in_units(context, system, solution, a);
      for (std::size_t t = 0; t < num_tasks; ++t) {
        for (const std::uint32_t p : model.scored_positions[part.tasks[t]]) {
          for (std::size_t d = 0; d < count; ++d) {
            const double error = predicted(p, d * num_tasks + t) - drawn[a](p, d);
            squares(p, a) += error * error;
          }
        }
      }
    }
  }
  for (const std::size_t task : part.tasks) {
    for (const std::uint32_t p : model.scored_positions[task]) {
      for (std::size_t a = 0; a < num_arms; ++a) variance(p, a) = squares(p, a) / draws;
    }
  }
}

}  // namespace cone
