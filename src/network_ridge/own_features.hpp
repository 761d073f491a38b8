#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/inputs.hpp"

namespace cone {

/// Whether all groups are the nodes' own features: then every kernel is a product of tables in the
/// inputs, of rank at most the number of features.
bool are_own_features(std::span<const RidgeGroup> groups);

/// The features of such groups side by side, group by group.
class OwnFeatures {
 public:
  OwnFeatures(const RidgeInputs& inputs, std::span<const RidgeGroup> groups);

  std::size_t size() const { return first_.back(); }
  /// groups + 1: where the features of each group start.
  std::span<const std::size_t> first() const { return first_; }

  /// Sets out[begin, end) to the features of positions[begin, end).
  void copy_rows(std::span<const std::uint32_t> positions, std::size_t begin, std::size_t end,
                 MatrixView<double> out) const;

  /// Φ'V over the positions; V has one row per position. O(positions · features · columns).
  Matrix<double> project(const Context& context, std::span<const std::uint32_t> positions,
                         const Matrix<double>& v) const;
  /// Φ·T at the positions, T: features × columns.
  Matrix<double> expand(const Context& context, std::span<const std::uint32_t> positions,
                        const Matrix<double>& t) const;

 private:
  const RidgeInputs& inputs_;
  std::vector<GroupKind> kinds_;
  std::vector<std::size_t> first_ = {0};
};

/// [Φ, E]'[Φ, E] over the positions, E further columns with one row per position. Works on blocks
/// of rows: a few times the memory of the result. O(positions · features²).
Matrix<double> sum_products(const Context& context, const OwnFeatures& features,
                            std::span<const std::uint32_t> positions, const Matrix<double>& extra);

}  // namespace cone
