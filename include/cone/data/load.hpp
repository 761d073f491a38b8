#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cone/data/csv.hpp"
#include "cone/data/dataset.hpp"
#include "cone/exec/context.hpp"

namespace cone {

/// Loads a dataset and validates it before anything is computed. All faults of all files are thrown
/// together as one Error(kData). The path is a `.mat` file (see mat_file.hpp) or a folder with
///
/// - `nodes.csv`: `id`, `treatment` (0 or 1), `outcome`; `propensity`, `mu0` and `mu1`, `y0` and
///   `y1` where the user has them; every other column is a dense feature;
/// - `edges.csv`: `source`, `target`; direction, repeats and self loops are ignored and counted;
/// - optionally `features.npz` (SciPy CSR, one row a node in the order of nodes.csv) or
///   `features.csv` (`node`, `feature`, `value`), and beside either of them `feature_names.csv`
///   (`feature`), which names all columns in their order. Without it the columns of features.npz
///   are f0, f1, ... and those of features.csv come in the order of first appearance.
///
/// Zeros are not stored, whichever way they were written. The result does not depend on the number
/// of threads nor on the chunk size. Peak memory is the result plus about 24 bytes an edge line.
LoadedData load_dataset(const Context& context, const std::filesystem::path& path,
                        const CsvOptions& options = {});

/// One probability of treatment a node and policy.
struct PolicyTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> probabilities;  ///< [policy][node]
};

/// Reads `id` + one column a policy, in any order of the ids. Every node needs a row.
PolicyTable load_policy_table(const Context& context, const std::filesystem::path& path,
                              const IdTable& ids, const CsvOptions& options = {});

}  // namespace cone
