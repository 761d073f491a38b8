#include "inference/dependence.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include <fmt/format.h>

#include "cone/error.hpp"
#include "cone/text.hpp"

#include "base/numeric.hpp"
#include "base/random.hpp"

namespace cone {
namespace {

constexpr double kMostNoise = 0.3;  // relative standard error of a variance, at most
constexpr double kMostCut = 0.1;    // share of edges between communities that were found
constexpr std::size_t kFewestClusters = 10;
constexpr double kProbeWork = 2e7;  // products of random signs with edges, at most
constexpr int kMostProbes = 8;
constexpr double kFewPairs = 2e6;

/// X'·Y, summed over the rows in order.
Matrix<double> cross_products(MatrixView<const double> x, MatrixView<const double> y) {
  Matrix<double> out(x.cols(), y.cols());
  for (std::size_t a = 0; a < x.cols(); ++a) {
    for (std::size_t b = 0; b < y.cols(); ++b) {
      CompensatedSum total;
      for (std::size_t i = 0; i < x.rows(); ++i) total.add(x(i, a) * y(i, b));
      out(a, b) = total.value();
    }
  }
  return out;
}

/// The mean of a matrix and its transpose, times the factor: products that are symmetric but for
/// rounding.
Matrix<double> symmetric(const Matrix<double>& m, double factor) {
  Matrix<double> out(m.rows(), m.cols());
  for (std::size_t a = 0; a < m.rows(); ++a) {
    for (std::size_t b = 0; b < m.cols(); ++b) out(a, b) = factor * 0.5 * (m(a, b) + m(b, a));
  }
  return out;
}

std::vector<double> diagonal(const Matrix<double>& m) {
  std::vector<double> out(m.rows());
  for (std::size_t a = 0; a < m.rows(); ++a) out[a] = m(a, a);
  return out;
}

/// Variances of sums over clusters, in which a node's own squares are those of `own` and not the
/// ones `taken` with the sums. Sharing a cluster does not reduce errors, so a variance is never
/// below `own`. A difference of two covariances may leave a difference of two values without
/// variance; so correlations are those of sums plus own squares, both of which are covariances.
void count_own_parts_once(const Matrix<double>& own, const Matrix<double>& taken,
                          Matrix<double>& sums) {
  const std::size_t count = sums.rows();
  std::vector<double> scale(count, 0.0);
  for (std::size_t k = 0; k < count; ++k) {
    const double variance = std::max(sums(k, k) + own(k, k) - taken(k, k), own(k, k));
    const double joint = sums(k, k) + own(k, k);
    if (joint > 0) scale[k] = std::sqrt(variance / joint);
  }
  for (std::size_t k = 0; k < count; ++k) {
    for (std::size_t l = 0; l < count; ++l) {
      sums(k, l) = scale[k] * scale[l] * (sums(k, l) + own(k, l));
    }
  }
}

/// Effective number of clusters, (Σ q)²/Σ q² with q = (Σ_{i∈c} |x_i|)², the least over the columns
/// (in the spirit of Carter, Schnepel and Steigerwald 2017, Asymptotic behavior of a t-test robust
/// to cluster heterogeneity). A policy's value may depend on few clusters, as that of treat-all
/// does on those that were treated.
double count_effective_clusters(const Clustering& clusters, MatrixView<const double> x,
                                const Communicator& comm) {
  auto least = static_cast<double>(clusters.count);
  for (std::size_t c = 0; c < x.cols(); ++c) {
    Matrix<double> parts(x.rows(), 1);
    for (std::size_t i = 0; i < x.rows(); ++i) parts(i, 0) = std::abs(x(i, c));
    const Matrix<double> sizes = sum_by_group(clusters, parts.view());
    double largest = 0;
    for (const double s : sizes.values()) largest = std::max(largest, s);
    largest = comm.allreduce_max(largest);
    if (!(largest > 0)) continue;
    CompensatedSum total;
    CompensatedSum squares;
    for (const double s : sizes.values()) {
      const double q = s / largest * (s / largest);
      total.add(q);
      squares.add(q * q);
    }
    const double all = comm.allreduce(total.value());
    least = std::min(least, all * all / comm.allreduce(squares.value()));
  }
  return least;
}

void refuse_if_useless(DependentCovariance& out) {
  const double noise = *std::max_element(out.noise.begin(), out.noise.end());
  const std::vector<double> variances = diagonal(out.covariance);
  if (*std::min_element(variances.begin(), variances.end()) < 0) {
    out.unusable = "negative variance estimate";
  } else if (noise > kMostNoise) {
    out.unusable = sentence("relative standard error of the variance {:.0f} %", 100 * noise);
  }
}

}  // namespace

DependenceKernels::DependenceKernels(const Context& context, const Graph& graph,
                                     Clustering clusters)
    : DependenceKernels(context, std::make_shared<Neighbourhood>(graph), std::move(clusters),
                        Communicator::self()) {}

DependenceKernels::DependenceKernels(const Context& context,
                                     std::shared_ptr<const Neighbourhood> network,
                                     Clustering clusters, const Communicator& comm)
    : network_(std::move(network)), comm_(comm), clusters_(std::move(clusters)) {
  const std::size_t n = network_->size();
  for (std::size_t i = 0; i < n; ++i) {
    const auto d = static_cast<double>(network_->degree(i));
    common_neighbour_scale_.push_back(1 / std::sqrt(1 + d));
    neighbour_scale_.push_back(d > 0 ? 1 / std::sqrt(d) : 0.0);
  }
  if (!has_edges()) return;
  const Matrix<double> ones(n, 1, 1.0);
  const Matrix<double> gathered = gather_common_neighbours(context, ones.view());
  common_neighbour_total_ =
      multiply_columns(gathered.view(), gathered.view())(0, 0) / (num_nodes() * num_nodes());
  Matrix<double> squares(n, 1);
  for (std::size_t i = 0; i < n; ++i) squares(i, 0) = neighbour_scale_[i] * neighbour_scale_[i];
  Matrix<double> of_neighbours(n, 1);
  network_->add_neighbours(context, squares, of_neighbours);
  squared_pairs_ = multiply_columns(squares.view(), of_neighbours.view())(0, 0);
  squared_common_neighbours_ = squared_common_neighbours(context, std::vector<double>(n, 1.0));
}

Matrix<double> DependenceKernels::multiply_columns(MatrixView<const double> x,
                                                   MatrixView<const double> y) const {
  Matrix<double> out = cross_products(x, y);
  comm_.allreduce(out.values());
  return out;
}

Matrix<double> DependenceKernels::sum_rows(const Context& context, MatrixView<const double> x,
                                           double own, std::span<const double> before,
                                           std::span<const double> after) const {
  Matrix<double> scaled(x.rows(), x.cols());
  Matrix<double> out(x.rows(), x.cols());
  for (std::size_t i = 0; i < x.rows(); ++i) {
    for (std::size_t c = 0; c < x.cols(); ++c) {
      scaled(i, c) = before[i] * x(i, c);
      out(i, c) = own * before[i] * x(i, c);
    }
  }
  network_->add_neighbours(context, scaled, out);
  if (!after.empty()) {
    for (std::size_t i = 0; i < x.rows(); ++i) {
      for (double& value : out.row(i)) value *= after[i];
    }
  }
  return out;
}

Matrix<double> DependenceKernels::gather_common_neighbours(const Context& context,
                                                           MatrixView<const double> x) const {
  return sum_rows(context, x, 1, common_neighbour_scale_, {});
}

Matrix<double> DependenceKernels::multiply_normalised_adjacency(const Context& context,
                                                                MatrixView<const double> x) const {
  return sum_rows(context, x, 0, neighbour_scale_, neighbour_scale_);
}

double DependenceKernels::count_squared_common_neighbours(std::span<const double> of_rows) const {
  // K_ij = |N[i] ∩ N[j]| / √((1 + d_i)(1 + d_j)), N[i] the closed neighbourhood of i.
  const Graph& graph = network_->global_graph();
  const std::vector<double> x = network_->gather(of_rows);
  const std::vector<double> common_neighbour_scale = network_->gather(common_neighbour_scale_);
  const std::size_t n = x.size();
  std::vector<double> common(n, 0.0);
  std::vector<NodeIndex> met;
  CompensatedSum total;
  for (NodeIndex i = 0; i < n; ++i) {
    met.clear();
    const auto meet = [&](NodeIndex j) {
      if (common[j] == 0) met.push_back(j);
      ++common[j];
    };
    const auto meet_common_neighbour = [&](NodeIndex k) {
      meet(k);
      for (const NodeIndex j : graph.neighbours(k)) meet(j);
    };
    meet_common_neighbour(i);
    for (const NodeIndex k : graph.neighbours(i)) meet_common_neighbour(k);
    for (const NodeIndex j : met) {
      const double product =
          j == i ? 0
                 : x[i] * x[j] * common[j] * common_neighbour_scale[i] * common_neighbour_scale[j];
      total.add(product * product);
      common[j] = 0;
    }
  }
  return total.value();
}

double DependenceKernels::squared_common_neighbours(const Context& context,
                                                    std::span<const double> x) const {
  double pairs = 0;  // that count_squared_common_neighbours() looks at
  for (const double scale : common_neighbour_scale_) pairs += 1 / (scale * scale * scale * scale);
  if (comm_.allreduce(pairs) <= kFewPairs) return count_squared_common_neighbours(x);
  // ‖DKD‖² = E‖DKDz‖² for random signs z. The signs are the same for every x.
  const std::size_t n = x.size();
  const double work = 2 * static_cast<double>(network_->num_edge_ends()) + num_nodes();
  const auto probes =
      static_cast<std::size_t>(std::clamp(kProbeWork / work, 1.0, double{kMostProbes}));
  Matrix<double> signs(n, probes);
  for (std::size_t p = 0; p < probes; ++p) {
    for (std::size_t i = 0; i < n; ++i) {
      Rng rng(0, Stream::kDependence, p);
      rng.skip(network_->number(i));  // the signs of all nodes are one sequence
      signs(i, p) = rng.sign() * x[i];
    }
  }
  const Matrix<double> gathered = gather_common_neighbours(context, signs.view());
  const std::vector<double> unit(n, 1.0);
  const Matrix<double> returned =
      sum_rows(context, gathered.view(), 1, unit, common_neighbour_scale_);
  CompensatedSum total;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t p = 0; p < probes; ++p) {
      total.add(x[i] * x[i] * returned(i, p) * returned(i, p));
    }
  }
  CompensatedSum own;
  for (const double v : x) own.add(v * v * v * v);
  return std::max(0.0, comm_.allreduce(total.value()) / static_cast<double>(probes) -
                           comm_.allreduce(own.value()));
}

std::vector<DependentCovariance> DependenceKernels::covariances(
    const Context& context, MatrixView<const double> parts) const {
  const std::size_t n = parts.rows();
  const std::size_t num_values = parts.cols();
  require(n == network_->size(), "dependence: the contributions are not one per node");
  const double per_pair = 1 / (num_nodes() * num_nodes());
  const Matrix<double> products = multiply_columns(parts, parts);
  std::vector<DependentCovariance> out;
  out.push_back({.dependence = Dependence::kIndependent,
                 .covariance = symmetric(products, per_pair),
                 .noise = std::vector<double>(num_values, 0.0)});
  std::vector<CompensatedSum> fourth(num_values);
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < num_values; ++c) fourth[c].add(std::pow(parts(i, c), 4));
  }
  const auto relative = [&](double squares, std::size_t c) {
    return products(c, c) > 0 ? std::sqrt(squares) / products(c, c) : 0.0;
  };
  for (std::size_t c = 0; c < num_values; ++c) {
    out[0].noise[c] = relative(2 * comm_.allreduce(fourth[c].value()), c);
  }

  if (has_edges()) {
    const std::vector<double> unit(n, 1.0);
    DependentCovariance neighbours{.dependence = Dependence::kNeighbours};
    const Matrix<double> summed = sum_rows(context, parts, 1, unit, {});
    neighbours.covariance = symmetric(multiply_columns(parts, summed.view()), per_pair);
    DependentCovariance common_neighbours{.dependence = Dependence::kCommonNeighbours};
    const Matrix<double> gathered = gather_common_neighbours(context, parts);
    common_neighbours.covariance = symmetric(multiply_columns(gathered.view(), gathered.view()),
                                             per_pair / (1 - common_neighbour_total_));
    Matrix<double> squares(n, num_values);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < num_values; ++c) squares(i, c) = parts(i, c) * parts(i, c);
    }
    Matrix<double> of_neighbours(n, num_values);
    network_->add_neighbours(context, squares, of_neighbours);
    const Matrix<double> edges = multiply_columns(squares.view(), of_neighbours.view());
    for (std::size_t c = 0; c < num_values; ++c) {
      std::vector<double> column(n);
      for (std::size_t i = 0; i < n; ++i) column[i] = parts(i, c);
      neighbours.noise.push_back(relative(2 * edges(c, c), c));
      common_neighbours.noise.push_back(
          relative(2 * squared_common_neighbours(context, column), c));
    }
    refuse_if_useless(neighbours);
    refuse_if_useless(common_neighbours);
    out.push_back(std::move(neighbours));
    out.push_back(std::move(common_neighbours));
  }
  if (clusters_.count > 1) out.push_back(cluster_covariance(parts, {}));
  return out;
}

DependentCovariance DependenceKernels::cluster_covariance(MatrixView<const double> parts,
                                                          MatrixView<const double> grouped) const {
  const std::size_t num_values = parts.cols();
  const double per_pair = 1 / (num_nodes() * num_nodes());
  const bool has_grouped = grouped.cols() > 0;
  const MatrixView<const double> summed = has_grouped ? grouped : parts;
  const Matrix<double> sums = sum_by_group(clusters_, summed);
  const auto count = static_cast<double>(clusters_.count);
  DependentCovariance out{.dependence = Dependence::kClusters};
  out.covariance =
      symmetric(multiply_columns(sums.view(), sums.view()), per_pair * count / (count - 1));
  if (has_grouped) {
    count_own_parts_once(symmetric(multiply_columns(parts, parts), per_pair),
                         symmetric(multiply_columns(grouped, grouped), per_pair), out.covariance);
  }
  // The t quantile with few degrees of freedom accounts for the noise of the variance.
  const double effective =
      clusters_.given ? count_effective_clusters(clusters_, summed, comm_) : count;
  out.degrees_of_freedom = std::max(1.0, effective - 1);
  out.noise.assign(num_values, std::sqrt(2 / out.degrees_of_freedom));
  const std::vector<double> variances = diagonal(out.covariance);
  if (std::ranges::any_of(variances, [](double v) { return v < 0; })) {
    out.unusable = "negative variance estimate";
  } else if (!clusters_.given && clusters_.count < kFewestClusters) {
    out.unusable = fmt::format("only {} clusters", clusters_.count);
  } else if (!clusters_.given && clusters_.cut_share > kMostCut) {
    out.unusable = sentence("{:.0f} % of the edges lead out of the {} communities found",
                            100 * clusters_.cut_share, clusters_.count);
  }
  return out;
}

SharedNoise DependenceKernels::measure_shared_noise(const Context& context,
                                                    std::span<const double> residual) const {
  SharedNoise out;
  if (!has_edges()) return out;
  Matrix<double> r(residual.size(), 1);
  CompensatedSum squares;
  for (std::size_t i = 0; i < residual.size(); ++i) {
    r(i, 0) = residual[i];
    squares.add(residual[i] * residual[i]);
  }
  const double all_squares = comm_.allreduce(squares.value());
  if (!(all_squares > 0)) return out;
  const double mean_square = all_squares / num_nodes();
  const Matrix<double> neighbours = multiply_normalised_adjacency(context, r.view());
  const Matrix<double> common_neighbours = gather_common_neighbours(context, r.view());
  const double pair_products = multiply_columns(r.view(), neighbours.view())(0, 0);
  const double common_neighbour_products =
      multiply_columns(common_neighbours.view(), common_neighbours.view())(0, 0) - all_squares;
  out.pairs = pair_products / (mean_square * squared_pairs_);
  out.pairs_error = std::sqrt(2 / squared_pairs_);
  if (squared_common_neighbours_ > 0) {
    out.common_neighbours = common_neighbour_products / (mean_square * squared_common_neighbours_);
    out.common_neighbours_error = std::sqrt(2 / squared_common_neighbours_);
  }
  return out;
}

DependentCovariance DependenceKernels::shared_covariance(const Context& context,
                                                         const SharedNoise& noise,
                                                         MatrixView<const double> scaled,
                                                         const Matrix<double>& independent) const {
  DependentCovariance out{.dependence = Dependence::kPooled,
                          .covariance = independent,
                          .noise = std::vector<double>(scaled.cols(), 0.0)};
  if (!has_edges()) return out;
  const double per_pair = 1 / (num_nodes() * num_nodes());
  const Matrix<double> neighbours = multiply_normalised_adjacency(context, scaled);
  const Matrix<double> common_neighbours = gather_common_neighbours(context, scaled);
  const Matrix<double> own = multiply_columns(scaled, scaled);
  const Matrix<double> by_pairs = symmetric(multiply_columns(scaled, neighbours.view()),
                                            per_pair * std::clamp(noise.pairs, 0.0, 1.0));
  Matrix<double> by_common_neighbours =
      symmetric(multiply_columns(common_neighbours.view(), common_neighbours.view()), per_pair);
  const double share = std::clamp(noise.common_neighbours, 0.0, 1.0);
  double pairs_total = 0;
  double common_neighbours_total = 0;
  for (std::size_t a = 0; a < own.rows(); ++a) {
    for (std::size_t b = 0; b < own.cols(); ++b) {
      by_common_neighbours(a, b) = share * (by_common_neighbours(a, b) - per_pair * own(a, b));
    }
    pairs_total += by_pairs(a, a);
    common_neighbours_total += by_common_neighbours(a, a);
  }
  const Matrix<double>& added =
      pairs_total > common_neighbours_total ? by_pairs : by_common_neighbours;
  for (std::size_t a = 0; a < own.rows(); ++a) {
    for (std::size_t b = 0; b < own.cols(); ++b) out.covariance(a, b) += added(a, b);
  }
  refuse_if_useless(out);
  return out;
}

DependenceKernels find_dependence(const Context& context, const Dataset& data,
                                  const NodeCommunities* found) {
  return {context, make_neighbourhood(data), cluster_nodes(context, data, found), data.comm()};
}

}  // namespace cone
