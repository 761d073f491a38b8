#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cone/file.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "data/arm_labels.hpp"
#include "data/policy_row.hpp"
#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

/// The probabilities of a constant policy; nothing where `name` is not one.
std::optional<std::vector<double>> constant_probabilities(const GlobalData& global,
                                                          const std::string& name) {
  constexpr std::string_view kAlways = "always:";
  const std::size_t num_arms = global.arms.size();
  std::vector<double> out(num_arms, 0.0);
  if (name == "uniform") {
    out.assign(num_arms, 1 / static_cast<double>(num_arms));
    return out;
  }
  if (num_arms == 2 && (name == "treat-all" || name == "treat-none")) {
    out[name == "treat-all" ? 1 : 0] = 1;
    return out;
  }
  if (!name.starts_with(kAlways)) return std::nullopt;
  const auto arm = find_arm(global.arms, std::string_view(name).substr(kAlways.size()));
  if (!arm) return std::nullopt;
  out[*arm] = 1;
  return out;
}

void add_constant(const std::string& name, std::span<const double> probabilities, NodeRows& rows,
                  GlobalData& global) {
  Matrix<double>& table = rows.policies.emplace_back(rows.size(), probabilities.size());
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::ranges::copy(probabilities, table.row(i).begin());
  }
  global.policy_names.push_back(name);
}

/// Whether all ranks find the same kinds of columns (labels or probabilities).
bool agree_on_kinds(const Communicator& comm, const std::vector<load::PolicyColumns>& policies) {
  std::string own;
  for (const load::PolicyColumns& policy : policies) own += fmt::format("{}:", int(policy.kind));
  const std::vector<std::string> all = comm.allgather(own);
  return std::ranges::all_of(all, [&](const std::string& other) { return other == own; });
}

/// Refuses columns named like a built-in policy: they might mean something else. (One process
/// compares the values.)
void refuse_borrowed_names(const RankReader& reader, const std::string& path,
                           const std::vector<load::PolicyColumns>& policies,
                           const GlobalData& global) {
  for (const load::PolicyColumns& policy : policies) {
    if (!constant_probabilities(global, policy.name) || !reader.comm.is_root()) continue;
    reader.faults.add("name of a policy", {{.file = path, .column = printable(policy.name)},
                                           "is the name of a built-in policy",
                                           "choose another name, or name the built-in one"});
  }
}

void read_policy_file(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                      const std::string& path, NodeRows& rows, GlobalData& global) {
  const Communicator& comm = reader.comm;
  const auto file = reader.open(path);
  if (file == nullptr) return;
  FaultList found;
  validation::check_column(
      *file, "id", "a policy file needs a column id that identifies the node of each row", found);
  std::vector<load::PolicyColumns> policies;
  if (found.empty()) {
    policies = load::find_policies(reader.context, *file, *file->column("id"), global.arms, found);
  }
  const bool usable = !comm.any(!found.empty());
  if (!usable) {
    reader.faults.merge(found);
    return;
  }
  refuse_borrowed_names(reader, path, policies, global);
  if (!agree_on_kinds(comm, policies) || policies.empty()) {
    if (comm.is_root()) {
      reader.faults.add("policy", {{.file = path, .line = 1},
                                   policies.empty() ? "there is no policy column"
                                                    : "a column holds labels in one part of the "
                                                      "file and probabilities in another",
                                   "add a column of probabilities or labels per policy"});
    }
    return;
  }
  const std::size_t num_arms = global.arms.size();
  const std::size_t width = policies.size() * num_arms;
  const std::size_t id_column = *file->column("id");
  TextList texts;
  std::vector<double> values;
  std::vector<std::uint64_t> lines;
  for (const CsvChunk& chunk : file->chunks()) {
    CsvRecords record(*file, chunk);
    load::PolicyRow row(global.arms);
    while (record.next()) {
      texts.add(record[id_column]);
      lines.push_back(record.line());
      values.resize(values.size() + width);
      const std::span<double> own(values.data() + values.size() - width, width);
      for (std::size_t k = 0; k < policies.size(); ++k) {
        row.read(record, record[id_column], policies[k], own.subspan(k * num_arms, num_arms));
      }
    }
    reader.faults.merge(record.faults());
    file->release(chunk);
  }
  const std::vector<std::uint64_t> numbers = ids.find(texts);
  std::vector<std::vector<std::uint64_t>> sent_numbers(comm.size());
  std::vector<std::vector<double>> sent_values(comm.size());
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (numbers[k] == IdDirectory::kAbsent) {
      validation::add_fault(reader.faults, "unknown id", [&]() -> Fault {
        return {{.file = path, .line = lines[k], .column = "id"},
                fmt::format("'{}' is not a node of the data", printable(texts[k])),
                "delete the line or add the node to the data"};
      });
      continue;
    }
    const std::size_t owner = blocks.owner_of(numbers[k]);
    sent_numbers[owner].push_back(numbers[k]);
    const auto row = std::span(values).subspan(k * width, width);
    sent_values[owner].insert(sent_values[owner].end(), row.begin(), row.end());
  }
  const auto received_numbers = comm.alltoallv(std::move(sent_numbers));
  const auto received_values = comm.alltoallv(std::move(sent_values));
  const std::size_t first = rows.policies.size();
  for (const load::PolicyColumns& policy : policies) {
    rows.policies.emplace_back(rows.size(), num_arms);
    global.policy_names.push_back(policy.name);
  }
  std::vector<char> is_there(rows.size(), 0);
  const std::uint64_t begin = blocks.begin(comm);
  for (std::size_t from = 0; from < comm.size(); ++from) {
    for (std::size_t k = 0; k < received_numbers[from].size(); ++k) {
      const std::size_t i = received_numbers[from][k] - begin;
      if (is_there[i] != 0) {
        validation::add_fault(reader.faults, "duplicate id", [&]() -> Fault {
          return {{.file = path, .item = fmt::format("line {} of nodes.csv", begin + i + 2)},
                  "the node has two rows",
                  "give every node one line"};
        });
      }
      is_there[i] = 1;
      for (std::size_t p = 0; p < policies.size(); ++p) {
        std::copy_n(
            received_values[from].begin() + static_cast<std::ptrdiff_t>(k * width + p * num_arms),
            num_arms, rows.policies[first + p].row(i).begin());
      }
    }
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_there[i] != 0) continue;
    validation::add_fault(reader.faults, "node without a row", [&]() -> Fault {
      return {{.file = path, .item = fmt::format("line {} of nodes.csv", begin + i + 2)},
              "the node has no row",
              "give every node a row with its probabilities or label"};
    });
  }
}

}  // namespace

void read_policies(const RankReader& reader, const IdDirectory& ids, const Blocks& blocks,
                   std::span<const std::string> policies, NodeRows& rows, GlobalData& global) {
  for (const std::string& name : policies) {
    if (const auto constant = constant_probabilities(global, name)) {
      add_constant(name, *constant, rows, global);
    } else if (path_kind(name) != PathKind::kMissing) {
      read_policy_file(reader, ids, blocks, name, rows, global);
    } else if (reader.comm.is_root()) {
      reader.faults.add("policy",
                        {{.item = printable(name)},
                         "is neither a file nor a policy that --reading sharded supports",
                         fmt::format("it supports {}uniform, always:LABEL of the arms {}, "
                                     "and policy files",
                                     global.arms.size() == 2 ? "treat-all, treat-none, " : "",
                                     fmt::join(global.arms, ", "))});
    }
  }
  if (!reader.comm.is_root()) return;
  for (Fault& fault : list_name_faults(global.policy_names)) {
    reader.faults.add("name of a policy", std::move(fault));
  }
}

}  // namespace cone::distributed
