#pragma once

#include <ostream>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/settings.hpp"

#include "cone_networks/cone_fit.hpp"
#include "data/csv_writer.hpp"

// What a fit looks at, in files that other programs read. Both are a function of data and fit, and
// throw Error(kData) where the data is not that of the fit and Cancelled when the observer asks to
// stop.

namespace cone {

/// Throws Error(kUsage) unless the encoder of these options has attention to write: to be asked
/// before the training.
void require_attention(const ConeOptions& options);

/// Writes the attention of the first layer as CSV: `source,target,treatment_head1, ...,
/// outcome_head1, ...`, one line per node that is scored (source) and node it attends to (target:
/// its neighbours and, with self loops, itself), one column per head of each tower. The fold that
/// scores the source does the attending. The weights of a source sum to 1 in every column. Grouped
/// by fold, within it ordered by source and then target. O(folds · edges · heads); holds no more
/// than one fold's encoding. Throws Error(kUsage) where
/// require_attention does.
void write_attention(const Context& context, std::ostream& out, const Dataset& data,
                     const ConeFit& fit, CsvCells cells = CsvCells::kExact);

/// Writes [z^y ; z^t] as a NumPy array of single precision: one row per node in the order of the
/// data, by the fold that scores it; zeros for nodes that none does.
void write_representations(const Context& context, std::ostream& out, const Dataset& data,
                           const ConeFit& fit);

}  // namespace cone
