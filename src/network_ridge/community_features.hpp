#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

#include "data/node_communities.hpp"

namespace cone {

enum class GroupKind;
class GroupStrengths;

/// Indicators of the network's communities at several resolutions: one column per community, the
/// same on all ranks. A node that is a community by itself has none: its effect would be noise.
/// A partition into a single community, which the intercept is, and one equal to that of a coarser
/// resolution have no columns.
class CommunityFeatures {
 public:
  /// A column of every resolution, kNoCommunity where there is none.
  using Columns = std::array<std::uint32_t, kResolutions.size()>;

  CommunityFeatures() = default;
  /// `node_at`: the nodes in the order of positions. Collective.
  CommunityFeatures(const Dataset& data, std::span<const NodeIndex> node_at,
                    const NodeCommunities& found);
  /// Other positions, with the same columns.
  CommunityFeatures(const CommunityFeatures& of, std::span<const Columns> positions);

  std::size_t num_columns() const { return indicators_.cols(); }
  /// Positions × communities of all resolutions.
  const SparseMatrix& indicators() const { return indicators_; }
  /// The column of the position's community.
  std::optional<std::uint32_t> of(GroupKind kind, std::size_t position) const;
  Columns columns_at(std::size_t position) const;
  /// The share of the positions of all ranks in a community. Collective.
  double share_of(GroupKind kind, const Communicator& comm) const;
  /// The columns of the positions' communities, kNoCommunity where there is none.
  std::vector<std::uint32_t> label(GroupKind kind, std::span<const std::uint32_t> positions) const;

  /// C'V over the positions [begin, end), communities × columns of V.
  Matrix<double> sum_members(const Context& context, std::size_t begin, std::size_t end,
                             MatrixView<const double> v) const;
  /// Multiplies every row, one per community, by the prior variance of its effect.
  void scale(const GroupStrengths& strengths, Matrix<double>& sums) const;

 private:
  void set_indicators(std::span<const Columns> positions);
  std::optional<std::uint32_t> of(std::size_t resolution, std::size_t position) const;

  SparseMatrix indicators_;
  std::array<std::size_t, kResolutions.size() + 1> first_{};  ///< the columns of each resolution
};

}  // namespace cone
