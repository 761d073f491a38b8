#include <sstream>

#include <gtest/gtest.h>

#include "cone/output.hpp"

namespace cone {
namespace {

TEST(TerminalProgress, IsSilentForShortPhasesAndErasesItsBar) {
  std::ostringstream quiet;
  TerminalProgress patient(quiet, true, /*delay_seconds=*/60);
  EXPECT_TRUE(patient.update("fitting", 1, 2));
  EXPECT_EQ(quiet.str(), "");

  std::ostringstream terminal;
  TerminalProgress eager(terminal, true, /*delay_seconds=*/0);
  eager.update("fitting", 0, 2);
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  eager.update("fitting", 1, 2);
  EXPECT_NE(terminal.str().find("fitting [####"), std::string::npos) << terminal.str();
  EXPECT_NE(terminal.str().find(" 50 %"), std::string::npos);
  eager.update("fitting", 2, 2);
  EXPECT_TRUE(terminal.str().ends_with("\r\033[K"));
}

}  // namespace
}  // namespace cone
