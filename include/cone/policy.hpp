#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/load.hpp"
#include "cone/matrix.hpp"

/// \file
/// Policies: treatment assignment functions.

namespace cone {

/// A treatment assignment function: π_a(i) = P(the policy assigns arm a to node i | x_i, A). It
/// sees features and network only, never treatments or outcomes.
class Policy {
 public:
  virtual ~Policy() = default;
  /// Nodes × arms; rows sum to 1.
  virtual Matrix<double> probabilities(const Context& context, const FeatureTable& features,
                                       const Graph& graph) const = 0;
};

/// The same probabilities for all nodes, one per arm: (0, 1) is treat-all, (1, 0) treat-none.
std::unique_ptr<Policy> constant_policy(std::vector<double> probabilities);

/// The paper's policy: logit_a(i) = 2·(ψ_a·x_i + mean over neighbours j of δ_a·x_j) for every arm a
/// but the control arm, whose logit is 0, and π the softmax of the logits. ψ_a, δ_a are drawn from
/// {−1, +1}^M, for each arm by itself, and x is row-normalised to sum 1 (by absolute value; rows of
/// zeros stay zero). A node without neighbours has a neighbour term of 0.
/// O(arms · (entries + edges)).
std::unique_ptr<Policy> random_weights_policy(std::uint64_t seed, std::size_t num_arms = 2);

/// Two arms: logit π(i) = intercept + w·x_i + v·(mean of x over neighbours), x as it is in the
/// data.
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

/// A policy with its name and its probabilities on a dataset.
struct PolicyOnData {
  std::string name;
  Matrix<double> probability;  ///< nodes × arms; rows sum to 1
  /// Dataset::log_checksum() of the data that the rule was learnt from, followed by ":out_of_fold"
  /// for decisions of trees that were learnt without the node's fold; empty where it was not
  /// learnt, or not by this program.
  std::string learnt_from = {};
};

/// What a policy was learnt from.
enum class LearntOn {
  kOtherData,  ///< or not learnt
  kTheseData,  ///< its value on them is in-sample
  /// Out of fold: its value is valid by own outcomes (doubly robust), but not by an outcome model
  /// alone, which learns from the same outcomes of the other folds as the rule did.
  kTheseDataOutOfFold
};

/// One per policy.
std::vector<LearntOn> find_learnt_policies(const Dataset& data,
                                           std::span<const PolicyOnData> policies);

/// The mark of decisions out of fold in PolicyOnData::learnt_from, after the checksum.
inline constexpr std::string_view kOutOfFoldMark = ":out_of_fold";

/// Warns of policies whose value on these data is in-sample; nothing where there are none.
std::vector<std::string> warn_of_learnt_policies(const Dataset& data,
                                                 std::span<const PolicyOnData> policies);

/// Turns specifications (`always:LABEL`, `uniform`, `random-weights:SEED`; for two arms also
/// `treat-all`, `treat-none` and `linear:FILE`; or the name of a policy file, which may hold
/// several) into policies on `data`, in the order given. Throws Error listing every fault; names
/// that occur twice are a fault.
std::vector<PolicyOnData> resolve_policies(const Context& context, const Dataset& data,
                                           std::span<const std::string> specifications);

/// A policy as a table, one row per node in the order of the data: the probability of every arm,
/// or, with two arms, of the one that is not the control in a single column. Throws Error(kData)
/// listing every fault: values that are not probabilities, rows that do not sum to 1.
PolicyOnData make_policy(const Dataset& data, std::string name,
                         MatrixView<const double> probability);
/// The same for labels of the assigned arms.
PolicyOnData make_policy(const Dataset& data, std::string name,
                         std::span<const std::string> labels);

/// The names `resolve_policies` understands besides files, for help texts and completion.
std::vector<std::string> builtin_policy_names();

/// For policies that users name themselves. Throws Error(kUsage) where the name is that of a
/// built-in policy (`treat-all`, `always:sms`, ...) but the probabilities differ: readers of the
/// result would take it for the built-in one.
void refuse_builtin_name(const Context& context, const Dataset& data, const PolicyOnData& policy);

/// Faults of names that occur twice, or that are reserved for the logged policy.
std::vector<Fault> list_name_faults(std::span<const PolicyOnData> policies);
std::vector<Fault> list_name_faults(std::span<const std::string> names);

}  // namespace cone
