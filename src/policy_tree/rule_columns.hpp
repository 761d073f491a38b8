#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

namespace cone {

/// What a split of a rule may use.
enum class ColumnKind {
  kOwn,  ///< a feature of the node
  kDegree,
  kNeighbourMeans,  ///< a feature averaged over neighbours; 0 without neighbours
};

template <>
struct EnumNames<ColumnKind> {
  static constexpr std::array kNames = {
      std::pair{ColumnKind::kOwn, std::string_view("own")},
      std::pair{ColumnKind::kDegree, std::string_view("degree")},
      std::pair{ColumnKind::kNeighbourMeans, std::string_view("neighbour_means")}};
};

/// All candidate columns: own features in their order, the degree, neighbour means in the order of
/// the features. Columns are computed on demand: means of thousands of count features would not fit
/// in memory. The data must outlive it.
class RuleColumns {
 public:
  /// `kinds` are names; empty means all. Data without edges has own features only.
  RuleColumns(const Dataset& data, std::span<const std::string> kinds);

  std::size_t size() const { return columns_.size(); }
  std::string name(std::size_t column) const;
  /// One value per node. Means are integer sums divided once, so that they do not depend on the
  /// order of the neighbours. O(nodes + entries), for means O(nodes + entries · neighbours).
  void fill(std::size_t column, std::span<double> values) const;

 private:
  struct Column {
    ColumnKind kind;
    std::uint32_t feature;
  };
  void fill_own(std::uint32_t feature, std::span<double> values) const;
  void fill_means(std::uint32_t feature, std::span<double> values) const;

  const Dataset& data_;
  std::vector<Column> columns_;
  SparseMatrix by_feature_;  // features × nodes, of the sparse columns
  std::size_t largest_degree_ = 0;
};

/// Nodes × columns.
Matrix<double> fill_columns(const RuleColumns& columns, std::span<const std::size_t> chosen,
                            std::size_t num_nodes);

}  // namespace cone
