#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/file.hpp"
#include "cone/graph.hpp"
#include "cone/matrix.hpp"
#include "cone/options.hpp"

/// \file
/// Datasets from files, memory and arrays, validated before anything is computed.

namespace cone {

class Gunzip;

/// The bytes of one input: a mapped file, or bytes held in memory (unpacked, or handed over by a
/// caller that has no file).
class ByteSource {
 public:
  ByteSource(ByteSource&&) noexcept;
  ByteSource& operator=(ByteSource&&) noexcept;
  ~ByteSource();

  /// Maps the file. Throws Error(kData) when it cannot be read.
  static ByteSource of_file(const std::filesystem::path& path);
  /// The same for bytes; `name` stands for the file in messages.
  static ByteSource of_bytes(std::string bytes, const std::string& name);

  /// Decompresses gzip input until `num_bytes` are available, or all; no effect on other input.
  /// Throws Error(kData) when it is damaged or decompresses to an absurd size.
  void unpack(const Context& context, std::size_t num_bytes);
  void unpack_rest(const Context& context) {
    unpack(context, std::numeric_limits<std::size_t>::max());
  }

  /// Of compressed input, what has been decompressed so far; unpack() invalidates the view.
  std::string_view bytes() const;
  /// Whether another process may change the bytes while they are read.
  bool may_change() const { return map_ && !packed_; }
  /// Releases the pages of a mapped file; reading them again loads them again.
  void release(std::size_t begin, std::size_t end) const {
    if (may_change()) map_->release(begin, end);
  }

 private:
  ByteSource();
  std::string_view stored() const { return map_ ? map_->bytes() : std::string_view(*owned_); }
  void look_for_gzip(const std::string& name);

  std::unique_ptr<MappedFile> map_;
  std::unique_ptr<std::string> owned_;  // by pointer: moving a short string moves its bytes
  std::unique_ptr<Gunzip> packed_;      // reads from one of them
};

/// Where the files of a dataset come from: a folder, single files, or memory. Names are those of a
/// dataset folder: "nodes.csv", "edges.csv", "features.csv", ...
class DataFiles {
 public:
  virtual ~DataFiles() = default;
  virtual bool has(std::string_view name) const = 0;
  /// The name of the file in messages.
  virtual std::string title(std::string_view name) const = 0;
  /// Throws Error(kData) when it cannot be read.
  virtual ByteSource open(std::string_view name) const = 0;
};

/// Files on disk. A name in the folder may be compressed (nodes.csv.gz).
class DiskFiles : public DataFiles {
 public:
  /// Every file of a folder.
  static DiskFiles of_folder(const std::filesystem::path& folder);
  /// One node table and nothing else.
  static DiskFiles of_table(const std::filesystem::path& nodes);
  /// Uses the file at `path` as `name`, whatever the folder contains.
  void set(const std::string& name, const std::filesystem::path& path) { files_[name] = path; }

  bool has(std::string_view name) const override;
  std::string title(std::string_view name) const override { return path(name).string(); }
  ByteSource open(std::string_view name) const override;
  /// Where the file is, or would be.
  std::filesystem::path path(std::string_view name) const;

 private:
  std::filesystem::path folder_;
  std::map<std::string, std::filesystem::path, std::less<>> files_;
};

/// Files as bytes in memory, by name; `.csv` files only. For callers that must not touch a disk.
class MemoryFiles : public DataFiles {
 public:
  explicit MemoryFiles(std::map<std::string, std::string, std::less<>> files)
      : files_(std::move(files)) {}

  bool has(std::string_view name) const override { return files_.contains(name); }
  std::string title(std::string_view name) const override { return std::string(name); }
  ByteSource open(std::string_view name) const override;

 private:
  std::map<std::string, std::string, std::less<>> files_;
};

struct CsvOptions {
  std::size_t chunk_bytes = std::size_t{1} << 20;       ///< about this much per task
  std::size_t max_record_bytes = std::size_t{1} << 24;  ///< a longer line is a broken file
};

/// How missing values are handled.
enum class MissingPolicy {
  kRefuse,    ///< a fault per column
  kIndicate,  ///< the column's mean, and an indicator beside it; lines without a treatment or an
              ///< outcome are left out
  kDrop,      ///< lines with a missing value in any column that is used are left out
};

template <>
struct EnumNames<MissingPolicy> {
  static constexpr std::array<std::pair<MissingPolicy, std::string_view>, 3> kNames = {
      {{MissingPolicy::kRefuse, "refuse"},
       {MissingPolicy::kIndicate, "indicate"},
       {MissingPolicy::kDrop, "drop"}}};
};

/// How edges are handled whose ends are not both in the node table.
enum class UnknownEdges {
  kRefuse,  ///< one fault for all of them
  kDrop,    ///< left out; a note reports how many
};

template <>
struct EnumNames<UnknownEdges> {
  static constexpr std::array<std::pair<UnknownEdges, std::string_view>, 2> kNames = {
      {{UnknownEdges::kRefuse, "refuse"}, {UnknownEdges::kDrop, "drop"}}};
};

/// A column of numbers that another option names.
struct KeptColumn {
  std::string name;
  std::string flag;  ///< that names it, for messages
  /// The column need not exist; where it is a feature it stays one, and is found there.
  bool is_optional = false;
};

/// How to read the node table. Lists name columns; a name that ends in * stands for all columns
/// that begin so.
struct LoadOptions {
  std::string id;
  std::string treatment;
  std::string control;
  std::string outcome;
  std::string weight;
  std::string cluster;
  std::vector<std::string> features;
  std::vector<std::string> ignore;
  std::vector<std::string> categories;
  std::vector<std::string> counts;
  MissingPolicy missing = MissingPolicy::kRefuse;
  std::string edges;
  UnknownEdges unknown_edges = UnknownEdges::kRefuse;
  std::vector<KeptColumn> kept;  ///< no flag: filled from what other options name
  CsvOptions csv;                ///< how the bytes are cut for the threads; never changes a result

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("id", self.id, "Id column; without one, nodes are numbered from 1");
    visitor("treatment", self.treatment, "Treatment column (0 or 1, or labels of 2 to 16 arms)");
    visitor("control", self.control,
            "Label of the control arm, if it is not 0, false, no, none or control");
    visitor("outcome", self.outcome, "Outcome column (numeric)");
    visitor("weight", self.weight,
            "Column of survey weights; without this option a column called weight is a feature");
    visitor("cluster", self.cluster,
            "Cluster-robust standard errors by this column (village, class)");
    visitor("features", self.features, "Use only these columns as features (a,b,word_*)");
    visitor("ignore", self.ignore, "Ignore these columns (a,b,word_*)");
    visitor("categories", self.categories, "Numeric columns that are codes of categories (a,b)");
    visitor("counts", self.counts,
            "Columns of count features, such as word counts: scaled by row instead of by column");
    visitor(
        "missing", self.missing,
        "Missing values: refuse; indicate (impute the column mean and add an indicator); drop (the "
        "row)");
    visitor("edges", self.edges, "Edge list, if it is not DATA/edges.csv");
    visitor("unknown_edges", self.unknown_edges,
            "Edges with ids that are not in the node table: refuse or drop them");
  }
};

/// Loads a dataset and validates it before anything is computed. All faults of all files are thrown
/// together as one Error(kData). The path is a `.mat` file (see mat_file.hpp), one node table,
/// or a folder with
///
/// - `nodes.csv`: a treatment (0 or 1, False or True, or the labels of 2 to 16 arms) and an outcome
///   per node; `id`, `propensity`, `mu0` and `mu1`, `y0` and `y1` where there are any, or
///   `propensity:LABEL`, `mu:LABEL`, `y:LABEL` for arms that are not called 0 and 1; every other
///   column is a feature. The options name other columns, among them weights and clusters, and
///   leave some out;
/// - optionally `edges.csv`: `source`, `target`, or other usual names of the two ends; direction,
///   repeats and self loops are ignored and counted;
/// - optionally `features.npz` (SciPy CSR, one row per node in the order of nodes.csv) or
///   `features.csv` (`node`, `feature`, `value`), and beside either of them `feature_names.csv`
///   (`feature`), which names all columns in their order. Without it the columns of features.npz
///   are f0, f1, ... and those of features.csv come in the order of first appearance.
///
/// Every text file may be compressed by gzip. A feature column of numbers is taken as it is, one of
/// True and False as 1 and 0, and one of text as a category with one indicator per level
/// (`column=level`); levels on fewer than 5 lines or 0.5 % of them are pooled. How columns were
/// read and possible mistakes are in `columns`, `notes` and `warnings` of the result.
///
/// Zeros are not stored, whichever way they were written. The result does not depend on the number
/// of threads nor on the chunk size. Peak memory is the result plus about 24 bytes per edge line.
LoadedData load_dataset(const Context& context, const std::filesystem::path& path,
                        const LoadOptions& options = {});

/// The same for files from anywhere.
LoadedData load_dataset(const Context& context, const DataFiles& files,
                        const LoadOptions& options = {});

/// The columns that costs (LABEL=NUMBER or LABEL=COLUMN, as EvaluateOptions and LearnPolicyOptions
/// take them) name, for LoadOptions::kept. Forms that are neither are left out.
std::vector<KeptColumn> cost_columns(std::span<const std::string> costs);

/// The arms that the loader finds in a treatment column of these labels, the control arm first: as
/// `control` names it, or by usual names. None where it would refuse the column.
std::vector<std::string> choose_arms(std::span<const std::string> labels,
                                     const std::string& control);

/// Throws Error(kUsage) for every option that is set: for data that is not a CSV table.
void refuse_table_options(const LoadOptions& options);

/// Time and memory of comparing policies grow with the square of their number: about a minute and
/// 2 GB for this many.
inline constexpr std::size_t kMostPolicies = 5'000;

/// The probabilities of policies on the nodes of a dataset.
struct PolicyTable {
  std::vector<std::string> names;
  std::vector<Matrix<double>> probabilities;  ///< one per policy, nodes × arms; rows sum to 1
  std::vector<std::string> learnt_from;       ///< one per policy: PolicyOnData::learnt_from
};

/// Reads `id` and the columns of policies, in any order of the ids. A policy is
///
/// - a column of probabilities of the arm that is not the control, where the data has two arms,
/// - a column of labels of the assigned arms, or
/// - one column per arm, `name:label`, of probabilities; the control arm's may be left out.
///
/// Every node of `data` needs a row; rows of ids that were left out are ignored.
PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const Dataset& data, const CsvOptions& options = {});

/// The same for bytes; `name` is for messages.
PolicyTable load_policy_table(const Context& context, const std::string& name, ByteSource bytes,
                              const Dataset& data, const CsvOptions& options = {});

/// One column of numbers per arm. Without labels, the columns are the arms in their order (the
/// control arm first); of two arms, a single column of propensities is the second's.
struct ArmArrays {
  std::vector<std::string> arms;  ///< labels of the columns, or none
  MatrixView<const double> table;

  bool is_given() const { return table.cols() > 0; }
};

/// Compressed sparse rows as SciPy has them; columns of a row in any order.
struct SparseArrays {
  std::span<const std::uint64_t> offsets;  ///< one more than there are nodes
  std::span<const std::uint32_t> columns;
  std::span<const double> values;
  std::size_t num_columns = 0;
  std::vector<std::string> names;  ///< one per column; without, f0, f1, ...

  bool is_given() const { return !offsets.empty(); }
};

/// A dataset in memory: one row per node, rows counted from 0. Empty members are absent; treatment
/// and outcome are required. The arrays are not kept.
struct DatasetArrays {
  std::span<const std::string> ids;  ///< without, "0", "1", ...
  /// Treatments, as labels or as numbers: one of the two.
  std::span<const std::string> treatment;
  std::span<const double> treatment_numbers;
  std::string control;  ///< label of the control arm, if its name does not imply it
  std::span<const double> outcome;
  std::span<const double> weight;                  ///< survey weights
  std::span<const std::string> cluster;            ///< labels of clusters
  MatrixView<const double> numeric_features;       ///< nodes × columns
  std::vector<std::string> numeric_feature_names;  ///< without, x0, x1, ...
  SparseArrays counts;
  ArmArrays propensity, mu, truth;
  std::span<const NamedColumn> kept;  ///< not features: columns that costs and rankings name
  /// The network, as pairs of rows or as rows of neighbours; in any direction, with any repeats.
  std::span<const Edge> edges;
  std::span<const std::uint64_t> neighbour_offsets;
  std::span<const NodeIndex> neighbours;
};

/// A dataset from arrays, with the same checks and messages as for files: places are
/// "row 3 (ann), column outcome". Throws one Error(kData) with all faults. The same content has the
/// same checksum as from files.
LoadedData make_dataset(const Context& context, const DatasetArrays& arrays);

}  // namespace cone
