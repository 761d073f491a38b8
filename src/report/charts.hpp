#pragma once

#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "report/html.hpp"
#include "report/record_view.hpp"

namespace cone::report {

// One figure each, from one entry (or list) of a record: a chart, its caption and the table of its
// numbers.

/// Histograms of the propensity of an arm, for units in the arm (up) and for the others (down).
Html overlap_figure(const RecordView& arm);
/// Calibration of the propensities: the observed share in the arm by fitted propensity.
Html calibration_figure(const RecordView& arm);
/// The Love plot: standardised mean differences of an arm from all nodes, before and after
/// weighting.
Html balance_figure(const RecordView& arm);
/// The effective sample size of every policy's weights.
Html weights_figure(const RecordView& weights, double num_nodes);
/// Residuals of an outcome model by degree.
Html degree_figure(const RecordView& residuals);
/// Variance components of the outcome, one bar per arm.
Html shares_figure(const RecordView& shares);
/// Losses of a fold's networks by epoch, `fold` from 1; empty where the record has none.
Html training_figure(const RecordView& training, std::size_t fold);
/// The legend of the training figures.
Html training_legend();
/// The value of every policy by fold.
Html stability_figure(const RecordView& stability);
/// The gain at every budget.
Html budget_figure(const RecordView& curve);
/// Bounds of a policy's value under the marginal sensitivity model (Tan, 2006, A distributional
/// approach for causal inference using propensity scores), and the breakdown points.
Html odds_figure(const RecordView& policy, double threshold);
/// Contours of the omitted-variable bias by the strength of an unmeasured confounder, with
/// benchmarks (Cinelli and Hazlett, 2020, Making sense of sensitivity).
Html contour_figure(const RecordView& policy, double threshold);
/// Nodes and edges, where the record has a sample of them.
Html network_figure(const RecordView& sample);
/// Warnings by estimator.
using EstimatorWarnings = std::set<std::pair<std::string, std::string>>;
/// Every estimator's value of one policy. Estimators with warnings are crossed, with the reason
/// unless it is one of those `said` before. Intervals for another target than `target`, that of the
/// run, are left out with a note; an empty target leaves none out.
Html specification_figure(const RecordView& policy, const EstimatorWarnings& said,
                          std::string_view target);

}  // namespace cone::report
