#include "distributed/rank_solver.hpp"

#include <algorithm>
#include <cmath>
#include <exception>

#include <petscksp.h>

#include "distributed/petsc_checks.hpp"

namespace cone::distributed {
namespace {

/// Columns that are solved together.
constexpr std::size_t kColumnsAtATime = 32;

/// Of the preconditioner's factor. An arm that is worth iterating for has thousands of nodes.
constexpr std::size_t kFactorRank = 256;

/// What the callbacks of PETSc know. Exceptions may not pass through its C code: they wait here.
struct Operator {
  const Context& context;
  const RankSystem& system;
  const RankPreconditioner& preconditioner;
  std::span<const std::size_t> tasks;
  std::exception_ptr failure;

  Matrix<double> read(Vec vector) const {
    Matrix<double> out = Matrix<double>::unfilled(system.share.size(), tasks.size());
    const PetscScalar* values = nullptr;
    check_petsc(VecGetArrayRead(vector, &values));
    std::copy_n(values, out.values().size(), out.data());
    check_petsc(VecRestoreArrayRead(vector, &values));
    return out;
  }
  void write(const Matrix<double>& table, Vec vector) const {
    PetscScalar* values = nullptr;
    check_petsc(VecGetArray(vector, &values));
    std::ranges::copy(table.values(), values);
    check_petsc(VecRestoreArray(vector, &values));
  }
  template <class Work>
  PetscErrorCode guard(const Work& work) {
    try {
      work();
      return 0;
    } catch (...) {
      failure = std::current_exception();
      return PETSC_ERR_USER;
    }
  }
};

PetscErrorCode multiply(Mat shell, Vec x, Vec y) {
  void* pointer = nullptr;
  MatShellGetContext(shell, static_cast<void*>(&pointer));
  auto& self = *static_cast<Operator*>(pointer);
  return self.guard([&] {
    self.write(multiply_equations(self.context, self.system, self.tasks, self.read(x)), y);
  });
}

PetscErrorCode precondition(PC shell, Vec r, Vec z) {
  void* pointer = nullptr;
  PCShellGetContext(shell, static_cast<void*>(&pointer));
  auto& self = *static_cast<Operator*>(pointer);
  return self.guard([&] {
    Matrix<double> v;
    self.write(self.preconditioner.project(self.context, self.tasks, self.read(r), nullptr, v), z);
  });
}

/// Objects of PETSc that go when this goes.
struct KrylovSolver {
  Mat shell = nullptr;
  KSP ksp = nullptr;
  Vec side = nullptr, solution = nullptr;

  KrylovSolver(const Ranks& ranks, std::size_t size, Operator& op) {
    const auto local = static_cast<PetscInt>(size);
    check_petsc(
        MatCreateShell(ranks.comm(), local, local, PETSC_DETERMINE, PETSC_DETERMINE, &op, &shell));
    check_petsc(MatShellSetOperation(shell, MATOP_MULT, reinterpret_cast<void (*)()>(&multiply)));
    check_petsc(MatCreateVecs(shell, &solution, &side));
    check_petsc(KSPCreate(ranks.comm(), &ksp));
    check_petsc(KSPSetOperators(ksp, shell, shell));
    check_petsc(KSPSetType(ksp, KSPCG));
    check_petsc(KSPSetNormType(ksp, KSP_NORM_NATURAL));
    PC pc = nullptr;
    check_petsc(KSPGetPC(ksp, &pc));
    check_petsc(PCSetType(pc, PCSHELL));
    check_petsc(PCShellSetContext(pc, &op));
    check_petsc(PCShellSetApply(pc, &precondition));
  }
  KrylovSolver(const KrylovSolver&) = delete;
  KrylovSolver& operator=(const KrylovSolver&) = delete;
  ~KrylovSolver() {
    KSPDestroy(&ksp);
    VecDestroy(&side);
    VecDestroy(&solution);
    MatDestroy(&shell);
  }
};

/// Divides or multiplies rows by the size of their arm and column.
void scale_rows(const Share& share, const Matrix<double>& sizes, bool divides,
                Matrix<double>& table) {
  for (std::size_t p = 0; p < table.rows(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < table.cols(); ++k) {
      table(p, k) = divides ? table(p, k) / sizes(arm, k) : table(p, k) * sizes(arm, k);
    }
  }
}

void scale_fixed(const Matrix<double>& sizes, bool divides, Matrix<double>& table) {
  for (std::size_t row = 0; row < table.rows(); ++row) {
    for (std::size_t k = 0; k < table.cols(); ++k) {
      const double size = sizes(row / kFixed, k);
      table(row, k) = divides ? table(row, k) / size : table(row, k) * size;
    }
  }
}

/// The arm asks for nothing.
void clear_arm(const Share& share, std::size_t arm, RidgeSides& sides) {
  const std::size_t width = sides.f.cols();
  std::fill_n(sides.f.data() + share.arm_begin[arm] * width,
              (share.arm_begin[arm + 1] - share.arm_begin[arm]) * width, 0.0);
  std::fill_n(sides.g.data() + arm * kFixed * width, kFixed * width, 0.0);
}

Matrix<double> take_columns(const Matrix<double>& table, std::size_t first, std::size_t count) {
  Matrix<double> part(table.rows(), count);
  for (std::size_t i = 0; i < table.rows(); ++i) {
    std::copy_n(table.row(i).begin() + static_cast<std::ptrdiff_t>(first), count,
                part.row(i).begin());
  }
  return part;
}

}  // namespace

RankSolver::RankSolver(const Context& context, const RankSystem& system, const DenseArms& dense)
    : system_(system), dense_(dense) {
  if (!dense.has_all()) preconditioner_.emplace(context, system, kFactorRank);
}

RidgeSides RankSolver::find_residual(const Context& context, RidgeSides sides,
                                     std::span<const std::size_t> tasks,
                                     const RidgeSolution& at) const {
  const Share& share = system_.share;
  const Matrix<double> product = multiply_equations(context, system_, tasks, at.x);
  Matrix<double> met(sides.g.rows(), sides.g.cols());
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!system_.learns(p, tasks[k])) continue;
      sides.f(p, k) -= product(p, k);
      for (std::size_t c = 0; c < kFixed; ++c) {
        const double effect = system_.fixed_effect(p, c);
        sides.f(p, k) -= effect * at.lambda(arm * kFixed + c, k);
        met(arm * kFixed + c, k) += effect * at.x(p, k);
      }
    }
  }
  system_.ranks.add_up(met.values());
  for (std::size_t k = 0; k < met.values().size(); ++k) sides.g.values()[k] -= met.values()[k];
  return sides;
}

Matrix<double> RankSolver::measure_columns(const Context& context,
                                           std::span<const std::size_t> tasks,
                                           const RidgeSides& sides) const {
  const Share& share = system_.share;
  if (!preconditioner_) return Matrix<double>(share.num_arms(), tasks.size(), 1.0);
  Matrix<double> v;
  const Matrix<double> z = preconditioner_->project(context, tasks, sides.f, &sides.g, v);
  Matrix<double> sizes(share.num_arms(), tasks.size());
  for (std::size_t p = 0; p < share.size(); ++p) {
    const std::size_t arm = share.arm_of(p);
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      double left = sides.f(p, k);
      for (std::size_t c = 0; c < kFixed; ++c) {
        left -= system_.fixed_effect(p, c) * v(arm * kFixed + c, k);
      }
      if (system_.learns(p, tasks[k])) sizes(arm, k) += left * z(p, k);
    }
  }
  system_.ranks.add_up(sizes.values());
  for (double& size : sizes.values()) size = size > 0 ? std::sqrt(size) : 1;
  return sizes;
}

std::size_t RankSolver::improve_large(const Context& context, RidgeSides left,
                                      std::span<const std::size_t> tasks, RidgeSolution& at) const {
  const Share& share = system_.share;
  for (std::size_t a = 0; a < share.num_arms(); ++a) {
    if (dense_.has(a)) clear_arm(share, a, left);
  }
  // Start where B'x = g, and where the preconditioner thinks the solution is.
  RidgeSolution step;
  step.x = preconditioner_->project(context, tasks, left.f, &left.g, step.lambda);
  const RidgeSides behind = find_residual(context, left, tasks, step);
  Operator op{context, system_, *preconditioner_, tasks, nullptr};
  KrylovSolver krylov(system_.ranks, share.size() * tasks.size(), op);
  op.write(behind.f, krylov.side);
  const auto columns = static_cast<double>(tasks.size() * share.num_arms());
  check_petsc(
      KSPSetTolerances(krylov.ksp, 1e-30, kTolerance * std::sqrt(columns), 1e30, kMostIterations));
  const PetscErrorCode code = KSPSolve(krylov.ksp, krylov.side, krylov.solution);
  if (op.failure) std::rethrow_exception(op.failure);
  check_petsc(code);
  PetscInt iterations = 0;
  check_petsc(KSPGetIterationNumber(krylov.ksp, &iterations));
  KSPConvergedReason reason = KSP_CONVERGED_ITERATING;
  check_petsc(KSPGetConvergedReason(krylov.ksp, &reason));
  at.converged = reason > 0 || reason == KSP_DIVERGED_INDEFINITE_PC;  // rounding, at the very end
  const Matrix<double> found = op.read(krylov.solution);
  for (std::size_t k = 0; k < at.x.values().size(); ++k) {
    at.x.values()[k] += step.x.values()[k] + found.values()[k];
  }
  for (std::size_t k = 0; k < at.lambda.values().size(); ++k) {
    at.lambda.values()[k] += step.lambda.values()[k];
  }
  return static_cast<std::size_t>(iterations);
}

RidgeSolution RankSolver::solve_block(const Context& context, RidgeSides sides,
                                      std::span<const std::size_t> tasks) const {
  // A start finds λ for the x of the one before it, and takes off what rounding added.
  constexpr std::size_t kFewestStarts = 2;
  constexpr std::size_t kMostStarts = 4;
  const Share& share = system_.share;
  for (std::size_t p = 0; p < share.size(); ++p) {
    for (std::size_t k = 0; k < tasks.size(); ++k) {
      if (!system_.learns(p, tasks[k])) sides.f(p, k) = 0;
    }
  }
  const Matrix<double> sizes = measure_columns(context, tasks, sides);
  scale_rows(share, sizes, /*divides=*/true, sides.f);
  scale_fixed(sizes, /*divides=*/true, sides.g);
  RidgeSolution out;
  out.x = Matrix<double>(share.size(), tasks.size());
  out.lambda = Matrix<double>(sides.g.rows(), tasks.size());
  for (std::size_t start = 0; start < kMostStarts; ++start) {
    const RidgeSides left = start == 0 ? sides : find_residual(context, sides, tasks, out);
    dense_.solve(context, system_, left, tasks, out);
    const std::size_t iterations =
        dense_.has_all() ? 0 : improve_large(context, left, tasks, out);
    out.iterations += iterations;
    const bool is_done = iterations == 0 && start + 1 >= kFewestStarts;
    if (is_done || !out.converged) break;
  }
  scale_rows(share, sizes, /*divides=*/false, out.x);
  scale_fixed(sizes, /*divides=*/false, out.lambda);
  return out;
}

RidgeSolution RankSolver::solve(const Context& context, const Matrix<double>& f,
                                const Matrix<double>& g, std::span<const std::size_t> tasks) const {
  RidgeSolution out;
  out.x = Matrix<double>(f.rows(), f.cols());
  out.lambda = Matrix<double>(g.rows(), g.cols());
  for (std::size_t first = 0; first < tasks.size(); first += kColumnsAtATime) {
    const std::size_t count = std::min(kColumnsAtATime, tasks.size() - first);
    const RidgeSolution part =
        solve_block(context, {take_columns(f, first, count), take_columns(g, first, count)},
                    tasks.subspan(first, count));
    for (std::size_t k = 0; k < count; ++k) {
      for (std::size_t i = 0; i < f.rows(); ++i) out.x(i, first + k) = part.x(i, k);
      for (std::size_t i = 0; i < g.rows(); ++i) out.lambda(i, first + k) = part.lambda(i, k);
    }
    out.iterations += part.iterations;
    out.converged = out.converged && part.converged;
  }
  return out;
}

}  // namespace cone::distributed
