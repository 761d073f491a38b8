#pragma once

#include <memory>
#include <span>
#include <vector>

#include "cone/context.hpp"
#include "cone/matrix.hpp"

#include "network_ridge/group_kernels.hpp"
#include "network_ridge/ridge_system.hpp"

namespace cone {

/// Exact, for arms of some thousands of nodes. One inverse per arm serves all tasks: with
/// P = C⁻¹ − C⁻¹B(B'C⁻¹B)⁻¹B'C⁻¹ over all positions that any task learns from, holding out the
/// positions I of a task subtracts P_·I(P_II)⁻¹P_I·. O(m³) time per arm to prepare and m² numbers
/// of memory, then O(m²) per column.
class DenseSolver : public RidgeSolver {
 public:
  explicit DenseSolver(const RidgeSystem& system) : system_(system) {}

  /// Factorises the equations of an arm from its kernels; once per arm, before solve().
  void prepare_arm(const Context& context, std::size_t arm, const ArmKernels& kernels);

  RidgeSolution solve(const Context& context, const Matrix<double>& f, const Matrix<double>& g,
                      std::span<const std::size_t> tasks) const override;

  /// solve() without the iterative refinement, which needs a product with all kernels.
  RidgeSolution solve_roughly(const Context& context, const Matrix<double>& f,
                              const Matrix<double>& g, std::span<const std::size_t> tasks) const;

 private:
  struct HeldOut {
    std::vector<std::size_t> rows;  ///< of the arm's positions
    Matrix<double> factor;          ///< of P_II
  };
  struct ArmInverse {
    std::vector<std::uint32_t> positions;
    Matrix<double> projection;      ///< P
    Matrix<double> fixed_map;       ///< G = (B'C⁻¹B)⁻¹B'C⁻¹, positions × fixed columns
    Matrix<double> fixed_inverse;   ///< (B'C⁻¹B)⁻¹
    std::vector<HeldOut> held_out;  ///< one per task
  };
  void solve_arm(const Context& context, std::size_t arm, const Matrix<double>& f,
                 const Matrix<double>& g, std::span<const std::size_t> tasks,
                 RidgeSolution& out) const;

  const RidgeSystem& system_;
  std::vector<ArmInverse> arms_;
};

}  // namespace cone
