#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "data/csv.hpp"
#include "data/policy_columns.hpp"

namespace cone::load {

/// Reads one line of one policy. Faults go to the list of the records.
class PolicyRow {
 public:
  explicit PolicyRow(const std::vector<std::string>& arms);

  /// Sets the probability of every arm.
  void read(CsvRecords& records, std::string_view id, const PolicyColumns& policy,
            std::span<double> row);

 private:
  void read_label(CsvRecords& records, std::size_t column, std::span<double> row);
  void read_arms(CsvRecords& records, std::string_view id, const PolicyColumns& policy,
                 std::span<double> row);

  const std::vector<std::string>& arms_;
  ArmReader reader_;
  bool is_plain_;
};

}  // namespace cone::load
