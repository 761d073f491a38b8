#include <gtest/gtest.h>

#include "cone/context.hpp"

#include "study/ablation.hpp"
#include "study/small_networks.hpp"
#include "study/worlds.hpp"
#include "support/temporary_folder.hpp"

namespace cone {
namespace {

TEST(Ablation, ComparesEveryRowWithTheDefault) {
  const auto networks = testing::small_study_networks();
  const auto generated =
      generate_study_networks(Context({.seed = 1, .threads = 1}), {.nodes = 120});
  const testing::TemporaryFolder folder;
  const ValueTable table = reproduce_ablation(Context({.threads = 2}), networks, generated, 2,
                                              UnitWork{UnitStore(folder.path())});
  EXPECT_TRUE(table.run.failures.empty());
  EXPECT_EQ(table.settings.size(), 6U);
  EXPECT_EQ(table.reference, "network_dm");
  const auto undersmoothed = table.find_method("undersmoothing 1").value();
  EXPECT_NE(table.cells[0][0][0].by_simulation, table.cells[0][0][undersmoothed].by_simulation);
  // Only the world `nonlinear` has numeric features to smooth.
  const auto rough = table.find_method("without smooth").value();
  EXPECT_EQ(table.cells[0][1][0].by_simulation, table.cells[0][1][rough].by_simulation);
  EXPECT_LT(table.cells[5][1][0].errors.rmse, table.cells[5][1][rough].errors.rmse);
  EXPECT_NE(report_values(table).text().find("row \"network_dm\""), std::string::npos);
}

}  // namespace
}  // namespace cone
