#include "nuisance/spectral_embedding.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <utility>

#include "base/numeric.hpp"
#include "base/random.hpp"
#include "linear/symmetric_eigen.hpp"
#include "ops/dense.hpp"
#include "ops/neighbour_sums.hpp"

namespace cone {
namespace {

/// The vectors beyond those wanted speed up convergence, and show the gap behind the last one.
constexpr std::size_t kGuardVectors = 16;
constexpr int kFilterDegree = 12;
constexpr int kMostFilters = 100;
/// Of residuals, relative to the largest eigenvalue; over the least gap it is the error of the
/// space.
constexpr double kResidualTolerance = 1e-12;
constexpr double kLeastGap = 1e-3;
/// Of the residuals of vectors whose values alone are needed, to compare them.
constexpr double kValueTolerance = 1e-5;
/// Below this norm, what is left of a column is taken for the error of the others.
constexpr double kLeastNewDirection = 1e-3;
constexpr std::size_t kRowsPerPiece = 4096;

/// V·W', W square.
Matrix<double> rotate(const Context& context, const Matrix<double>& v, const Matrix<double>& w) {
  Matrix<double> out(v.rows(), w.rows());
  ops::multiply_transposed_b<double>(context, v.view(), w.view(), out.view());
  return out;
}

Matrix<double> products(const Context& context, const Matrix<double>& a, const Matrix<double>& b) {
  Matrix<double> out(a.cols(), b.cols());
  ops::multiply_transposed_a<double>(context, a.view(), b.view(), out.view());
  return out;
}

class NormalisedAdjacency {
 public:
  explicit NormalisedAdjacency(const Graph& graph) : graph_(graph), scale_(graph.num_nodes()) {
    double num_connected = 0;
    for (NodeIndex i = 0; i < scale_.size(); ++i) num_connected += graph.degree(i) > 0 ? 1 : 0;
    const double mean_degree =
        2 * static_cast<double>(graph.num_edges()) / std::max(1.0, num_connected);
    for (NodeIndex i = 0; i < scale_.size(); ++i) {
      scale_[i] = 1 / std::sqrt(static_cast<double>(graph.degree(i)) + mean_degree);
    }
  }

  /// M·V
  Matrix<double> multiply(const Context& context, Matrix<double> v) const {
    scale_rows(context, v);
    Matrix<double> out(v.rows(), v.cols());
    ops::sum_listed_rows(context, graph_.offsets(), graph_.neighbours(), v.view(), out.view());
    scale_rows(context, out);
    return out;
  }

 private:
  void scale_rows(const Context& context, Matrix<double>& v) const {
    context.for_each_range(v.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        for (double& value : v.row(i)) value *= scale_[i];
      }
    });
  }

  const Graph& graph_;
  std::vector<double> scale_;
};

/// How far the columns are from orthonormal ones.
double departure(const Matrix<double>& gram) {
  double largest = 0;
  for (std::size_t a = 0; a < gram.rows(); ++a) {
    for (std::size_t b = 0; b < gram.cols(); ++b) {
      largest = std::max(largest, std::abs(gram(a, b) - (a == b ? 1 : 0)));
    }
  }
  return largest;
}

/// An orthonormal basis of the columns (Stathopoulos and Wu 2002, A block orthogonalization
/// procedure with constant synchronization requirements), repeated until it is orthonormal:
/// usually twice. Directions that are missing from the block become rounding errors, which the next
/// filter turns into new ones.
Matrix<double> orthonormalise(const Context& context, Matrix<double> v) {
  constexpr double kOrthonormal = 1e-13;
  constexpr double kLeastEigenvalue = 1e-14;
  constexpr int kMostPasses = 8;
  for (int pass = 0; pass < kMostPasses; ++pass) {
    Matrix<double> gram = products(context, v, v);
    if (departure(gram) < kOrthonormal) break;
    std::vector<double> norm(gram.rows());
    for (std::size_t a = 0; a < gram.rows(); ++a) {
      norm[a] = gram(a, a) > 0 ? std::sqrt(gram(a, a)) : 1;
    }
    for (std::size_t a = 0; a < gram.rows(); ++a) {
      for (std::size_t b = 0; b < gram.cols(); ++b) gram(a, b) /= norm[a] * norm[b];
    }
    SymmetricEigen eigen = decompose_symmetric(context, std::move(gram));
    const double least = kLeastEigenvalue * eigen.values.back();
    for (std::size_t k = 0; k < eigen.values.size(); ++k) {
      const double length = std::sqrt(std::max(eigen.values[k], least));
      for (std::size_t a = 0; a < norm.size(); ++a) eigen.vectors(k, a) /= norm[a] * length;
    }
    v = rotate(context, v, eigen.vectors);
  }
  return v;
}

/// Ritz vectors of a block, by descending magnitude.
struct RitzBlock {
  Matrix<double> vectors;
  std::vector<double> values;
  std::vector<double> residuals;  ///< ||M v − value·v||

  /// ||M v||: |value| where v has converged. A mixture of vectors with eigenvalues of both signs,
  /// which the filter does not tell apart, has a small value but not a small magnitude.
  double magnitude(std::size_t k) const { return std::hypot(values[k], residuals[k]); }
};

RitzBlock find_ritz_vectors(const Context& context, const NormalisedAdjacency& m,
                            const Matrix<double>& basis) {
  const Matrix<double> image = m.multiply(context, basis);
  const SymmetricEigen eigen = decompose_symmetric(context, products(context, basis, image));
  const std::size_t size = eigen.values.size();
  RitzBlock found{.vectors = rotate(context, basis, eigen.vectors), .values = eigen.values};
  Matrix<double> remainder = rotate(context, image, eigen.vectors);
  for (std::size_t i = 0; i < remainder.rows(); ++i) {
    for (std::size_t k = 0; k < size; ++k) remainder(i, k) -= found.values[k] * found.vectors(i, k);
  }
  const Matrix<double> squares = products(context, remainder, remainder);
  found.residuals.reserve(size);
  for (std::size_t k = 0; k < size; ++k) {
    found.residuals.push_back(std::sqrt(std::max(0.0, squares(k, k))));
  }
  std::vector<std::size_t> order(size);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(),
                           [&](std::size_t k) { return found.magnitude(k); });
  RitzBlock out{.vectors = Matrix<double>(basis.rows(), size)};
  for (const std::size_t k : order) {
    out.values.push_back(found.values[k]);
    out.residuals.push_back(found.residuals[k]);
  }
  for (std::size_t i = 0; i < basis.rows(); ++i) {
    for (std::size_t k = 0; k < size; ++k) out.vectors(i, k) = found.vectors(i, order[k]);
  }
  return out;
}

/// T_degree(M / width)·V, which grows what is outside of [−width, width].
Matrix<double> filter(const Context& context, const NormalisedAdjacency& m, Matrix<double> v,
                      double width) {
  Matrix<double> previous = std::move(v);
  Matrix<double> current = m.multiply(context, previous);
  for (double& value : current.values()) value /= width;
  for (int degree = 2; degree <= kFilterDegree; ++degree) {
    Matrix<double> next = m.multiply(context, current);
    context.for_each_range(next.rows(), kRowsPerPiece, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        const std::span<double> row = next.row(i);
        const std::span<const double> before = std::as_const(previous).row(i);
        for (std::size_t k = 0; k < row.size(); ++k) row[k] = 2 / width * row[k] - before[k];
      }
    });
    previous = std::move(current);
    current = std::move(next);
  }
  return current;
}

/// How many leading vectors to take, at most `most`; `values` has at least one more.
std::size_t choose_number(std::span<const double> values, std::size_t most) {
  for (std::size_t k = most; k > 0; --k) {
    const double gap = std::abs(values[k - 1]) - std::abs(values[k]);
    if (gap >= kLeastGap * std::abs(values[0])) return k;
  }
  return 0;
}

/// An orthonormal basis of the part of the first `count` vectors that is orthogonal to constants.
Matrix<double> centre_basis(const Matrix<double>& vectors, std::size_t count) {
  const std::size_t n = vectors.rows();
  std::vector<std::vector<double>> basis = {
      std::vector<double>(n, 1 / std::sqrt(static_cast<double>(n)))};
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<double> column(n);
    for (std::size_t i = 0; i < n; ++i) column[i] = vectors(i, k);
    for (int pass = 0; pass < 2; ++pass) {
      for (const std::vector<double>& other : basis) {
        const double part = dot(column, other);
        for (std::size_t i = 0; i < n; ++i) column[i] -= part * other[i];
      }
    }
    const double norm = std::sqrt(dot(column, column));
    if (norm < kLeastNewDirection) continue;  // the constant vector is in the space
    for (double& value : column) value /= norm;
    basis.push_back(std::move(column));
  }
  Matrix<double> out(n, basis.size() - 1);
  for (std::size_t k = 1; k < basis.size(); ++k) {
    for (std::size_t i = 0; i < n; ++i) out(i, k - 1) = basis[k][i];
  }
  return out;
}

}  // namespace

SpectralEmbedding embed_network(const Context& context, const Graph& graph) {
  const std::size_t n = graph.num_nodes();
  SpectralEmbedding out{.columns = Matrix<double>(n, 0)};
  const NormalisedAdjacency m(graph);
  const std::size_t most = std::min(kMostEmbeddingColumns, n / kNodesPerColumn);
  if (graph.num_edges() == 0 || most == 0) return out;
  const std::size_t width = std::min(most + kGuardVectors, n);

  Matrix<double> start(n, width);
  for (std::size_t i = 0; i < n; ++i) {
    Rng rng(0, Stream::kSpectralStart, i);
    for (double& value : start.row(i)) value = rng.normal();
  }
  // Isolated nodes leave the block here: their rows of M are zero.
  Matrix<double> block = m.multiply(context, std::move(start));
  for (int step = 0;; ++step) {
    context.report("embedding the network", static_cast<std::uint64_t>(step), kMostFilters);
    RitzBlock ritz = find_ritz_vectors(context, m, orthonormalise(context, std::move(block)));
    const double largest = std::abs(ritz.values[0]);
    const auto count_below = [&](double tolerance) {
      const auto first = std::ranges::find_if(
          ritz.residuals, [&](double residual) { return residual > tolerance * largest; });
      return static_cast<std::size_t>(first - ritz.residuals.begin());
    };
    const bool knows_number = count_below(kValueTolerance) > most;
    const std::size_t wanted = choose_number(ritz.values, most);
    const double least = ritz.magnitude(width - 1);
    out.converged = knows_number && count_below(kResidualTolerance) >= wanted;
    // Where the last value is zero, the block has all others.
    if (out.converged || least <= kResidualTolerance * largest || step == kMostFilters) {
      const std::size_t count =
          choose_number(ritz.values, std::min(most, count_below(kResidualTolerance)));
      out.columns = centre_basis(ritz.vectors, count);
      out.eigenvalues.assign(ritz.values.begin(),
                             ritz.values.begin() + static_cast<std::ptrdiff_t>(count));
      return out;
    }
    block = filter(context, m, std::move(ritz.vectors), least);
  }
}

}  // namespace cone
