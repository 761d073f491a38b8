#include "network_ridge/arm_solver.hpp"

#include <algorithm>
#include <utility>

#include "cone/context.hpp"

namespace cone {

void ArmSolver::factorise(const Context& context, std::size_t arm, const GatheredArm& gathered,
                          const ArmKernels& kernels) {
  dense_[arm].emplace(OwnedArm{DenseArm(context, gathered.system, gathered.arm, kernels),
                               gathered.row_of_received});
}

void ArmSolver::prepare(const Context& context, std::span<const char> is_dense) {
  std::vector<std::size_t> large;
  for (std::size_t a = 0; a < is_dense.size(); ++a) {
    if (is_dense[a] != 0) {
      dense_equations_.push_back(std::make_unique<ArmEquations>(context, system_, a));
    } else {
      large.push_back(a);
    }
  }
  if (!large.empty()) iterative_.emplace(context, system_, large);
}

std::vector<double> ArmSolver::solve_owned(const Context& context, std::size_t arm,
                                           std::span<const double> rows, const Matrix<double>& g,
                                           std::span<const std::size_t> tasks,
                                           Matrix<double>& lambda) const {
  constexpr std::size_t kNumFixed = RidgeSystem::kNumFixed;
  const OwnedArm& owned = *dense_[arm];
  const std::size_t width = tasks.size();
  Matrix<double> f(owned.equations.size(), width);
  Matrix<double> g_of_arm(kNumFixed, width);
  for (std::size_t k = 0; k < owned.row_of_received.size(); ++k) {
    std::ranges::copy(rows.subspan(k * width, width), f.row(owned.row_of_received[k]).begin());
  }
  for (std::size_t c = 0; c < kNumFixed; ++c) {
    std::ranges::copy(g.row(arm * kNumFixed + c), g_of_arm.row(c).begin());
  }
  const RidgeSolution found = owned.equations.solve(context, f, g_of_arm, tasks);
  for (std::size_t c = 0; c < kNumFixed; ++c) {
    std::ranges::copy(found.lambda.row(c), lambda.row(arm * kNumFixed + c).begin());
  }
  std::vector<double> out(rows.size());
  for (std::size_t k = 0; k < owned.row_of_received.size(); ++k) {
    std::ranges::copy(found.x.row(owned.row_of_received[k]),
                      out.begin() + static_cast<std::ptrdiff_t>(k * width));
  }
  return out;
}

RidgeSolution ArmSolver::solve_dense(const Context& context, const RidgeSides& sides,
                                     std::span<const std::size_t> tasks) const {
  const Communicator& comm = *system_.inputs->comm;
  const std::size_t width = tasks.size();
  RidgeSolution out{.x = Matrix<double>(sides.f.rows(), width),
                    .lambda = Matrix<double>(sides.g.rows(), width)};  // a row is set by one rank
  for (const auto& equations : dense_equations_) {
    const std::size_t arm = equations->arm();
    const std::vector<std::uint32_t> positions = system_.positions_of_arm(arm);
    std::vector<std::vector<double>> parts(comm.size());
    for (const std::uint32_t p : positions) {
      std::vector<double>& part = parts[owner(comm, arm)];
      part.insert(part.end(), sides.f.row(p).begin(), sides.f.row(p).end());
    }
    parts = comm.alltoallv(std::move(parts));
    if (dense_[arm]) {
      std::vector<double> rows;
      for (const auto& part : parts) rows.insert(rows.end(), part.begin(), part.end());
      const std::vector<double> found = solve_owned(context, arm, rows, sides.g, tasks, out.lambda);
      auto next = found.begin();
      for (std::vector<double>& part : parts) {
        const auto end = next + static_cast<std::ptrdiff_t>(part.size());
        part.assign(next, end);
        next = end;
      }
    }
    const std::vector<double> own = comm.alltoallv(std::move(parts))[owner(comm, arm)];
    for (std::size_t i = 0; i < positions.size(); ++i) {
      std::copy_n(own.begin() + static_cast<std::ptrdiff_t>(i * width), width,
                  out.x.row(positions[i]).begin());
    }
  }
  comm.allreduce(out.lambda.values());
  return out;
}

RidgeSolution ArmSolver::solve(const Context& context, const Matrix<double>& f,
                               const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  RidgeSolution out;
  if (iterative_) out = iterative_->solve(context, f, g, tasks);
  if (dense_equations_.empty()) return out;
  RidgeSolution of_dense =
      solve_twice(context, dense_equations_, {f, g}, tasks,
                  [&](const RidgeSides& sides) { return solve_dense(context, sides, tasks); });
  if (!iterative_) return of_dense;
  for (std::size_t k = 0; k < out.x.values().size(); ++k) {
    out.x.values()[k] += of_dense.x.values()[k];
  }
  for (std::size_t k = 0; k < out.lambda.values().size(); ++k) {
    out.lambda.values()[k] += of_dense.lambda.values()[k];
  }
  return out;
}

}  // namespace cone
