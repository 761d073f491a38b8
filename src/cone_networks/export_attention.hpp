#pragma once

#include <ostream>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/settings.hpp"

#include "cone_networks/cone_fit.hpp"
#include "data/csv_writer.hpp"

// Export of attention weights and representations to files for other programs. Both are a function
// of data and fit, and throw Error(kData) where the fit is not to this data and Cancelled when the
// observer asks to stop.

namespace cone {

/// Throws Error(kUsage) unless the encoder of these options has attention weights: to be called
/// before training.
void require_attention(const ConeOptions& options);

/// Writes the attention of the first layer as CSV: `source,target,treatment_head1, ...,
/// outcome_head1, ...`, one line per scored node (source) and node that it attends to (target: its
/// neighbours and, with self loops, itself), one column per head of each tower, by the encoder of
/// the fold that scores the source. The weights of a source sum to 1 in every column. Grouped by
/// fold, within it ordered by source and then target. O(folds · edges · heads) time; memory of one
/// fold's encoding. Throws Error(kUsage) where require_attention does.
void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const ConeFit& fit, CsvCells cells = CsvCells::kExact);

/// Writes [z^y ; z^t] as a NumPy array of single precision: one row per node in the order of the
/// data, by the fold that scores it; zeros for nodes that no fold scores.
void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const ConeFit& fit);

}  // namespace cone
