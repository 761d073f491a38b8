#pragma once

#include <filesystem>
#include <span>

#include "cone/context.hpp"
#include "cone/dataset.hpp"

namespace cone {

/// Writes a dataset as a folder that load_dataset reads back to the same checksum: nodes.csv (with
/// `propensity`, `mu0`, `mu1` where present, `y0`, `y1` where `truth` is given, `cluster` where
/// there are clusters, to be named when it is loaded (--cluster cluster), and the numeric
/// features), edges.csv (each edge once, the lower node first) and, where there are count features,
/// those in features.csv, or features.npz above a million entries, with feature_names.csv. Numbers
/// are the shortest decimals that read back to the same bits; a feature that is stored as an
/// explicit zero is dropped. Every file is written completely or not at all. Throws Error(kUsage)
/// for data without treatments, for arms that would be read back in another order without
/// --control, and where the folder has feature files that would not be replaced but read as part of
/// it; Error(kIo) when a file cannot be written.
void write_dataset(const Context& context, const std::filesystem::path& folder, const Dataset& data,
                   const Truth* truth);

/// Writes `source,target,weight` lines, one per undirected edge in the order of the graph (by
/// source, then target, source < target). One weight per edge.
void write_weighted_edges(const std::filesystem::path& path, const IdTable& ids, const Graph& graph,
                          std::span<const double> weights);

}  // namespace cone
