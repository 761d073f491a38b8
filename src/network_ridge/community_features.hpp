#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/matrix.hpp"

namespace cone {

enum class GroupKind;
class GroupStrengths;

/// Resolutions of the communities: an unmeasured confounder may follow wide or narrow ones, and the
/// likelihood chooses among them.
inline constexpr std::array kResolutions = {0.5, 1.0, 2.0};

/// The label of a position that is in no community.
inline constexpr std::uint32_t kNoCommunity = std::numeric_limits<std::uint32_t>::max();

/// Indicators of the network's communities (graph/communities.hpp) at several resolutions: one
/// column per community. A node that is a community by itself has none: its effect would be noise.
/// A partition into a single community, which the intercept is, and one equal to that of a coarser
/// resolution have no columns.
class CommunityFeatures {
 public:
  CommunityFeatures() : first_(kResolutions.size() + 1, 0) {}
  /// `node_at`: the nodes in the order of positions.
  CommunityFeatures(const Context& context, const Dataset& data,
                    std::span<const NodeIndex> node_at);
  /// Some positions of others, with all their columns.
  CommunityFeatures(const CommunityFeatures& all, std::span<const std::uint32_t> positions)
      : indicators_(all.indicators_.select_rows(positions)), first_(all.first_) {}

  std::size_t num_columns() const { return indicators_.cols(); }
  /// Positions × communities of all resolutions.
  const SparseMatrix& indicators() const { return indicators_; }
  /// The column of the position's community.
  std::optional<std::uint32_t> of(GroupKind kind, std::size_t position) const;
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
  SparseMatrix indicators_;
  std::vector<std::size_t> first_;  ///< resolutions + 1: the columns of each
};

}  // namespace cone
