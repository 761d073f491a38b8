#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"

#include "data/csv.hpp"

namespace cone::load {

/// One policy of a file and its columns.
struct PolicyColumns {
  enum class Kind {
    kProbability,  ///< one column: the probability of the arm other than the control arm
    kLabels,       ///< one column: the label of each node's arm
    kByArm,        ///< one column per arm; the control arm's may be missing
  };
  std::string name;
  Kind kind = Kind::kProbability;
  /// One per arm for kByArm; else a single one.
  std::vector<std::optional<std::size_t>> columns;
  std::string learnt_from = {};  ///< PolicyOnData::learnt_from
};

/// A column `learnt_from:CHECKSUM` is empty: its header marks the policy to its left as learnt from
/// the logged data with that checksum. A header stays with the file.
inline constexpr std::string_view kLearntFrom = "learnt_from:";

/// Arms by the text of cells, as find_arm. Numbers are compared as such; the few spellings of other
/// labels are cached.
class ArmReader {
 public:
  explicit ArmReader(const std::vector<std::string>& arms);
  std::optional<Arm> find(std::string_view text);
  /// The same for a text that is this number.
  std::optional<Arm> find_number(double value) const;

 private:
  const std::vector<std::string>& arms_;
  std::vector<std::pair<double, Arm>> numbers_;  // labels that are numbers
  std::vector<std::pair<std::string, std::optional<Arm>>> known_;
};

/// The fault of more than kMostPolicies policies.
Fault too_many_policies(std::size_t count, Place place);

/// Groups the columns of a file by policy and finds their kinds, by the header and, where a column
/// may hold labels or probabilities, by its cells. Faults for columns that are neither. Throws
/// Error(kData) for more than kMostPolicies.
std::vector<PolicyColumns> find_policies(const Context& context, const CsvFile& file,
                                         std::size_t id_column,
                                         const std::vector<std::string>& arms, FaultList& faults);

}  // namespace cone::load
