#include <algorithm>
#include <utility>

#include "cone/policy.hpp"

namespace cone {
namespace {

class ConstantPolicy : public Policy {
 public:
  explicit ConstantPolicy(std::vector<double> probabilities)
      : probabilities_(std::move(probabilities)) {}
  Matrix<double> probabilities(const Context&, const FeatureTable&,
                               const Graph& graph) const override {
    Matrix<double> table(graph.num_nodes(), probabilities_.size());
    for (std::size_t i = 0; i < table.rows(); ++i) {
      std::copy(probabilities_.begin(), probabilities_.end(), table.row(i).begin());
    }
    return table;
  }

 private:
  std::vector<double> probabilities_;
};

}  // namespace

std::unique_ptr<Policy> constant_policy(std::vector<double> probabilities) {
  return std::make_unique<ConstantPolicy>(std::move(probabilities));
}

}  // namespace cone
