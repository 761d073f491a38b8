#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "data/csv.hpp"
#include "data/data_files.hpp"
#include "data/dataset.hpp"
#include "data/load_options.hpp"
#include "exec/context.hpp"

namespace cone {

/// Loads a dataset and validates it before anything is computed. All faults of all files are thrown
/// together as one Error(kData). The path is a `.mat` file (see mat_file.hpp), one table of nodes,
/// or a folder with
///
/// - `nodes.csv`: a treatment (0 or 1, False or True, or the labels of 2 to 16 arms) and an outcome
///   per node; `id`, `propensity`, `mu0` and `mu1`, `y0` and `y1` where the user has them, or
///   `propensity:LABEL`, `mu:LABEL`, `y:LABEL` for arms that are not called 0 and 1; every other
///   column is a feature. The options name other columns and leave some out;
/// - optionally `edges.csv`: `source`, `target`, or other usual names of the two ends; direction,
///   repeats and self loops are ignored and counted;
/// - optionally `features.npz` (SciPy CSR, one row per node in the order of nodes.csv) or
///   `features.csv` (`node`, `feature`, `value`), and beside either of them `feature_names.csv`
///   (`feature`), which names all columns in their order. Without it the columns of features.npz
///   are f0, f1, ... and those of features.csv come in the order of first appearance.
///
/// Every text file may be compressed by gzip. A feature column of numbers is taken as it is, one of
/// True and False as 1 and 0, and one of text as a category with one indicator per level
/// (`column=level`); levels on fewer than 5 lines or 0.5 % of them are taken together. What was
/// understood and what may be a mistake is in `columns` and `notes` of the result.
///
/// Zeros are not stored, whichever way they were written. The result does not depend on the number
/// of threads nor on the chunk size. Peak memory is the result plus about 24 bytes per edge line.
LoadedData load_dataset(const Context& context, const std::filesystem::path& path,
                        const LoadOptions& options = {});

/// The same for files from anywhere.
LoadedData load_dataset(const Context& context, const DataFiles& files,
                        const LoadOptions& options = {});

/// Throws Error(kUsage) for every option that is set: for data that is no table of text.
void refuse_table_options(const LoadOptions& options);

/// What policies do on the nodes of a dataset.
struct PolicyTable {
  std::vector<std::string> names;
  std::vector<Matrix<double>> probabilities;  ///< one per policy, nodes × arms; rows sum to 1
};

/// Reads `id` and the columns of policies, in any order of the ids. A policy is
///
/// - a column of probabilities of the arm that is not the control, where the data has two arms,
/// - a column of labels: who gets what, or
/// - one column per arm, `name:label`, of probabilities; the control arm's may be left out.
///
/// Every node of `data` needs a row; rows of ids that were left out are passed over.
PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const Dataset& data, const CsvOptions& options = {});

/// The same for bytes; `name` is for messages.
PolicyTable load_policy_table(const Context& context, const std::string& name, ByteSource bytes,
                              const Dataset& data, const CsvOptions& options = {});

}  // namespace cone
