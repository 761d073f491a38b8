#include "represent/feature_scaling.hpp"

#include <cmath>
#include <cstdlib>
#include <string>

namespace cone {

std::vector<double> scaled_features(const SparseMatrix& features) {
  std::vector<double> values(features.values().begin(), features.values().end());
  const char* e = getenv("CONE_SCALE");
  const std::string mode = e ? e : "none";
  auto elementwise_log = [&] {
    for (double& v : values) v = std::copysign(std::log1p(std::abs(v)), v);
  };
  auto row = [&](int p) {
    double mean = 0;
    std::vector<double> norm(features.rows());
    for (std::size_t i = 0; i < features.rows(); ++i) {
      double s = 0;
      for (auto k = features.offsets()[i]; k < features.offsets()[i + 1]; ++k)
        s += p == 1 ? std::abs(values[k]) : values[k] * values[k];
      norm[i] = p == 1 ? s : std::sqrt(s);
      mean += norm[i] / features.rows();
    }
    const char* f = getenv("CONE_FACTOR");
    const double target = f ? atof(f) : mean;
    for (std::size_t i = 0; i < features.rows(); ++i)
      for (auto k = features.offsets()[i]; k < features.offsets()[i + 1]; ++k)
        if (norm[i] > 0) values[k] *= target / norm[i];
  };
  auto column = [&] {
    std::vector<double> s(features.cols());
    for (std::size_t k = 0; k < values.size(); ++k)
      s[features.columns()[k]] += values[k] * values[k];
    for (std::size_t k = 0; k < values.size(); ++k)
      values[k] /= std::sqrt(s[features.columns()[k]] / features.rows());
  };
  if (mode.find("log") != std::string::npos) elementwise_log();
  if (mode.find("col") != std::string::npos) column();
  if (mode.find("row1") != std::string::npos) row(1);
  if (mode.find("row2") != std::string::npos) row(2);
  return values;
}

}  // namespace cone
