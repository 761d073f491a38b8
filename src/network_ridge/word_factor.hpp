#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/ridge_system.hpp"

namespace cone {

/// The part of the kernel that groups of words make up, as a factor U with one column per word and
/// group: U·U' is that part exactly. No entry is stored; products go over features and network. In
/// large data every word explains far more than the noise, so a random factor of some hundred
/// columns leaves most of it to the iterations.
class WordFactor {
 public:
  /// Takes the groups that explain most, as long as they have no more than `most_columns` together.
  WordFactor(const RidgeSystem& system, std::size_t most_columns);

  std::size_t num_columns() const { return kinds_.size() * system_.inputs->words.cols(); }
  bool has(GroupKind kind) const;

  /// U_a'·V_a of every arm, num_columns() × columns of V each. V: places × columns.
  std::vector<Matrix<double>> multiply_transposed(const Context& context,
                                                  const Matrix<double>& v) const;
  /// out += U_a·T at the places of the arm; T: num_columns() × columns.
  void add_product(const Context& context, std::size_t arm, MatrixView<const double> t,
                   MatrixView<double> out) const;
  /// Rows of U, one per place and all of one arm, as columns of `out` (its first rows).
  void write_rows(const Context& context, std::size_t arm, std::span<const std::uint32_t> places,
                  Matrix<double>& out) const;

 private:
  double strength(GroupKind kind, std::size_t arm) const;

  const RidgeSystem& system_;
  std::vector<GroupKind> kinds_;
};

}  // namespace cone
