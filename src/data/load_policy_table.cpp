#include <algorithm>
#include <atomic>
#include <cmath>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "cone/load.hpp"

#include "base/text.hpp"
#include "data/arm_labels.hpp"
#include "data/byte_source.hpp"
#include "data/csv.hpp"
#include "data/given_columns.hpp"
#include "data/number.hpp"
#include "data/policy_columns.hpp"
#include "data/validate.hpp"

namespace cone {
namespace {

constexpr std::uint64_t kNoRecord = static_cast<std::uint64_t>(-1);

/// Reports ids that stand on two lines and, where all lines could be read, nodes that stand on
/// none. `nodes` is one node per record.
void check_coverage(const CsvFile& file, const IdTable& ids, const std::vector<NodeIndex>& nodes,
                    bool all_read, FaultList& faults) {
  std::vector<std::uint64_t> record_of(ids.size(), kNoRecord);
  for (std::uint64_t record = 0; record < nodes.size(); ++record) {
    if (nodes[record] == IdTable::kAbsent) continue;
    std::uint64_t& first = record_of[nodes[record]];
    if (first == kNoRecord) {
      first = record;
      continue;
    }
    validation::add_fault(faults, "duplicate id", [&]() -> Fault {
      return {{.file = file.name(),
               .line = file.line_of_record(record),
               .column = "id",
               .item = printable(ids[nodes[record]])},
              fmt::format("the id is already on line {}", file.line_of_record(first)),
              "every node has one line"};
    });
  }
  for (std::size_t i = 0; i < ids.size(); ++i) {
    if (record_of[i] != kNoRecord || !all_read) continue;
    validation::add_fault(faults, "node without a row", [&]() -> Fault {
      return {{.file = file.name(), .item = printable(ids[static_cast<NodeIndex>(i)])},
              "the node has no row",
              "a policy needs a probability for every node"};
    });
  }
}

/// What one line says about one policy.
class PolicyRow {
 public:
  explicit PolicyRow(const std::vector<std::string>& arms)
      : arms_(arms), reader_(arms), is_plain_(has_plain_labels(arms)) {}

  void read(CsvRecords& records, std::string_view id, const load::PolicyColumns& policy,
            std::span<double> row) {
    using Kind = load::PolicyColumns::Kind;
    if (policy.kind == Kind::kLabels) return read_label(records, *policy.columns[0], row);
    if (policy.kind == Kind::kByArm) return read_arms(records, id, policy, row);
    // Of arms called 0 and 1, a label is a probability, and True and False are labels.
    const std::optional<bool> truth =
        is_plain_ ? parse_truth_value(records[*policy.columns[0]]) : std::nullopt;
    row[1] = truth ? static_cast<double>(*truth)
                   : validation::read_probability(records, *policy.columns[0], id);
    row[0] = 1 - row[1];
  }

 private:
  void read_label(CsvRecords& records, std::size_t column, std::span<double> row) {
    std::fill(row.begin(), row.end(), 0.0);
    if (const std::optional<Arm> arm = reader_.find(records[column])) {
      row[*arm] = 1;
      return;
    }
    validation::add_fault(records.faults(), "label", [&]() -> Fault {
      const std::string text = printable(records[column]);
      const bool is_number = parse_number(records[column]).kind == NumberKind::kFinite;
      const std::string near = closest_name(text, arms_);
      std::string advice = fmt::format("the arms are {}", list_arms(arms_));
      if (!near.empty()) advice = fmt::format("did you mean {}?", printable(near));
      if (is_number && arms_.size() > 2)
        advice += "; probabilities of more than two arms need columns name:LABEL";
      return {records.place(column), fmt::format("'{}' is not an arm", text), std::move(advice)};
    });
  }

  void read_arms(CsvRecords& records, std::string_view id, const load::PolicyColumns& policy,
                 std::span<double> row) {
    double sum = 0;
    std::optional<std::size_t> remaining;
    std::size_t first_column = 0;
    bool is_readable = true;
    for (std::size_t a = row.size(); a-- > 0;) {
      if (!policy.columns[a]) {
        remaining = a;
        continue;
      }
      first_column = *policy.columns[a];
      const std::uint64_t num_faults = records.faults().total();
      row[a] = validation::read_probability(records, first_column, id);
      is_readable = is_readable && records.faults().total() == num_faults;
      sum += row[a];
    }
    if (remaining) row[*remaining] = std::max(1 - sum, 0.0);
    const bool is_even =
        remaining ? sum <= 1 + load::kSumTolerance : std::abs(sum - 1) <= load::kSumTolerance;
    if (is_even || !is_readable) return;
    validation::add_fault(records.faults(), "sum of " + policy.name, [&]() -> Fault {
      Place place = records.place(first_column);
      place.item = printable(id);
      return {std::move(place),
              fmt::format("the probabilities of policy {} add up to {:.6g}, {} 1",
                          printable(policy.name), sum, remaining ? "more than" : "not"),
              "give every arm its share of 1"};
    });
  }

  const std::vector<std::string>& arms_;
  load::ArmReader reader_;
  bool is_plain_;
};

}  // namespace

PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const Dataset& data, const CsvOptions& options) {
  return load_policy_table(context, path.string(), ByteSource::of_file(context, path), data,
                           options);
}

PolicyTable load_policy_table(const Context& context, const std::string& name, ByteSource bytes,
                              const Dataset& data, const CsvOptions& options) {
  FaultList faults;
  const auto file = CsvFile::read(context, name, std::move(bytes), options, faults);
  if (file == nullptr) faults.throw_if_any(ErrorCode::kData);
  if (!validation::check_column(
          *file, "id", "it says which node a row is about, and is called id in a file of policies",
          faults)) {
    faults.throw_if_any(ErrorCode::kData);
  }
  const std::size_t id_column = *file->column("id");
  const std::vector<load::PolicyColumns> policies =
      load::find_policies(context, *file, id_column, data.arms, faults);
  if (policies.empty()) {
    faults.add("policy", {{.file = file->name(), .line = 1},
                          "there is no policy column",
                          "add one column of probabilities or labels per policy beside id"});
  }
  validation::check_has_records(*file, "node", faults);

  // Probabilities by record first: two threads may meet the same node when an id is repeated.
  const std::size_t num_arms = data.num_arms();
  const std::size_t width = policies.size() * num_arms;
  std::vector<NodeIndex> nodes(file->num_records(), IdTable::kAbsent);
  Matrix<double> by_record(file->num_records(), width);
  std::atomic<bool> all_read = true;
  file->for_each_chunk(context, "reading policies", faults, [&](std::size_t, CsvRecords& records) {
    PolicyRow reader(data.arms);
    while (records.next()) {
      const std::string_view id = records[id_column];
      const std::optional<NodeIndex> node = data.ids.find(id);
      if (node) {
        nodes[records.record()] = *node;
      } else if (!data.left_out.find(id)) {
        validation::add_fault(records.faults(), "unknown id", [&]() -> Fault {
          return {records.place(id_column),
                  fmt::format("'{}' is not a node of the data", printable(id)),
                  "delete the line or add the node to the data"};
        });
      }
      const std::span<double> row = by_record.row(records.record());
      for (std::size_t k = 0; k < policies.size(); ++k) {
        reader.read(records, id, policies[k], row.subspan(k * num_arms, num_arms));
      }
    }
    if (records.num_malformed() > 0) all_read = false;
  });
  check_coverage(*file, data.ids, nodes, all_read, faults);
  faults.throw_if_any(ErrorCode::kData);

  PolicyTable table;
  for (const load::PolicyColumns& policy : policies) {
    table.names.push_back(policy.name);
    table.probabilities.emplace_back(data.num_nodes(), num_arms);
  }
  for (std::uint64_t record = 0; record < nodes.size(); ++record) {
    if (nodes[record] == IdTable::kAbsent) continue;  // a line that was left out
    for (std::size_t k = 0; k < policies.size(); ++k) {
      const auto row = by_record.row(record).subspan(k * num_arms, num_arms);
      std::copy(row.begin(), row.end(), table.probabilities[k].row(nodes[record]).begin());
    }
  }
  return table;
}

}  // namespace cone
