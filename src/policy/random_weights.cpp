#include "policy/random_weights.hpp"

#include <cmath>
#include <utility>

#include "cone/policy.hpp"

#include "base/random.hpp"
#include "policy/neighbour_logit.hpp"

namespace cone {
namespace {

class RandomWeightsPolicy : public Policy {
 public:
  RandomWeightsPolicy(std::uint64_t seed, std::size_t num_arms)
      : seed_(seed), num_arms_(num_arms) {}

  Matrix<double> probabilities(const Context& context, const FeatureTable& features,
                               const Graph& graph) const override {
    std::vector<SignWeights> weights(num_arms_ - 1);
    for (std::size_t a = 0; a < weights.size(); ++a) {
      Rng own(seed_, Stream::kPolicyWeights, 2 * a);
      Rng neighbour(seed_, Stream::kPolicyWeights, 2 * a + 1);
      for (std::size_t j = 0; j < features.matrix.cols(); ++j) {
        weights[a].own.push_back(own.sign());
        weights[a].neighbour.push_back(neighbour.sign());
      }
    }
    return sign_weight_probabilities(context, features, graph, weights);
  }

 private:
  std::uint64_t seed_;
  std::size_t num_arms_;
};

}  // namespace

Matrix<double> sign_weight_probabilities(const Context& context, const FeatureTable& features,
                                         const Graph& graph, std::span<const SignWeights> weights) {
  constexpr double kScale = 2;  // Guo et al. (2020): twice the sum of the two terms
  Matrix<double> logits(graph.num_nodes(), weights.size() + 1);
  for (std::size_t a = 0; a < weights.size(); ++a) {
    fill_neighbour_logit(
        context, features, graph, kScale, {logits, static_cast<Arm>(a + 1)},
        [&](const FeatureMatrix::Row& x) {
          double total = 0;
          x.for_each([&](std::uint32_t, double value) { total += std::abs(value); });
          if (total == 0) return NodeScore{};
          return NodeScore{dot(x, weights[a].own) / total, dot(x, weights[a].neighbour) / total};
        });
  }
  return softmax_rows(context, std::move(logits));
}

std::unique_ptr<Policy> random_weights_policy(std::uint64_t seed, std::size_t num_arms) {
  return std::make_unique<RandomWeightsPolicy>(seed, num_arms);
}

}  // namespace cone
