#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/inputs.hpp"

namespace cone {

/// Counts, spending and other outcomes whose effects multiply have a mean like exp(index). A linear
/// model with smooth effects underestimates it where an arm has few nodes. For those, a feature
/// exp(γ·s), s a linear index of the numeric features, standardised: given this feature the model
/// remains linear in the outcomes, so that predictions are not transformed back and implied weights
/// are exact.
///
/// s and γ, of either sign, are fitted by least squares of the outcome on s and exp(γ·s), with
/// coefficients per arm, from the linear index (Gauss–Newton steps); |γ·s| stays within 5. γ has
/// the least leave-one-out squared error. None unless that is 5 % lower than with the linear index
/// alone and absolute errors are lower by three standard errors. The values are standardised. As
/// for the variances of the model, the outcomes of all folds are used, for one slope per column and
/// γ: only with 20 nodes for every column, and up to 100 columns.
///
/// `numeric`: standardised, rows × columns, the rows of arm a from arm_begin[a] to arm_begin[a +
/// 1]. `is_fitted`: 1 for rows whose outcomes may be used. O(rows · columns²). Shifting or scaling
/// the outcome changes nothing. Collective: every rank has its own rows, and all decide by sums.
std::optional<std::vector<double>> make_exponential_feature(
    const Matrix<double>& numeric, std::span<const std::size_t> arm_begin,
    std::span<const double> outcome, std::span<const char> is_fitted,
    const Communicator& comm = Communicator::self());

/// Appends the feature, where there is one, to the numeric features, with the outcomes of the nodes
/// that the plan fits on, at most 50,000: those whose ids have the smallest hashes. Collective.
void append_exponential_feature(const Dataset& data, const FitPlan& plan, RidgeInputs& inputs);

}  // namespace cone
