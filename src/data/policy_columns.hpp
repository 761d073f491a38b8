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

/// One policy of a file and the columns that say what it does.
struct PolicyColumns {
  enum class Kind {
    kProbability,  ///< one column: the probability of the arm that is not the control
    kLabels,       ///< one column: who gets what
    kByArm,        ///< one column per arm; the control arm's may be missing
  };
  std::string name;
  Kind kind = Kind::kProbability;
  /// One per arm for kByArm; else a single one.
  std::vector<std::optional<std::size_t>> columns;
  std::string learnt_from = {};  ///< PolicyOnData::learnt_from
};

/// A column `learnt_from:CHECKSUM` holds nothing: its header marks the policy to its left as a rule
/// that was learnt from the log with that checksum. A header travels with the file.
inline constexpr std::string_view kLearntFrom = "learnt_from:";

/// Arms by the texts of cells, as find_arm. Numbers are compared as such; of other texts the few
/// spellings that occur are remembered.
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

/// Of more than kMostPolicies.
Fault too_many_policies(std::size_t count, Place place);

/// Groups the columns of a file by policy and says what each holds, by the header and, where a
/// column may hold labels or probabilities, by its cells. Faults for what is neither. Throws
/// Error(kData) for more than kMostPolicies.
std::vector<PolicyColumns> find_policies(const Context& context, const CsvFile& file,
                                         std::size_t id_column,
                                         const std::vector<std::string>& arms, FaultList& faults);

}  // namespace cone::load
