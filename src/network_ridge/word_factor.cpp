#include "network_ridge/word_factor.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numeric.hpp"
#include "network_ridge/word_products.hpp"

namespace cone {
namespace {

constexpr std::size_t kRowsAtATime = 4096;

/// to[first ...) += factor · from
void add_multiple(const Context& context, double factor, const Matrix<double>& from,
                  std::size_t first, Matrix<double>& to) {
  context.for_each_range(from.rows(), kRowsAtATime, [&](std::size_t begin, std::size_t end) {
    const double* source = from.data() + begin * from.cols();
    double* target = to.data() + (first + begin) * to.cols();
    for (std::size_t k = 0; k < (end - begin) * from.cols(); ++k) target[k] += factor * source[k];
  });
}

}  // namespace

WordFactor::WordFactor(const ArmEquations& equations, std::span<const double> diagonal,
                       std::size_t most_columns)
    : equations_(equations) {
  // Below this, conjugate gradients need hardly more iterations without the group.
  constexpr double kWorthwhile = 1;
  const EquationTables& tables = equations.tables();
  const std::size_t words = equations.num_words();
  const auto places = static_cast<double>(equations.num_places_of_all());
  const double mean_diagonal = equations.totals().add_up(sum(diagonal)) / places;
  std::vector<std::pair<double, GroupKind>> found;
  for (std::size_t g = 0; g < tables.groups.size(); ++g) {
    const GroupKind kind = tables.groups[g].kind;
    if (kind != GroupKind::kOwnWords && kind != GroupKind::kSumWords &&
        kind != GroupKind::kMeanWords) {
      continue;
    }
    // σ²·nodes/(words·noise): how far a word stands out.
    const double explained =
        equations.model().group_variances[g] * places / static_cast<double>(words);
    const double signal = explained / mean_diagonal;
    if (signal > kWorthwhile) found.emplace_back(signal, kind);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto& a, const auto& b) { return a.first > b.first; });
  for (const auto& [signal, kind] : found) {
    if ((kinds_.size() + 1) * words <= most_columns) kinds_.push_back(kind);
  }
  std::stable_partition(kinds_.begin(), kinds_.end(),
                        [](GroupKind kind) { return kind == GroupKind::kOwnWords; });
}

std::size_t WordFactor::num_columns() const { return kinds_.size() * equations_.num_words(); }

std::size_t WordFactor::num_own_columns() const {
  return has(GroupKind::kOwnWords) ? equations_.num_words() : 0;
}

bool WordFactor::has(GroupKind kind) const {
  return std::find(kinds_.begin(), kinds_.end(), kind) != kinds_.end();
}

double WordFactor::strength(GroupKind kind) const {
  return std::sqrt(equations_.strengths()[kind]);
}

Matrix<double> WordFactor::multiply_transposed(const Context& context,
                                               const Matrix<double>& v) const {
  const SparseMatrix& words = *equations_.tables().words;
  const std::size_t first = equations_.first_place();
  Matrix<double> out(num_columns(), v.cols());
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    Matrix<double> product;
    if (kinds_[k] == GroupKind::kOwnWords) {
      product = gather_by_words(context, words, first, first + equations_.num_places(), v.view());
    } else {
      const Matrix<double> sums =
          equations_.send_to_friends(context, v, kinds_[k] == GroupKind::kMeanWords);
      product = gather_by_words(context, words, 0, words.rows(), sums.view());
    }
    add_multiple(context, strength(kinds_[k]), product, k * words.cols(), out);
  }
  return out;
}

void WordFactor::add_product(const Context& context, MatrixView<const double> t,
                             Matrix<double>& out) const {
  const SparseMatrix& words = *equations_.tables().words;
  const std::size_t first = equations_.first_place();
  for (std::size_t k = 0; k < kinds_.size(); ++k) {
    const MatrixView<const double> of_kind(t.data() + k * words.cols() * t.stride(), words.cols(),
                                           t.cols(), t.stride());
    Matrix<double> product;
    if (kinds_[k] == GroupKind::kOwnWords) {
      product = spread_by_words(context, words, first, first + equations_.num_places(), of_kind);
    } else {
      const Matrix<double> of_friends = spread_by_words(context, words, 0, words.rows(), of_kind);
      product =
          equations_.sum_over_friends(context, kinds_[k] == GroupKind::kMeanWords, of_friends);
    }
    add_multiple(context, strength(kinds_[k]), product, 0, out);
  }
}

void WordFactor::write_rows(const Context& context, std::span<const std::uint32_t> rows,
                            const SparseMatrix& elsewhere, Matrix<double>& out) const {
  const EquationTables& tables = equations_.tables();
  const std::size_t words = equations_.num_words();
  constexpr std::size_t kPlacesAtATime = 8;  // numbers of a cache line: `out` has them side by side
  const std::size_t first_kind = has(GroupKind::kOwnWords) ? 1 : 0;
  const std::size_t width = num_columns() - num_own_columns();
  context.for_each_range(rows.size(), kPlacesAtATime, [&](std::size_t begin, std::size_t end) {
    std::vector<double> written((end - begin) * width, 0.0);
    for (std::size_t i = begin; i < end; ++i) {
      const std::size_t place = equations_.first_place() + rows[i];
      for (std::size_t k = first_kind; k < kinds_.size(); ++k) {
        double* of_kind = written.data() + (i - begin) * width + (k - first_kind) * words;
        double factor = strength(kinds_[k]);
        if (kinds_[k] == GroupKind::kMeanWords) factor *= tables.inverse_degree[place];
        for (std::uint64_t f = tables.list_offsets[place]; f < tables.list_offsets[place + 1];
             ++f) {
          const std::uint32_t person = tables.lists[f];
          const SparseMatrix::Row said = person < tables.num_places()
                                             ? tables.words->row(person)
                                             : elsewhere.row(person - tables.num_places());
          for (std::size_t e = 0; e < said.size(); ++e) {
            of_kind[said.columns[e]] += factor * said.values[e];
          }
        }
      }
    }
    for (std::size_t c = 0; c < width; ++c) {
      for (std::size_t i = begin; i < end; ++i) out(c, i) = written[(i - begin) * width + c];
    }
  });
}

}  // namespace cone
