#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/options.hpp"

#include "base/random.hpp"

namespace cone {

// In all that follows, the part or fold of a node depends on the seed, its id and the set of other
// ids: nodes are ordered by a random key drawn from (seed, stream, hash of the id), and the order
// is then cut, or assigned in turn. Permuting the rows of the input permutes the result.
// O(n log n).

/// "treated nodes", "nodes of arm 'sms'": for messages.
std::string members_of(std::span<const std::string> arms, Arm arm);
/// The fault of fewer nodes than folds. Folds within a fold are made of its training nodes, which
/// are fewer than a reader would count in the data.
Fault too_few_for_folds(int num_folds, const std::string& whose, std::size_t available,
                        bool is_inside);

/// Cuts the nodes, or stratified each arm, into three parts whose sizes are within one of the
/// requested fractions. Throws Error(kUsage) for options that make no sense and Error(kData) where
/// a part would be empty or, stratified, without one of the arms.
Split make_split(const Dataset& data, const SplitOptions& options, std::uint64_t seed);

/// Assigns the nodes to folds whose sizes differ by one at most; stratified, their numbers of nodes
/// of every arm do too. Throws Error(kUsage) for fewer than two folds and Error(kData) where there
/// are fewer nodes than folds or, where the data has treatments, an arm has fewer nodes than there
/// are folds: some fold would be predicted by a model that never saw that arm.
///
/// Where the data has clusters, stratified folds consist of whole clusters, as balanced as their
/// sizes allow, unless there are too few of them for every fold to have every arm.
std::vector<std::vector<NodeIndex>> make_folds(const Dataset& data, int num_folds, bool stratified,
                                               std::uint64_t seed);

/// The same over some of the nodes (no repeats), stratified by arm; the data must have treatments.
/// Takes the stream, so that inner folds are independent of the outer ones of the same seed.
std::vector<std::vector<NodeIndex>> make_folds(const Dataset& data,
                                               std::span<const NodeIndex> nodes, int num_folds,
                                               std::uint64_t seed, Stream stream);

}  // namespace cone
