#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/groups.hpp"
#include "network_ridge/inputs.hpp"

namespace cone {

/// What is learnt of one arm before any equation is solved.
struct ArmModel {
  double mean = 0;  ///< of the outcomes fitted to
  double sd = 1;    ///< of what the fixed effects leave of them: the unit of what follows
  std::vector<double> group_variances;  ///< one per group; 0 where negligible
  double noise = 0;
  double noise_growth = 0;                 ///< times the relative degree
  std::vector<std::size_t> fixed_columns;  ///< of the fixed effects, those that are independent
};

/// A fixed effect of a node by its relative degree: 1, d/d̄, √(d/d̄).
double fixed_effect_of(double relative_degree, std::size_t column);

/// Noise of a node of the arm when equations are solved.
double noise_of_position(const ArmModel& arm, double relative_degree, double undersmoothing);

/// The equations of the network ridge for all arms and tasks at once. With the positions J that a
/// task may learn an arm a from, K_a = Σ_g (σ²_g/c_g)·Φ_gΦ_g', N the noise times the
/// undersmoothing:
///
///   (K_a,JJ + N_J)·x + B_J·λ = f_J
///    B_J'·x                  = g
///
/// With f the outcomes and g = 0, x and λ predict at any position i: K_a,iJ·x + b_i'λ. With f and g
/// those of a sum of predictions, x is how the outcomes count in that sum.
struct RidgeSystem {
  std::shared_ptr<const RidgeInputs> inputs;
  std::vector<RidgeGroup> groups;
  std::vector<ArmModel> arms;
  double undersmoothing = 1;
  /// tasks × positions: whether the task may learn from the position.
  std::vector<std::vector<char>> learns_from;

  std::size_t num_tasks() const { return learns_from.size(); }
  /// The number of fixed effects: 1, d/d̄, √(d/d̄).
  static constexpr std::size_t kNumFixed = 3;
  double fixed_effect(std::size_t position, std::size_t column) const;
  /// Noise of the position's own arm, times the undersmoothing.
  double noise_at(std::size_t position) const;
  /// The positions of the arm that any task learns from.
  std::vector<std::uint32_t> positions_of_arm(std::size_t arm) const;
};

struct RidgeSolution {
  Matrix<double> x;       ///< positions × columns; zero where the column's task does not learn
  Matrix<double> lambda;  ///< (arms · kNumFixed) × columns; zero for columns that are left out
  bool converged = true;
  std::size_t iterations = 0;
};

/// The right-hand sides f (positions × columns) and g ((arms · kNumFixed) × columns), or what is
/// left of them.
struct RidgeSides {
  Matrix<double> f;
  Matrix<double> g;
};

/// Solves the equations, some columns at a time. One implementation per way of solving.
class RidgeSolver {
 public:
  virtual ~RidgeSolver() = default;
  /// Column k belongs to task tasks[k]. f: positions × columns, g: (arms · kNumFixed) × columns. A
  /// position's row of f is of the position's own arm.
  virtual RidgeSolution solve(const Context& context, const Matrix<double>& f,
                              const Matrix<double>& g,
                              std::span<const std::size_t> tasks) const = 0;
};

/// K_a·V at every position, V: positions × columns.
Matrix<double> multiply_kernel(const Context& context, const RidgeSystem& system, std::size_t arm,
                               const Matrix<double>& v);

/// K·V where every position has its own arm's kernel and sees the positions of its arm only.
Matrix<double> multiply_own_kernels(const Context& context, const RidgeSystem& system,
                                    const Matrix<double>& v);

/// (K + N)·X with every position's own arm, zero where the column's task does not learn; X must be
/// zero there.
Matrix<double> multiply_equations(const Context& context, const RidgeSystem& system,
                                  std::span<const std::size_t> tasks, const Matrix<double>& x);

/// f − (K + N)·x − B·λ and g − B'x. Columns of g that an arm leaves out mean nothing.
RidgeSides find_residual(const Context& context, const RidgeSystem& system, RidgeSides sides,
                         std::span<const std::size_t> tasks, const RidgeSolution& at);

/// What `solve` finds, and what it finds for the residual: explicit inverses lose digits where the
/// noise is tiny and nodes are alike, and this brings them back for the price of one product.
RidgeSolution solve_twice(const Context& context, const RidgeSystem& system, RidgeSides sides,
                          std::span<const std::size_t> tasks,
                          const std::function<RidgeSolution(const RidgeSides&)>& solve);

/// Throws Error(kData) where a factorisation failed.
void require_solution(bool is_there);

}  // namespace cone
