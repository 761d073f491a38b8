#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/learn.hpp"
#include "cone/settings.hpp"

/// \file
/// CONE's networks fitted to a dataset: made once, kept in a file, used for any number of policies.

namespace cone {

struct ConeFit;
using ConeModel = std::shared_ptr<const ConeFit>;

/// Fits one set of networks per fold of the plan. Minutes on large networks; the context's observer
/// may stop it (Cancelled). Throws Error on bad options, and where the log does not allow a fit.
ConeModel fit_model(const Context& context, const Dataset& data, const PlanOptions& plan,
                    const ConeOptions& options);

/// Reads what save_model wrote. Safe on files from strangers. Throws Error(kData) naming the file.
ConeModel load_model(const std::filesystem::path& path);

/// Writes the model, atomically, in the format of docs/model_format.md.
void save_model(const std::filesystem::path& path, const ConeFit& model);

/// The outcomes and propensities that the model gives the nodes its plan scores. Throws
/// Error(kData) unless it was fitted to this data.
Nuisances predict_by_model(const Context& context, const Dataset& data, const ConeFit& model,
                           double propensity_bound);

}  // namespace cone
