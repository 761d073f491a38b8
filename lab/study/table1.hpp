#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cone/context.hpp"
#include "cone/options.hpp"
#include "cone/simulate.hpp"

#include "simulate/semi_synthetic.hpp"
#include "study/study.hpp"
#include "study/study_report.hpp"

namespace cone {

/// Mean and standard deviation (n − 1) over simulations.
struct Spread {
  double mean = 0;
  double sd = 0;
};

/// One row of Table 1 of Guo, Li and Liu (2020): numbers of treated nodes and of nodes with a
/// positive effect.
struct Table1Row {
  std::string network;
  double kappa2 = 0;
  std::optional<Spread> paper_treated, paper_gaining;  ///< empty where the paper has no such row
  Spread treated, gaining;
  std::size_t num_nodes = 0;
  std::size_t num_features = 0;
};

struct Table1Options {
  int simulations = 10;
  Normalisation normalisation = Normalisation::kNone;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("simulations", self.simulations, "Simulations of each setting", between(2, 100000));
    visitor("normalisation", self.normalisation, "Normalisation of the unobserved edge weights");
  }
};

/// Simulates κ2 = 1 and 2 on every network.
std::vector<Table1Row> reproduce_table1(const Context& context,
                                        std::span<const StudyNetwork> networks,
                                        const Table1Options& options);

StudyReport report_table1(const std::vector<Table1Row>& rows);

}  // namespace cone
