#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/policy.hpp"
#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/number.hpp"

namespace cone {
namespace {

constexpr std::string_view kIntercept = "(intercept)";

double read_weight(CsvRecords& records, std::size_t column) {
  const ParsedNumber parsed = parse_number(records[column]);
  if (parsed.kind != NumberKind::kFinite) {
    records.faults().add("weight", {records.place(column),
                                    fmt::format("'{}' is not a number", printable(records[column])),
                                    "write a finite weight"});
  } else if (const char* problem = number_problem(parsed.value)) {
    records.faults().add("weight", {records.place(column),
                                    fmt::format("'{}' {}", printable(records[column]), problem),
                                    "write a smaller weight"});
  }
  return parsed.value;
}

}  // namespace

LinearPolicyWeights load_linear_policy(const Context& context, const std::filesystem::path& path,
                                       const FeatureTable& features) {
  return load_linear_policy(context, path.string(), ByteSource::of_file(path), features);
}

LinearPolicyWeights load_linear_policy(const Context& context, const std::string& name,
                                       ByteSource bytes, const FeatureTable& features) {
  FaultList faults;
  const auto file = CsvFile::read(context, name, std::move(bytes), {}, faults);
  faults.throw_if_any(ErrorCode::kData);
  const auto name_column = file->column("feature");
  const auto own_column = file->column("weight");
  const auto neighbour_column = file->column("neighbour_weight");
  if (!name_column || (!own_column && !neighbour_column)) {
    throw Error(ErrorCode::kData, {{.file = file->name(), .line = 1},
                                   "the header must name feature and weight or neighbour_weight",
                                   "start the file with feature,weight,neighbour_weight"});
  }
  for (const std::string& title : file->header()) {
    if (title == "feature" || title == "weight" || title == "neighbour_weight") continue;
    throw Error(ErrorCode::kData, {{.file = file->name(), .line = 1, .column = printable(title)},
                                   "is not a column of a linear policy",
                                   "the columns are feature, weight and neighbour_weight"});
  }
  if (file->num_records() == 0) {
    throw Error(ErrorCode::kData, {{.file = file->name()},
                                   "there are no rows below the header",
                                   "add one line per feature with its weight"});
  }
  std::unordered_map<std::string_view, std::size_t> column_of;
  for (std::size_t j = 0; j < features.names.size(); ++j) column_of[features.names[j]] = j;

  LinearPolicyWeights weights;
  weights.feature.assign(features.names.size(), 0.0);
  weights.neighbour.assign(features.names.size(), 0.0);
  std::unordered_map<std::string, std::uint64_t> line_of;
  // A file of weights is small and its lines depend on each other (repeats): one thread.
  const Context serial = context.on_one_thread();
  file->for_each_chunk(serial, "reading weights", faults, [&](std::size_t, CsvRecords& records) {
    while (records.next()) {
      const std::string feature(records[*name_column]);
      const double own = own_column ? read_weight(records, *own_column) : 0.0;
      const double neighbour = neighbour_column ? read_weight(records, *neighbour_column) : 0.0;
      const auto [earlier, is_new] = line_of.try_emplace(feature, records.line());
      if (!is_new) {
        records.faults().add("repeat", {records.place(*name_column),
                                        fmt::format("'{}' is already on line {}",
                                                    printable(feature), earlier->second),
                                        "give each feature one line"});
      } else if (feature == kIntercept) {
        weights.intercept = own + neighbour;
      } else if (const auto found = column_of.find(feature); found != column_of.end()) {
        weights.feature[found->second] = own;
        weights.neighbour[found->second] = neighbour;
      } else if (!records.faults().has_room("feature")) {
        // Searching thousands of names is not worth it for a fault that is not listed.
        records.faults().add_unlisted("feature", 1);
      } else {
        const std::string nearest = closest_name(feature, features.names);
        records.faults().add(
            "feature",
            {records.place(*name_column),
             fmt::format("the data has no feature '{}'", printable(feature)),
             nearest.empty() ? "check the spelling" : fmt::format("did you mean {}?", nearest)});
      }
    }
  });
  faults.throw_if_any(ErrorCode::kData);
  return weights;
}

}  // namespace cone
