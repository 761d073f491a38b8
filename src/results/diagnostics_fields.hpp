#pragma once

#include <string>
#include <vector>

#include "cone/record.hpp"

#include "nn/train.hpp"
#include "results/record_fields.hpp"

/// \file
/// The fields of the diagnostics in the record, one line each (options/record_json.hpp).

namespace cone {

inline constexpr SchemaKeywords kTwentyBins{R"("minItems": 20, "maxItems": 20)"};
inline constexpr SchemaKeywords kCurve{R"("maxItems": 24)"};

/// Training curves are for plots: five digits keep the record small.
std::vector<double> round_to_five_digits(std::vector<double> values);

void list_fields(const Verdict& verdict, auto& line) {
  line("verdict", verdict.is_caution ? "caution" : "ok",
       SchemaKeywords{R"("enum": ["ok", "caution"])"});
  line("sentence", verdict.sentence, "The verdict in a sentence");
}

void list_fields(const PropensityDiagnostics& model, auto& line) {
  line("name", model.name,
       "What it was fitted on: features, network_treatment, spectral, cone, given, or a learner "
       "that was added");
  line("min", model.min, between(0, 1));
  line("max", model.max, between(0, 1));
  line("log_loss", model.log_loss, "Mean negative log-likelihood of the logged treatments");
  line("constant_log_loss", model.constant_log_loss,
       "The same for a constant propensity, the baseline");
  line("clipped_fraction", model.clipped_fraction, between(0, 1));
}

void list_fields(const OutcomeDiagnostics& model, auto& line) {
  line("name", model.name);
  line("r_squared", model.r_squared,
       "Of the logged outcomes on the evaluated nodes, out of sample if fitted");
  list_fields(model.verdict, line);
}

void list_fields(const TrainingCurves& curves, auto& line) {
  line("epoch", curves.epoch, "Steps taken before the losses were measured, ascending", kCurve);
  line("training_loss", round_to_five_digits(curves.training),
       "Objective: outcome_loss + gamma * treatment_loss + zeta * information_loss, with dropout",
       kCurve);
  line("validation_loss", round_to_five_digits(curves.validation),
       "Outcome loss + gamma * treatment loss on the validation nodes, without dropout; used for "
       "early stopping. Absent without validation nodes",
       kCurve, if_any());
  line("outcome_loss", round_to_five_digits(curves.outcome),
       "Mean squared error on the training nodes, in units of the outcome variance", kCurve);
  line("treatment_loss", round_to_five_digits(curves.treatment),
       "Cross-entropy on the training nodes", kCurve);
  line("information_loss", round_to_five_digits(curves.information),
       "Minus the Donsker-Varadhan bound on the mutual information of the two representations",
       kCurve);
}

void list_fields(const FoldTraining& training, auto& line) {
  line("status", training.status);
  line("epochs", training.epochs);
  line("best_epoch", training.best_epoch);
  line("validation_outcome_loss", training.encoder_head_mse,
       "Mean squared error in units of the outcome variance");
  line("validation_treatment_loss", training.treatment_head_loss, "Cross-entropy");
  line("outcome_error", training.arm_network_mse,
       "Mean squared error of the networks of the arms on the validation nodes, in the same units");
  line("propensity_loss", training.propensity_loss,
       "Cross-entropy of the propensity model in inner folds");
  line(
      "curves", training.curves,
      "Losses by epoch, of the first ten folds, where this run trained them (not with --model). At "
      "most 24 points: every epoch, or every k-th with the smallest possible k; the selected and "
      "the last epoch are always included. Five digits",
      only_if(!training.curves.epoch.empty()));
}

void list_fields(const AssociationDiagnostics& association, auto& line) {
  line("moran", association.moran, "Moran's I, weights 1/sqrt(product of degrees)");
  line("p", association.p,
       "One-sided, by permutations; by the normal approximation (0 permutations) with millions of "
       "edges",
       between(0, 1));
  line("permutations", association.permutations);
}

void list_fields(const StrengthDiagnostics& strength, auto& line) {
  line("r_squared_features", strength.r_squared_features, "Out of fold");
  line("r_squared_network", strength.r_squared_network, "Out of fold");
  line("added", strength.added, "(network - features) / (1 - features)");
  line("added_upper", strength.added_upper, "Upper one-sided 95 % confidence limit");
  line("is_clear", strength.is_clear, "Whether added exceeds two standard errors");
}

void list_fields(const JointArm& arm, auto& line) {
  line("arm", arm.arm);
  line("slope", arm.slope,
       "Of the log odds of receiving the arm on its predicted outcome, per residual standard "
       "deviation of the outcome");
  line("slope_standard_error", arm.slope_error);
  line("trust", arm.trust,
       "Factor on the change of predictions: 1 - (3 standard errors / slope)², at least 0",
       between(0, 1));
  line("reason", arm.reason, "Why trust is 0; else empty");
  line("equal_slopes_p", arm.equal_slopes_p,
       "Cochran's Q: all parts of the predicted outcome (own features, neighbours, communities) "
       "have one slope",
       between(0, 1));
  line("has_equal_slopes", arm.has_equal_slopes, "Not rejected at 1 %: network_joint uses the arm");
  line("network_share", arm.network_share,
       "Of the outcome beyond own features: share of variance that the network explains",
       between(0, 1));
  line("network_reliability", arm.network_reliability,
       "Share of that which held-out predictions recover", between(0, 1));
  line("network_statistic", arm.network_statistic,
       "Slope of the network's contribution to the predicted outcome over its standard error; "
       "beyond 3 it gives the direction of the sensitivity interval");
  line("noise_share", arm.noise_share,
       "Share of the noise that grows with the degree on which treatment depends", between(0, 1));
  line("noise_share_error", arm.noise_share_error, "Its standard error");
}

void list_fields(const ArmVariances& arm, auto& line) {
  line("arm", arm.arm);
  line("variances", arm.groups,
       "Variance component of each group of effects, in units of the arm's outcome variance given "
       "the degree; 0 where the group explains nothing",
       at_least(0), SchemaKeywords{R"("propertyNames": {"enum": [
         "own_counts", "own_numeric", "own_smooth", "own_curves", "neighbour_sums_counts",
         "neighbour_sums_numeric", "neighbour_effects", "neighbour_means_counts",
         "neighbour_means_numeric", "mean_neighbour_effects", "communities_coarse", "communities",
         "communities_fine"]})"});
  line("noise", arm.noise, at_least(0));
  line("noise_growth", arm.noise_growth, "Times degree / mean degree", at_least(0));
  line("num_nodes", arm.num_nodes, "Nodes from which the variances were estimated");
  line("steps", arm.steps);
  line("converged", arm.converged);
}

void list_fields(const NetworkRidgeSummary& ridge, auto& line) {
  line("solver", ridge.solver, SchemaKeywords{R"("enum": ["dense", "low_rank", "iterative"])"});
  line("iterations", ridge.iterations, "Of the iterative solver; otherwise 0");
  line("converged", ridge.converged, "Whether the equations were solved to the tolerance");
  line("undersmoothing", ridge.undersmoothing, Range{.low = 0, .high = 1, .low_open = true});
  line("arms", ridge.arms,
       "One entry per arm; with --ridge-variances per_fold one per fold and arm");
}

void list_fields(const ArmOverlap& overlap, auto& line) {
  line("arm", overlap.arm);
  line("in_arm", overlap.got,
       "Histogram of the propensity of the arm over nodes that received it, 20 bins from 0 to 1",
       kTwentyBins);
  line("other_arms", overlap.others, "The same over the other nodes", kTwentyBins);
  line("rare_fraction", overlap.rare_fraction,
       "Share of nodes whose propensity is below a tenth of the arm's share", between(0, 1));
  list_fields(overlap.verdict, line);
}

void list_fields(const WeightTail& tail, auto& line) {
  line("policy", tail.policy);
  line("effective_sample_size", tail.effective_sample_size, or_null(at_least(0)));
  line("median", tail.median, or_null(at_least(0)));
  line("quantile_90", tail.quantile_90, or_null(at_least(0)));
  line("quantile_99", tail.quantile_99, or_null(at_least(0)));
  line("max", tail.max, or_null(at_least(0)));
  line("heaviest_share", tail.heaviest_share,
       "Share of the total weight on the 1 % of nodes with the largest weights", between(0, 1));
  list_fields(tail.verdict, line);
}

void list_fields(const PolicySupport& support, auto& line) {
  line("policy", support.policy);
  line("off_support_fraction", support.off_support_fraction, "As in the estimates", between(0, 1));
  list_fields(support.verdict, line);
}

void list_fields(const CalibrationBin& bin, auto& line) {
  line("predicted", bin.predicted, "Mean propensity", between(0, 1));
  line("observed", bin.observed, "Share that received the arm", between(0, 1));
  line("num_nodes", bin.num_nodes);
}

void list_fields(const ArmCalibration& calibration, auto& line) {
  line("arm", calibration.arm);
  line("bins", calibration.bins, "About ten bins of equal size, by propensity");
  line("mean_gap", calibration.mean_gap, "Mean over nodes of |predicted - observed| in their bin",
       between(0, 1));
  line("chi_squared", calibration.chi_squared,
       "Sum over the bins of (observed - expected)² / sum of e(1 - e)", or_null(at_least(0)));
  line("p", calibration.p, between(0, 1));
  list_fields(calibration.verdict, line);
}

void list_fields(const ColumnBalance& column, auto& line) {
  line("name", column.name);
  line("of", column.of, "Of the nodes themselves, of the mean over their neighbours, or the degree",
       SchemaKeywords{R"("enum": ["own", "neighbours", "degree"])"});
  line("before", column.before, "Without weights");
  line("after", column.after, "The arm weighted by 1/propensity");
  line("error", column.error, "Standard error of after if the propensities are correct",
       or_null(at_least(0)));
}

void list_fields(const ArmBalance& balance, auto& line) {
  line("arm", balance.arm);
  line("columns", balance.columns,
       "The features that differ most, their means over neighbours, and the degree");
  line("largest_before", balance.largest_before, "In size", or_null(at_least(0)));
  line("largest_after", balance.largest_after, "In size", or_null(at_least(0)));
  list_fields(balance.verdict, line);
}

void list_fields(const DegreeGroup& group, auto& line) {
  line("degrees", group.degrees, "The smallest and the largest");
  line("num_nodes", group.num_nodes);
  line("mean_residual", group.mean_residual);
  line("standard_error", group.standard_error, "null of a single node", or_null(at_least(0)));
}

void list_fields(const DegreeResiduals& residuals, auto& line) {
  line("outcome_model", residuals.outcome_model);
  line("groups", residuals.groups, "At most ten groups of about equal size");
  line("correlation", residuals.correlation, "Of residual and log(1 + degree)", between(-1, 1));
  line("p", residuals.p, "Of no trend", between(0, 1));
  list_fields(residuals.verdict, line);
}

void list_fields(const VarianceShares& shares, auto& line) {
  line("arm", shares.arm);
  line("own", shares.own, between(0, 1));
  line("network", shares.network, between(0, 1));
  line("noise", shares.noise, between(0, 1));
  list_fields(shares.verdict, line);
}

void list_fields(const PolicyStability& stability, auto& line) {
  line("policy", stability.policy);
  line("by_fold", stability.by_fold,
       "Value on the nodes of each fold; empty with --protocol split");
  line("fold_p", stability.fold_p, "Test of equal values in all folds", between(0, 1));
  line("seed_sd", stability.seed_sd, "Standard deviation over repeats", at_least(0), if_any());
  list_fields(stability.verdict, line);
}

void list_fields(const NamedVerdict& entry, auto& line) {
  line("name", entry.name,
       SchemaKeywords{R"("enum": ["overlap", "weights", "positivity", "calibration", "balance",
         "outcome model", "residuals by degree", "variance shares", "joint model", "stability"])"});
  list_fields(entry.verdict, line);
}

void list_fields(const ScalingDiagnostics& scaling, auto& line) {
  line("learners", scaling.learners, SchemaKeywords{R"("enum": ["networks and kernels",
         "network ridge", "ridge and logistic regression", "least squares"])"});
  line("numeric", scaling.dense, if_any(),
       SchemaKeywords{R"("enum": ["standardised", "unit_variance", "none"])"});
  line("counts", scaling.counts, if_any(),
       SchemaKeywords{R"("enum": ["row_percent", "unit_rows_of_roots", "unit_variance",
         "common_factor", "none"])"});
}

/// `notes`: choices that the loader made; they are also the first warnings.
void list_fields(const Diagnostics& d, const std::vector<std::string>& notes, auto& line) {
  line("num_evaluated_nodes", d.num_evaluated_nodes);
  line("num_isolated_nodes", d.num_isolated_nodes);
  line("num_self_loops_dropped", d.num_self_loops_dropped);
  line("num_edges_merged", d.num_edges_merged);
  line("propensity_models", d.propensity_models);
  line("outcome_models", d.outcome_models);
  line("trainings", d.trainings, "Training of the representations of cone, one entry per fold",
       if_any());
  line("residual_association", d.residual_association,
       "Correlation among neighbours of the residuals of the decision's outcome model", if_any());
  line("network_strength", d.network_strength,
       "Gain in R² of the treatment model from the network: the confounding strength of the "
       "sensitivity intervals",
       if_any());
  line(
      "joint_model", d.joint_model,
      "Joint model of treatment and outcome (docs/joint_model.md), one entry per arm; absent where "
      "it was not fitted",
      if_any());
  line("network_ridge", d.network_ridge,
       "The network ridge of network_dm and network_dr; absent where neither was requested",
       if_any());
  line("propensity_model", d.propensity_model,
       "Propensities used by overlap, weights, positivity, calibration and balance; absent without "
       "any, and then those are empty",
       if_any());
  line("overlap", d.overlap, "Propensities of each arm");
  line("weights", d.weights,
       "Importance weights (policy probability / propensity), one entry per policy; quantiles over "
       "nodes with a positive weight");
  line("positivity", d.support, "Positivity, one entry per policy");
  line("calibration", d.calibration, "Calibration of the propensities, one entry per arm");
  line("balance", d.balance,
       "Standardised mean differences between an arm and all nodes, one entry per arm");
  line("residuals_by_degree", d.residuals_by_degree,
       "Residuals of the recommended estimator's outcome model, by degree; empty without edges");
  line("variance_shares", d.variance_shares,
       "Variance components of the outcome by the network ridge, one entry per arm; empty where it "
       "did not run");
  line("stability", d.stability,
       "Variation of the recommended estimator's values over folds, and over seeds with --repeats; "
       "one entry per policy");
  line("verdicts", d.verdicts, "The worst entry of each diagnostic");
  line("feature_scaling", d.feature_scaling, "How learners scale the features");
  line("notes", notes, "Choices made by the loader; also the first entries of warnings");
  std::vector<std::string> warnings = notes;
  warnings.insert(warnings.end(), d.warnings.begin(), d.warnings.end());
  line("warnings", warnings);
}

}  // namespace cone
