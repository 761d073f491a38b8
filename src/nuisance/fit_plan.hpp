#pragma once

#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "data/dataset.hpp"
#include "data/split.hpp"
#include "exec/context.hpp"
#include "options/options.hpp"

namespace cone {

/// Fit on one part, measure on the other, to choose the strength of a penalty. Both are ascending.
struct SelectionSplit {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
};

/// One model (per arm): which nodes it may learn from and which it predicts. Lists are ascending.
struct FitTask {
  std::vector<NodeIndex> fit;
  std::vector<NodeIndex> score;
  std::vector<SelectionSplit> selection;
};

/// Which model predicts which nodes. A node is scored by one task at most, and never by a task
/// that fits on it or selects with it.
struct FitPlan {
  std::vector<FitTask> tasks;
  std::vector<NodeIndex> scored;  ///< ascending; the union of the tasks' score
};

/// Cross-fitting: every node is scored, by a model fitted on the other folds. Within those,
/// `selection_folds` inner folds choose the strength. Both are stratified by arm. Throws what
/// make_folds throws, in particular where an arm has too few members.
FitPlan cross_fit_plan(const Context& context, const Dataset& data, int folds, int selection_folds,
                       std::uint64_t seed);
FitPlan cross_fit_plan(const Dataset& data, int folds, int selection_folds, std::uint64_t seed);

/// The paper's protocol: fit on train, choose on validation, score test.
FitPlan split_plan(const Split& split);

/// Which nodes fit and which are scored.
enum class Protocol {
  kCrossFit,  ///< every node is scored, by models that saw neither its outcome nor its treatment
  kSplit,     ///< the paper's way: fit on train, choose on validation, estimate on test
};

template <>
struct EnumNames<Protocol> {
  static constexpr std::array<std::pair<Protocol, std::string_view>, 2> kNames = {
      {{Protocol::kCrossFit, "cross_fit"}, {Protocol::kSplit, "split"}}};
};

struct PlanOptions {
  Protocol protocol = Protocol::kCrossFit;
  int folds = 5;
  int selection_folds = 3;
  SplitOptions split;

  template <class Self, class Visitor>
  static void visit(Self& self, Visitor&& visitor) {
    visitor("protocol", self.protocol, "Estimate over all nodes, or on held-out test nodes");
    visitor("folds", self.folds, "Folds of the cross-fitting", between(2, 1000));
    visitor("selection_folds", self.selection_folds,
            "Inner folds that choose regularisation strengths", between(2, 1000));
    SplitOptions::visit(self.split, visitor);
  }
  void check(std::vector<Fault>& faults) const { split.check(faults); }
};

/// The plan of the protocol: a function of the data's ids, arms, the options and the seed (of which
/// that of the context is no part: a fitted model has its own). Asks the observer on the way.
FitPlan make_plan(const Context& context, const Dataset& data, const PlanOptions& options,
                  std::uint64_t seed);

/// Throws Error(kInternal) unless the plan is as described above and its nodes are below
/// num_nodes. Every consumer of a plan calls it.
void require_valid(const FitPlan& plan, std::size_t num_nodes);

}  // namespace cone
