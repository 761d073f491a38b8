#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone {

/// Loads a MATLAB file (save -v6 or -v7, scipy.io.savemat; not -v7.3) with the variables
///
///   Network              n × n, sparse or dense, any numeric class: nonzero is an edge
///   X_100 or Attributes  n × M features, sparse or dense
///   T, Y1, Y0            n × 1 or 1 × n: treatment and both potential outcomes, all or none
///
/// and ignores all others. Where both are present X_100 is used: it is the reduced vocabulary that
/// T, Y1 and Y0 were simulated with. Zeros stored in a sparse matrix are dropped, so that dense and
/// sparse forms of the same data give the same dataset. Nodes are called "0", ..., "n-1" and
/// features "w0", ..., "w<M-1>".
///
/// With T the outcome is Y1 where T is 1 and Y0 where it is 0, and the truth is (Y0, Y1). Without,
/// the network has no logged data: has_log() is false and there is no truth.
///
/// In the report a line is a nonzero of Network. A matrix holds each entry once, and the entry (j,
/// i) beside (i, j) is the other half of an undirected edge, not a repeat, so num_merged is 0;
/// num_lines is num_edges + num_self_loops + the number of such mirror entries.
///
/// Throws Error(kData) with every fault of the file, the variable in Place::item. Safe on hostile
/// files: O(k) memory for k bytes, O(1032 k) where they are compressed.
LoadedData load_mat(const Context& context, const std::filesystem::path& path);
/// The same from the bytes of such a file; `file` is its name in messages.
LoadedData parse_mat(const Context& context, std::string_view bytes, const std::string& file);

}  // namespace cone
