#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// One figure each: a chart, its caption and the table behind it, from one entry (or list) of a
// record.

/// How likely an arm was, for those who got it (up) and for the others (down).
Html overlap_figure(const RecordView& arm);
/// Of those who get an arm with probability e, the share that did.
Html calibration_figure(const RecordView& arm);
/// The love plot: how far an arm is from all nodes, before and after weighting.
Html balance_figure(const RecordView& arm);
/// How many nodes of equal weight the weights of every policy are worth.
Html weights_figure(const RecordView& weights, double num_nodes);
/// What an outcome model leaves, by the degree.
Html degree_figure(const RecordView& residuals);
/// Where the outcome's variance comes from, one bar per arm.
Html shares_figure(const RecordView& shares);
/// The losses of a fold's networks by epoch, `fold` from 1; empty where the record has none.
Html training_figure(const RecordView& training, std::size_t fold);
/// What the lines of training figures are.
Html training_legend();
/// The values of every policy by each fold.
Html stability_figure(const RecordView& stability);
/// The gain at every budget.
Html budget_figure(const RecordView& curve);
/// What odds that are off by a factor could do to a policy's value, and where the answer is undone.
Html odds_figure(const RecordView& policy, double threshold);
/// How far one unmeasured confounder could move a value, by its strength, with known things for
/// comparison.
Html contour_figure(const RecordView& policy, double threshold);
/// Units and ties, where the record has a sample of them.
Html network_figure(const RecordView& sample);
/// Warnings by estimator.
using EstimatorWarnings = std::set<std::pair<std::string, std::string>>;
/// Every estimator's value of one policy; those that fail their checks have a cross, with the
/// reason unless it is one of those `said` before.
Html specification_figure(const RecordView& policy, const EstimatorWarnings& said);

}  // namespace cone::report
