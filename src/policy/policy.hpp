#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "data/byte_source.hpp"
#include "data/dataset.hpp"
#include "exec/context.hpp"

namespace cone {

/// A treatment assignment function: π(i) = P(the policy treats node i | x_i, A). It sees features
/// and network only, never the log.
class Policy {
 public:
  virtual ~Policy() = default;
  /// One probability per node.
  virtual std::vector<double> treat_probabilities(const Context& context,
                                                  const FeatureTable& features,
                                                  const Graph& graph) const = 0;
};

/// Treats everyone with the same probability: 1 is treat-all, 0 treat-none, 0.5 uniform.
std::unique_ptr<Policy> constant_policy(double probability);

/// The paper's policy: logit π(i) = 2·(ψ·x_i + mean over neighbours j of δ·x_j), with ψ, δ drawn
/// from {−1, +1}^M and x row-normalised to sum 1 (by absolute value; rows of zeros stay zero). A
/// node without neighbours has a neighbour term of 0. O(entries + edges).
std::unique_ptr<Policy> random_weights_policy(std::uint64_t seed);

/// logit π(i) = intercept + w·x_i + v·(mean of x over neighbours), x as it is in the data.
struct LinearPolicyWeights {
  double intercept = 0;
  std::vector<double> feature;    ///< w, one per feature
  std::vector<double> neighbour;  ///< v, one per feature
};
std::unique_ptr<Policy> linear_policy(LinearPolicyWeights weights);

/// Reads `feature,weight[,neighbour_weight]` lines; features not named have weight 0, and the name
/// `(intercept)` stands for the intercept. Throws Error(kData) listing every fault.
LinearPolicyWeights load_linear_policy(const Context& context, const std::filesystem::path& path,
                                       const FeatureTable& features);
/// The same for bytes; `name` is for messages.
LinearPolicyWeights load_linear_policy(const Context& context, const std::string& name,
                                       ByteSource bytes, const FeatureTable& features);

/// A policy with its name and what it does on the data at hand.
struct PolicyOnData {
  std::string name;
  Matrix<double> probability;  ///< nodes × arms; rows sum to 1
};

/// Turns what a user wrote (`treat-all`, `treat-none`, `uniform`, `random-weights:SEED`,
/// `linear:FILE`, or the name of a policy file, which may hold several) into policies on `data`, in
/// the order given. Throws Error listing every fault; names that occur twice are a fault.
std::vector<PolicyOnData> resolve_policies(const Context& context, const Dataset& data,
                                           std::span<const std::string> specifications);

/// The names `resolve_policies` understands besides files, for help texts and completion.
std::vector<std::string> builtin_policy_names();

}  // namespace cone
