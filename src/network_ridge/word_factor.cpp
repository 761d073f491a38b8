#include "network_ridge/word_factor.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "ops/neighbour_sums.hpp"
#include "ops/sparse.hpp"

namespace cone {
namespace {

constexpr std::size_t kRowsAtATime = 4096;

/// σ²·nodes/(words·noise) of the arm where it is largest: how far a word stands out of the noise.
double measure_signal(const RidgeSystem& system, std::size_t group) {
  const RidgeInputs& inputs = *system.inputs;
  double largest = 0;
  for (std::size_t a = 0; a < inputs.num_arms(); ++a) {
    const std::vector<std::uint32_t> places = system.places_of_arm(a);
    double noise = 0;
    for (const std::uint32_t p : places) noise += system.noise_at(p);
    if (noise == 0) continue;
    const auto count = static_cast<double>(places.size());
    largest = std::max(largest, system.arms[a].group_variances[group] * count /
                                    (static_cast<double>(inputs.words.cols()) * noise / count));
  }
  return largest;
}

ops::SparseView<double> view_sparse(const SparseMatrix& m, std::size_t begin, std::size_t end) {
  return {m.cols(), m.offsets().subspan(begin, end - begin + 1), m.columns(), m.values()};
}

template <class T>
MatrixView<T> take_rows(MatrixView<T> m, std::size_t begin, std::size_t end) {
  return {m.data() + begin * m.stride(), end - begin, m.cols(), m.stride()};
}

/// to += factor · from
void add_multiple(const Context& context, double factor, MatrixView<const double> from,
                  MatrixView<double> to) {
  context.for_each_range(from.rows(), kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (std::size_t c = 0; c < from.cols(); ++c) to(i, c) += factor * from(i, c);
    }
  });
}

/// Row i of `m` times factor[first + i].
void scale_rows(const Context& context, std::span<const double> factor, std::size_t first,
                Matrix<double>& m) {
  context.for_each_range(m.rows(), kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      for (double& value : m.row(i)) value *= factor[first + i];
    }
  });
}

}  // namespace

WordFactor::WordFactor(const RidgeSystem& system, std::size_t most_columns) : system_(system) {
  // Below this, conjugate gradients need hardly more iterations without the group.
  constexpr double kWorthwhile = 30;
  const std::size_t words = system.inputs->words.cols();
  std::vector<std::pair<double, GroupKind>> found;
  for (std::size_t g = 0; g < system.groups.size(); ++g) {
    const GroupKind kind = system.groups[g].kind;
    if (kind != GroupKind::kOwnWords && kind != GroupKind::kSumWords &&
        kind != GroupKind::kMeanWords) {
      continue;
    }
    const double signal = measure_signal(system, g);
    if (signal > kWorthwhile) found.emplace_back(signal, kind);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [signal, kind] : found) {
    if ((kinds_.size() + 1) * words <= most_columns) kinds_.push_back(kind);
  }
}

bool WordFactor::has(GroupKind kind) const {
  return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

double WordFactor::strength(GroupKind kind, std::size_t arm) const {
  for (std::size_t g = 0; g < system_.groups.size(); ++g) {
    if (system_.groups[g].kind != kind) continue;
    return std::sqrt(system_.arms[arm].group_variances[g] / system_.groups[g].scale);
  }
  return 0;
}

std::vector<Matrix<double>> WordFactor::multiply_transposed(const Context& context,
                                                            const Matrix<double>& v) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t n = inputs.num_nodes();
  const std::size_t arms = inputs.num_arms();
  const std::size_t words = inputs.words.cols();
  std::vector<Matrix<double>> out(arms);
  for (Matrix<double>& of_arm : out) of_arm = Matrix<double>(num_columns(), v.cols());
  // The part of a table of (item, arm) rows that is an arm's.
  const auto part_of = [&](const Matrix<double>& table, std::size_t items, std::size_t arm) {
    return MatrixView<const double>(table.data() + arm * v.cols(), items, v.cols(),
                                    arms * v.cols());
  };
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const auto add = [&](std::size_t arm, MatrixView<const double> product) {
      add_multiple(context, strength(kinds_[k], arm), product,
                   take_rows(out[arm].view(), k * words, (k + 1) * words));
    };
    if (kinds_[k] == GroupKind::kOwnWords) {
      auto products = Matrix<double>::unfilled(words * arms, v.cols());
      ops::sparse_times_dense(
          context,
          {n, inputs.word_split, inputs.places_of_words.columns(), inputs.places_of_words.values()},
          v.view(), products.view());
      for (std::size_t a = 0; a < arms; ++a) add(a, part_of(products, words, a));
      continue;
    }
    Matrix<double> averaged;
    if (kinds_[k] == GroupKind::kMeanWords) {
      averaged = v;
      scale_rows(context, inputs.inverse_degree, 0, averaged);
    }
    auto sums = Matrix<double>::unfilled(n * arms, v.cols());
    ops::sum_listed_rows(context, inputs.arm_split, inputs.graph.neighbours(),
                         (averaged.rows() > 0 ? averaged : v).view(), sums.view());
    for (std::size_t a = 0; a < arms; ++a) {
      auto product = Matrix<double>::unfilled(words, v.cols());
      ops::sparse_times_dense(context, view_sparse(inputs.places_of_words, 0, words),
                              part_of(sums, n, a), product.view());
      add(a, product.view());
    }
  }
  return out;
}

void WordFactor::add_product(const Context& context, std::size_t arm, MatrixView<const double> t,
                             MatrixView<double> out) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t words = inputs.words.cols();
  const std::size_t begin = inputs.arm_begin[arm];
  const std::size_t end = inputs.arm_begin[arm + 1];
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const MatrixView<const double> of_kind = take_rows(t, k * words, (k + 1) * words);
    auto product = Matrix<double>::unfilled(end - begin, t.cols());
    if (kinds_[k] == GroupKind::kOwnWords) {
      ops::sparse_times_dense(context, view_sparse(inputs.words, begin, end), of_kind,
                              product.view());
    } else {
      auto of_friends = Matrix<double>::unfilled(inputs.num_nodes(), t.cols());
      ops::sparse_times_dense(context, view_sparse(inputs.words, 0, inputs.num_nodes()), of_kind,
                              of_friends.view());
      ops::sum_listed_rows(context, inputs.graph.offsets().subspan(begin, end - begin + 1),
                           inputs.graph.neighbours(), of_friends.view(), product.view());
    }
    if (kinds_[k] == GroupKind::kMeanWords) {
      scale_rows(context, inputs.inverse_degree, begin, product);
    }
    add_multiple(context, strength(kinds_[k], arm), product.view(), out);
  }
}

void WordFactor::write_rows(const Context& context, std::size_t arm,
                            std::span<const std::uint32_t> places, Matrix<double>& out) const {
  const RidgeInputs& inputs = *system_.inputs;
  const std::size_t words = inputs.words.cols();
  constexpr std::size_t kPlacesAtATime = 64;
  context.for_each_range(places.size(), kPlacesAtATime, [&](std::size_t begin, std::size_t end) {
    std::vector<double> row(num_columns());
    for (std::size_t i = begin; i < end; ++i) {
      std::fill(row.begin(), row.end(), 0.0);
      const std::size_t place = places[i];
      for (std::size_t k = 0; k < kinds_.size(); ++k) {
        const auto add_words_of = [&](std::size_t person, double factor) {
          for (std::uint64_t e = inputs.words.offsets()[person];
               e < inputs.words.offsets()[person + 1]; ++e) {
            row[k * words + inputs.words.columns()[e]] += factor * inputs.words.values()[e];
          }
        };
        const double factor = strength(kinds_[k], arm);
        if (kinds_[k] == GroupKind::kOwnWords) {
          add_words_of(place, factor);
          continue;
        }
        const double of_friend =
            kinds_[k] == GroupKind::kMeanWords ? factor * inputs.inverse_degree[place] : factor;
        for (const std::uint32_t person : inputs.graph.neighbours(place)) {
          add_words_of(person, of_friend);
        }
      }
      for (std::size_t c = 0; c < row.size(); ++c) out(c, i) = row[c];
    }
  });
}

}  // namespace cone
