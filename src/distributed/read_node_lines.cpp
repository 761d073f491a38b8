#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cone/text.hpp"

#include "base/hash.hpp"
#include "data/arm_labels.hpp"
#include "data/column_roles.hpp"
#include "data/given_columns.hpp"
#include "data/validate.hpp"
#include "distributed/read_data.hpp"

namespace cone::distributed {
namespace {

using load::LabelTally;
using load::Tally;

nlohmann::json tally_json(const Tally& tally) {
  return {tally.count, tally.first_row, tally.first_text, tally.first_id};
}

Tally read_tally(const nlohmann::json& json) {
  return {json[0].get<std::uint64_t>(), json[1].get<std::uint64_t>(), json[2].get<std::string>(),
          json[3].get<std::string>()};
}

/// The labels of all ranks, in the order of the file.
LabelTally join_labels(const Communicator& comm, const LabelTally& own) {
  nlohmann::json json = {{"missing", tally_json(own.missing())},
                         {"unusable", tally_json(own.unusable())},
                         {"labels", nlohmann::json::array()}};
  for (const LabelTally::Label& label : own.labels()) {
    json["labels"].push_back({{"text", label.text}, {"cells", tally_json(label.cells)}});
  }
  LabelTally all;
  for (const std::string& text : comm.allgather(json.dump())) {
    const nlohmann::json of_rank = nlohmann::json::parse(text);
    for (const auto& label : of_rank["labels"]) {
      all.add({label["text"].get<std::string>(), read_tally(label["cells"])});
    }
    all.add_missing(read_tally(of_rank["missing"]));
    all.add_unusable(read_tally(of_rank["unusable"]));
  }
  return all;
}

struct LinesRead {
  TextList ids;
  LabelTally labels;
  std::vector<std::uint8_t> codes;
  std::vector<double> numeric;
  std::vector<load::GivenColumn> given;  ///< about arms
};

void refuse_what_is_not_read(const load::ColumnRoles& roles, const CsvFile& file,
                             FaultList& faults) {
  if (!roles.treatment || !roles.find("outcome")) {
    faults.add("column", {{.file = file.name(), .line = 1},
                          "the treatment or the outcome column is missing",
                          "name the columns by --treatment and --outcome"});
  }
}

/// Assigns every line its arm. Lines without one are faults.
void assign_arms(const RankReader& reader, const CsvFile& file, std::size_t column,
                 const LinesRead& lines, NodeRows& rows, GlobalData& global) {
  const Communicator& comm = reader.comm;
  const LabelTally all = join_labels(comm, lines.labels);
  FaultList found;
  const load::FaultTable table{file.name(), file.header(), global.num_nodes};
  const auto choice =
      load::choose_arms(table, column, all, reader.options.control, found, global.notes);
  const Tally missing = choice ? choice->missing : all.missing();
  if (missing.count > 0) {
    found.add("treatment", {table.cell(column, missing),
                            fmt::format("missing in {} line{}", grouped(missing.count),
                                        missing.count == 1 ? "" : "s"),
                            "fill it in or drop the node"});
  }
  if (comm.is_root()) reader.faults.merge(found);
  if (!choice || missing.count > 0) return;
  global.arms = choice->arms;
  for (const std::uint8_t code : lines.codes) {
    // Codes are indices of this rank's labels.
    const std::uint8_t label = code == LabelTally::kNone ? code : [&] {
      const std::string& text = lines.labels.labels()[code].text;
      const auto known = std::ranges::find(all.labels(), text, &LabelTally::Label::text);
      return static_cast<std::uint8_t>(known - all.labels().begin());
    }();
    rows.arm.push_back(label == LabelTally::kNone ? kControlArm : choice->arm_of_label[label]);
  }
  std::vector<double> sizes(global.arms.size(), 0.0);
  for (const Arm arm : rows.arm) ++sizes[arm];
  comm.allreduce(sizes);
  global.arm_sizes.assign(sizes.begin(), sizes.end());
}

/// Columns of nodes.csv by arm, as tables.
void build_given_tables(const RankReader& reader, const CsvFile& file, const LinesRead& lines,
                        NodeRows& rows, GlobalData& global) {
  for (Matrix<double>* table : {&rows.truth, &rows.propensity, &rows.mu, &rows.columns}) {
    *table = Matrix<double>(rows.size(), 0);
  }
  if (global.arms.empty()) return;
  FaultList found;
  load::check_given_arms({file.name(), file.header(), global.num_nodes}, global.arms, lines.given,
                         found);
  if (reader.comm.is_root()) reader.faults.merge(found);
  if (!found.empty()) return;
  load::GivenTables tables = load::join_given(global.arms, lines.given);
  if (tables.truth) rows.truth = std::move(*tables.truth);
  if (tables.propensity) rows.propensity = std::move(*tables.propensity);
  if (tables.mu) rows.mu = std::move(*tables.mu);
}

}  // namespace

TextList read_node_lines(const RankReader& reader, NodeRows& rows, GlobalData& global) {
  LinesRead lines;
  const auto file = reader.open(reader.folder / "nodes.csv");
  if (file == nullptr) return {};
  FaultList header_faults;
  const auto roles = load::assign_roles(*file, reader.options, header_faults, global.notes);
  if (roles) refuse_what_is_not_read(*roles, *file, header_faults);
  if (reader.comm.is_root()) reader.faults.merge(header_faults);
  if (!roles || !header_faults.empty()) return {};
  std::size_t outcome = 0;
  for (const load::NumberRole& role : roles->numbers) {
    if (role.quantity == load::Quantity::kOutcome) outcome = role.column;
    const bool is_given = role.quantity == load::Quantity::kPropensity ||
                          role.quantity == load::Quantity::kMu ||
                          role.quantity == load::Quantity::kTruth;
    if (is_given) lines.given.push_back({role, {}});
  }
  for (const load::FeatureColumn& feature : roles->features) {
    global.feature_names.push_back(file->header()[feature.column]);
  }
  global.num_numeric_features = global.feature_names.size();
  global.outcome = file->header()[outcome];
  global.num_nodes = reader.comm.allreduce(std::uint64_t{file->num_records()});
  // One chunk after the other: the ranks are the parallelism.
  const Context serial = reader.context.on_one_thread();
  file->for_each_chunk(
      serial, "reading nodes", reader.faults, [&](std::size_t, CsvRecords& record) {
        while (record.next()) {
          const std::uint64_t number = record.record();
          const std::string counted = roles->id ? "" : std::to_string(number + 1);
          const std::string_view id = roles->id ? record[*roles->id] : std::string_view(counted);
          if (roles->id && !validation::read_text(record, *roles->id)) continue;
          lines.ids.add(id);
          rows.number.push_back(number);
          rows.hash.push_back(hash64(id));
          lines.codes.push_back(lines.labels.add(record[*roles->treatment], record.line(), id));
          rows.outcome.push_back(validation::read_finite(record, outcome, id));
          for (const load::FeatureColumn& feature : roles->features) {
            lines.numeric.push_back(validation::read_finite(record, feature.column, id));
          }
          for (load::GivenColumn& column : lines.given) {
            column.values.push_back(validation::read_finite(record, column.role.column, id));
          }
        }
      });
  if (global.num_nodes == 0) validation::check_has_records(*file, "node", reader.faults);
  assign_arms(reader, *file, *roles->treatment, lines, rows, global);
  const std::size_t width = roles->features.size();
  rows.numeric = Matrix<double>(rows.size(), width);
  std::ranges::copy(lines.numeric, rows.numeric.data());
  build_given_tables(reader, *file, lines, rows, global);
  return std::move(lines.ids);
}

}  // namespace cone::distributed
