#include "cone/load.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include <fmt/format.h>

#include "cone/text.hpp"

#include "data/csv.hpp"
#include "data/data_fault.hpp"
#include "data/load_parts.hpp"
#include "data/mat_file.hpp"
#include "data/sanity.hpp"

namespace cone {
namespace {

/// Formats that are not supported, with the function of pandas that reads them.
struct ForeignFormat {
  std::string_view extension;
  std::string_view reader;  ///< of pandas
};
constexpr std::array<ForeignFormat, 12> kForeignFormats = {{{".dta", "read_stata"},
                                                            {".xlsx", "read_excel"},
                                                            {".xls", "read_excel"},
                                                            {".parquet", "read_parquet"},
                                                            {".feather", "read_feather"},
                                                            {".sav", "read_spss"},
                                                            {".sas7bdat", "read_sas"},
                                                            {".xpt", "read_sas"},
                                                            {".json", "read_json"},
                                                            {".pkl", "read_pickle"},
                                                            {".h5", "read_hdf"},
                                                            {".orc", "read_orc"}}};

void refuse_foreign_format(const std::filesystem::path& path) {
  const std::string extension = lower_case(path.extension().string());
  const Place place{.file = path.string()};
  const std::string out = path.stem().string() + ".csv";
  for (const ForeignFormat& format : kForeignFormats) {
    if (extension != format.extension) continue;
    fail_data(place, fmt::format("{} files are not supported", extension),
              fmt::format("convert it: python3 -c \"import pandas; pandas.{}('{}').to_csv('{}', "
                          "index=False)\"",
                          format.reader, path.string(), out));
  }
  if (extension == ".rds" || extension == ".rdata" || extension == ".rda") {
    fail_data(place, fmt::format("{} files are not supported", extension),
              fmt::format("convert it: Rscript -e \"write.csv(readRDS('{}'), '{}', row.names = "
                          "FALSE)\" (load() for .RData)",
                          path.string(), out));
  }
  if (extension == ".zip" || extension == ".bz2" || extension == ".xz" || extension == ".zst") {
    fail_data(place, fmt::format("{} files are not supported", extension),
              "unpack it first, or compress it with gzip");
  }
}

void note_left_out(std::size_t num_left_out, const LoadOptions& options,
                   std::vector<std::string>& notes) {
  if (num_left_out == 0) return;
  std::vector<std::string> lacking = {"a treatment", "an outcome"};
  if (!options.weight.empty()) lacking.emplace_back("a weight");
  if (!options.cluster.empty()) lacking.emplace_back("a cluster");
  if (!options.kept.empty()) lacking.emplace_back("a cost or a rank");
  if (options.missing == MissingPolicy::kDrop) lacking = {"a value"};
  notes.push_back(fmt::format("dropped {} that {} {}: results refer to the remaining nodes",
                              counted(num_left_out, "line"), num_left_out == 1 ? "lacks" : "lack",
                              fmt::join(lacking, " or ")));
}

/// How weights and clusters affect the results.
void note_design(const LoadOptions& options, const Dataset& data, LoadedData& out) {
  if (!data.weight.empty()) {
    out.notes.push_back(fmt::format(
        "means are weighted by '{}': {} nodes have an effective sample size of {}",
        printable(options.weight), grouped(data.num_nodes()),
        grouped(static_cast<std::uint64_t>(std::llround(data.effective_sample_size())))));
  }
  if (data.cluster.empty()) return;
  constexpr std::size_t kFewClusters = 10;
  const std::size_t count = std::size_t{*std::ranges::max_element(data.cluster)} + 1;
  out.notes.push_back(fmt::format("standard errors are clustered by '{}' ({} clusters)",
                                  printable(options.cluster), grouped(count)));
  if (count < kFewClusters) {
    out.warnings.push_back(
        fmt::format("'{}' has {} clusters: cluster-robust intervals are unreliable with so few",
                    printable(options.cluster), count));
  }
}

}  // namespace

namespace load {

std::unique_ptr<CsvFile> Source::open(std::string_view name) const {
  try {
    return CsvFile::read(context, files.title(name), files.open(name), options.csv, faults);
  } catch (const Error& error) {
    for (const Fault& fault : error.faults()) faults.add("file", fault);
    return nullptr;
  }
}

}  // namespace load

void refuse_table_options(const LoadOptions& options) {
  const LoadOptions defaults;
  std::vector<Fault> faults;
  LoadOptions::visit(options, [&]<class T>(std::string_view name, const T& value, std::string_view,
                                           const Range& = {}) {
    LoadOptions::visit(defaults, [&]<class U>(std::string_view other, const U& usual,
                                              std::string_view, const Range& = {}) {
      if constexpr (std::is_same_v<T, U>) {
        if (name != other || value == usual) return;
        faults.push_back({{.item = flag_name(name)}, "applies only to CSV input", "leave it out"});
      }
    });
  });
  if (!faults.empty()) throw Error(ErrorCode::kUsage, std::move(faults));
}

LoadedData load_dataset(const Context& context, const DataFiles& files,
                        const LoadOptions& options) {
  FaultList faults;
  LoadedData data;
  const load::Source source{context, files, options, faults, data.notes};
  load::NodeTable nodes = load::read_nodes(source);
  load::EdgeLines lines = load::read_edges(source, nodes);
  FeatureTable sparse = load::read_sparse_features(source, nodes);
  faults.throw_if_any(ErrorCode::kData);

  Dataset& observed = data.observed;
  observed.features = load::join_columns(std::move(nodes.features), std::move(sparse));
  observed.left_out = load::leave_out_lines(nodes, observed.features, lines);
  note_left_out(observed.left_out.size(), options, data.notes);
  load::fill_in_means(observed.features);
  observed.features.matrix = store_full_columns_densely(
      std::move(observed.features.matrix).take_blocks().second, observed.features.num_dense);
  data.columns = std::move(nodes.columns);
  observed.ids = std::move(nodes.ids);
  observed.treatment = std::move(nodes.treatment);
  observed.outcome = std::move(nodes.outcome);
  observed.kept = std::move(nodes.kept);
  observed.weight = std::move(nodes.weight);
  observed.cluster = std::move(nodes.cluster);
  load::number_clusters(observed.cluster);
  load::check_weights(files.title("nodes.csv"), options.weight, observed.weight, faults);
  load::check_clusters(files.title("nodes.csv"), options.cluster, observed.cluster, faults);
  load::GivenTables given = load::join_given(nodes.arms, nodes.given);
  nodes.given.clear();
  observed.arms = std::move(nodes.arms);
  observed.propensity = std::move(given.propensity);
  observed.mu = std::move(given.mu);
  if (given.truth) data.truth.emplace(std::move(*given.truth));
  if (faults.empty()) note_design(options, observed, data);
  load::check_sanity(context, files.title("nodes.csv"), data, faults);
  faults.throw_if_any(ErrorCode::kData);
  observed.graph = build_graph(context, observed.num_nodes(),
                               std::span<const Edge>(lines.edges.get(), lines.size), &data.edges);
  return data;
}

LoadedData load_dataset(const Context& context, const std::filesystem::path& path,
                        const LoadOptions& options) {
  if (path.extension() == ".mat") {
    refuse_table_options(options);
    return load_mat(context, path);
  }
  DiskFiles files;
  switch (path_kind(path)) {
    case PathKind::kFolder:
      files = DiskFiles::of_folder(path);
      break;
    case PathKind::kFile:
      refuse_foreign_format(path);
      files = DiskFiles::of_table(path);
      break;
    default:
      fail_data({.file = path.string()},
                path_kind(path) == PathKind::kMissing ? "does not exist"
                                                      : "is neither a file nor a folder",
                "give a CSV file, a folder with nodes.csv, or a .mat file");
  }
  if (!options.edges.empty()) {
    refuse_foreign_format(options.edges);
    files.set("edges.csv", options.edges);
  }
  return load_dataset(context, files, options);
}

}  // namespace cone
