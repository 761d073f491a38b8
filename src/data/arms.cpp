#include <algorithm>
#include <cmath>

#include "cone/dataset.hpp"
#include "cone/error.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"

namespace cone {

bool has_plain_labels(std::span<const std::string> labels) {
  return labels.size() == 2 && labels[0] == "0" && labels[1] == "1";
}

std::string outcome_model_columns(std::span<const std::string> labels) {
  return has_plain_labels(labels) ? "mu0 and mu1" : "mu:LABEL";
}

std::string propensity_columns(std::span<const std::string> labels) {
  return has_plain_labels(labels) ? "propensity" : "propensity:LABEL";
}

std::string arm_adjective(std::span<const std::string> labels, Arm arm) {
  if (has_plain_labels(labels)) {
    return arm == kControlArm ? "untreated" : "treated";
  }
  return "'" + printable(labels[arm]) + "'";
}

Matrix<double> join_arms(std::span<const std::vector<double>> columns) {
  require(!columns.empty(), "arms: a table needs a column");
  Matrix<double> table(columns[0].size(), columns.size());
  for (std::size_t a = 0; a < columns.size(); ++a) {
    require(columns[a].size() == table.rows(), "arms: columns differ in length");
    for (std::size_t i = 0; i < table.rows(); ++i) table(i, a) = columns[a][i];
  }
  return table;
}

Matrix<double> two_arm_probabilities(std::span<const double> treated) {
  Matrix<double> table(treated.size(), 2);
  for (std::size_t i = 0; i < treated.size(); ++i) {
    table(i, 0) = 1 - treated[i];
    table(i, 1) = treated[i];
  }
  return table;
}

void softmax_arms(std::span<double> logits) {
  if (logits.size() == 2) {
    logits[1] = sigmoid(logits[1] - logits[0]);
    logits[0] = 1 - logits[1];
    return;
  }
  const double largest = *std::max_element(logits.begin(), logits.end());
  double total = 0;
  for (double& value : logits) {
    value = std::exp(value - largest);
    total += value;
  }
  for (double& value : logits) value /= total;
}

std::vector<double> arm_column(MatrixView<const double> table, Arm arm) {
  std::vector<double> column(table.rows());
  for (std::size_t i = 0; i < column.size(); ++i) column[i] = table(i, arm);
  return column;
}

}  // namespace cone
